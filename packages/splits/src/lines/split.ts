/** A split: an independent piece of work as plain values. It states what to read, from which sources, and their versions. */
import type { NamedCondition } from "@cfile/encodings/conditions";
import type { WriteScope } from "@cfile/kudu-dir";
import type { RowSetColumn } from "@cfile/rowset";

/** Rows `from` (inclusive) to `to` (exclusive). */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

/** A file and its version. */
export interface SplitFile {
  /** Path or URL; "" for a block that was in none of the directories. */
  readonly path: string;
  /** Bytes of the file, or of the block. */
  readonly size: number;
  /** ETag or modification time of a URL, modification time in nanoseconds of a file; missing if unknown. */
  readonly version?: string | undefined;
  /** For a Kudu server: the block, and its offset in the file. */
  readonly block?: { readonly id: bigint; readonly offset: number } | undefined;
}

/** Files with the same rows, one per column. */
export interface FilePiece {
  readonly files: readonly (SplitFile & { readonly column: string })[];
  /** The range starts and ends at block boundaries of one of the files. Missing: all rows. */
  readonly rows?: RowRange | undefined;
}

/** The files of a row set by role. */
export interface RowSetParts<T> {
  /** Required columns, by column ID. */
  readonly columns: ReadonlyMap<number, T>;
  readonly adhocIndex?: T | undefined;
  /** Oldest first. */
  readonly redo: readonly T[];
  /** Newest first; empty for the latest snapshot. */
  readonly undo: readonly T[];
}

/** A row set, or some of its rows. A row is live in at most one row set, so each row set can be read by itself. */
export interface RowSetPiece extends RowSetParts<SplitFile> {
  /** For a Kudu server: ID of the tablet. */
  readonly tablet?: string | undefined;
  /** The index of the row set; for a Kudu server, its ID. */
  readonly rowSet: bigint;
  /** For a Kudu server: a digest of the IDs and roles of all blocks of the row set. */
  readonly blocks?: string | undefined;
  /** The range starts and ends at block boundaries of one of the columns. Missing: all rows. */
  readonly rows?: RowRange | undefined;
}

interface CommonSplit {
  /** 32 hexadecimal digits: a digest of all other fields. */
  readonly id: string;
  /** Index among the splits of one plan, from 0. It gives two splits of the same rows different IDs. */
  readonly number: number;
  /** Required columns, key first. IDs of CFiles are indexes. */
  readonly schema: readonly RowSetColumn[];
  /** Names of the requested columns, in this order. */
  readonly columns: readonly string[];
  readonly where: readonly NamedCondition[];
  /** Estimated number of rows. */
  readonly rows: number;
  /** Estimated number of stored bytes. */
  readonly bytes: number;
}

/** A split of CFiles. */
export interface FileSplit extends CommonSplit {
  readonly kind: "cfiles";
  readonly pieces: readonly FilePiece[];
}

/** A split of a table store, or of a Kudu tablet by row sets. */
export interface RowSetSplit extends CommonSplit {
  readonly kind: "rowset" | "kudu";
  /** The snapshot to read; missing: the latest one. */
  readonly asOf?: bigint | undefined;
  /** For a Kudu server: its roots. */
  readonly dirs?: readonly string[] | undefined;
  readonly pieces: readonly RowSetPiece[];
}

/** A tablet, or its rows with keys from `from` (inclusive) to `to` (exclusive), encoded. */
export interface TabletPiece {
  readonly tablet: string;
  /** A digest of the IDs and roles of all blocks of the tablet. */
  readonly blocks: string;
  readonly from?: Uint8Array | undefined;
  readonly to?: Uint8Array | undefined;
}

/** Rows of a Kudu tablet, in key order. */
export interface TabletSplit extends CommonSplit {
  readonly kind: "tablet";
  /** The snapshot to read; missing: the latest one. */
  readonly asOf?: bigint | undefined;
  /** The roots of one server, or of several of a cluster. */
  readonly dirs: readonly string[];
  /** Whether to include unflushed writes from the write-ahead log. */
  readonly withLog: boolean;
  /** Which writes of a cluster's logs are read. Missing: `possible`. */
  readonly writes?: WriteScope | undefined;
  /** Whether to allow snapshots older than the retained history. */
  readonly partialHistory: boolean;
  readonly pieces: readonly TabletPiece[];
}

/** A region of an HBase table, or its rows from `from` (inclusive) to `to` (exclusive). */
export interface RegionPiece {
  /** Encoded name. */
  readonly region: string;
  /** A digest of the names and sizes of the region's store files, and of its number of unflushed cells. */
  readonly files: string;
  readonly from?: Uint8Array | undefined;
  readonly to?: Uint8Array | undefined;
}

/** Rows of an HBase table or snapshot, in key order. */
export interface RegionSplit extends CommonSplit {
  readonly kind: "hbase";
  /** The root directory: a path or URL. */
  readonly root: string;
  /** Either a table or a snapshot. */
  readonly table?: string | undefined;
  readonly snapshot?: string | undefined;
  /** Columns with their types and how values are stored, like `cf:price:double(bytes)`. */
  readonly cells: string;
  /** Whether to include unflushed cells from the write-ahead log. */
  readonly withLog: boolean;
  /** The time by which cells expire, in milliseconds since 1970. */
  readonly now: number;
  /** Timestamps from `from`, inclusive, to `to`, exclusive. Missing: all. */
  readonly timeRange?: { readonly from: bigint; readonly to: bigint } | undefined;
  readonly pieces: readonly RegionPiece[];
}

/** A file slice of a Hudi table. The paths of its files are their names. */
export interface SlicePiece {
  readonly partition: string;
  readonly fileId: string;
  /** Requested time of the write that began the slice. */
  readonly instant: string;
  readonly base?: SplitFile | undefined;
  /** In the order in which they are applied. */
  readonly logs: readonly SplitFile[];
  /** Slices are not divided. */
  readonly rows?: undefined;
}

/** File slices of a Hudi table. */
export interface SliceSplit extends CommonSplit {
  readonly kind: "hudi";
  /** Path or URL of the table. */
  readonly table: string;
  /** The instant to read as of; missing: the latest one. */
  readonly instant?: string | undefined;
  readonly pieces: readonly SlicePiece[];
}

/** An independent piece of work, for any machine that can read its files. */
export type Split = FileSplit | RowSetSplit | TabletSplit | RegionSplit | SliceSplit;

/** A split without its ID. */
export type SplitContent =
  | Omit<FileSplit, "id">
  | Omit<RowSetSplit, "id">
  | Omit<TabletSplit, "id">
  | Omit<RegionSplit, "id">
  | Omit<SliceSplit, "id">;
