/** Bytes of a tablet's blocks by role. Reads the journals of log containers and the sizes of files, but no blocks. */
import { type OnDamage, reportDamage } from "@cfile/bytes";
import type { TabletRowSet } from "../read/tablet-row-set.js";
import { rolesOf } from "./superblock.js";

/** Bytes of blocks by role. */
export interface TabletSize {
  /** By column ID. */
  readonly columns: ReadonlyMap<number, number>;
  readonly bloom: number;
  readonly adhocIndex: number;
  readonly undo: number;
  readonly redo: number;
  readonly total: number;
  /** IDs of missing blocks. */
  readonly missing: readonly bigint[];
}

/**
 * The sizes of all blocks of the row sets.
 *
 * @param onDamage called for each ID that two blocks share; these blocks are not counted. Default: the error is thrown
 */
export async function blockSizes(rowSets: readonly TabletRowSet[], onDamage?: OnDamage): Promise<TabletSize> {
  const columns = new Map<number, number>();
  const sizes = { bloom: 0, "adhoc-index": 0, undo: 0, redo: 0 };
  const missing: bigint[] = [];
  let total = 0;
  for (const rowSet of rowSets) {
    for (const { id, role } of rolesOf(rowSet.blocks)) {
      let size: number | undefined;
      try {
        size = await rowSet.sizeOfBlock(id);
      } catch (error) {
        reportDamage(error, onDamage);
        continue;
      }
      if (size === undefined) {
        missing.push(id);
        continue;
      }
      total += size;
      if (role in sizes) {
        sizes[role as keyof typeof sizes] += size;
      } else {
        const column = Number(role.slice("column ".length));
        columns.set(column, (columns.get(column) ?? 0) + size);
      }
    }
  }
  const { bloom, undo, redo, "adhoc-index": adhocIndex } = sizes;
  return { columns, bloom, adhocIndex, undo, redo, total, missing };
}
