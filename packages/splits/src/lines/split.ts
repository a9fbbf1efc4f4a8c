/**
 * A split: a piece of work that is independent of all others, of nothing but plain values. It says what is read and of which
 * sources, as they were when it was made; what reads it needs nothing else.
 */
import type { NamedCondition } from "@cfile/encodings/conditions";
import type { RowSetColumn } from "@cfile/rowset";

/** Rows `from` (inclusive) to `to` (exclusive). */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

/** A file, and what tells it from another of the same name. */
export interface SplitFile {
  /** Path or URL; of a block that was in none of the directories "". */
  readonly path: string;
  /** Bytes: of the file, or of the block in it. */
  readonly size: number;
  /** ETag or modification time of a URL, modification time in nanoseconds of a file; missing where nothing tells. */
  readonly version?: string | undefined;
  /** Of a Kudu server: the block, and where it begins in the file. */
  readonly block?: { readonly id: bigint; readonly offset: number } | undefined;
}

/** Files of the same rows, a column each. */
export interface FilePiece {
  readonly files: readonly (SplitFile & { readonly column: string })[];
  /** They begin and end with data blocks of one of the files. Missing: all rows. */
  readonly rows?: RowRange | undefined;
}

/** A row set, or some of its rows. A row is alive in one row set at most, so that each can be read by itself. */
export interface RowSetPiece {
  /** Of a Kudu server. */
  readonly tablet?: string | undefined;
  /** Number or, of a Kudu server, id. */
  readonly rowSet: bigint;
  /** Of a Kudu server: ids of all blocks of the row set with their roles, as one digest. */
  readonly blocks?: string | undefined;
  /** Those that are needed, by column id. */
  readonly columns: ReadonlyMap<number, SplitFile>;
  readonly adhocIndex?: SplitFile | undefined;
  /** Oldest first. */
  readonly redo: readonly SplitFile[];
  /** Newest first; none where the latest state is read. */
  readonly undo: readonly SplitFile[];
  /** They begin and end with data blocks of one of the columns. Missing: all rows. */
  readonly rows?: RowRange | undefined;
}

interface CommonSplit {
  /** 32 hexadecimal digits: a digest of all that the split says. */
  readonly id: string;
  /** Place among the splits that were made together, from 0: files that are named twice are in splits of their own. */
  readonly number: number;
  /** The columns that are needed, those of the key first; of CFiles without ids of their own. */
  readonly schema: readonly RowSetColumn[];
  /** Names of those that are wanted, in this order. */
  readonly columns: readonly string[];
  readonly where: readonly NamedCondition[];
  /** About how many rows are read. */
  readonly rows: number;
  /** About how many stored bytes these are. */
  readonly bytes: number;
}

/** A split of CFiles. */
export interface FileSplit extends CommonSplit {
  readonly kind: "cfiles";
  readonly pieces: readonly FilePiece[];
}

/** A split of a table of row sets, or of a tablet of Kudu. */
export interface RowSetSplit extends CommonSplit {
  readonly kind: "rowset" | "kudu";
  /** The state at this timestamp; missing: the latest one. */
  readonly asOf?: bigint | undefined;
  /** Of a Kudu server: its roots. */
  readonly dirs?: readonly string[] | undefined;
  readonly pieces: readonly RowSetPiece[];
}

/** A tablet, or its rows with keys from `from` (inclusive) to `to` (exclusive), encoded. */
export interface TabletPiece {
  readonly tablet: string;
  /** Ids of all blocks of the tablet with their roles, as one digest. */
  readonly blocks: string;
  readonly from?: Uint8Array | undefined;
  readonly to?: Uint8Array | undefined;
}

/** Rows of a tablet of a Kudu server, in key order. */
export interface TabletSplit extends CommonSplit {
  readonly kind: "tablet";
  /** The state at this timestamp; missing: the latest one. */
  readonly asOf?: bigint | undefined;
  /** The server's roots. */
  readonly dirs: readonly string[];
  /** Whether what is only in the write-ahead log is read too. */
  readonly withLog: boolean;
  /** Whether times are read whose history may be gone. */
  readonly partialHistory: boolean;
  readonly pieces: readonly TabletPiece[];
}

/** A piece of work that can be done by itself, on any machine that reaches its files. */
export type Split = FileSplit | RowSetSplit | TabletSplit;

/** A split without its id, which follows from the rest. */
export type SplitContent = Omit<FileSplit, "id"> | Omit<RowSetSplit, "id"> | Omit<TabletSplit, "id">;
