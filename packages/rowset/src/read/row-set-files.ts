/**
 * The files of a DiskRowSet by what they are for (docs/spec/diskrowset.md#1-composition), wherever they come from.
 */
import type { ByteSource } from "@cfile/io";

/** The files of one DiskRowSet by role; see docs/spec/diskrowset.md#1-composition. */
export interface RowSetFiles {
  /** Base data by column id; columns that came later have none, and there may be some that the schema has no more. */
  readonly columns: ReadonlyMap<number, ByteSource>;
  readonly bloom?: ByteSource | undefined;
  /** The index of a primary key of several columns. */
  readonly adhocIndex?: ByteSource | undefined;
  /** Oldest first. */
  readonly redo: readonly ByteSource[];
  /** Newest first. */
  readonly undo: readonly ByteSource[];
}
