/** What the page and its worker say to each other. Everything can be cloned; numbers are safe integers; cells are text. */
import type { ByteNote } from "@cfile/format/blocks";

/** Where bytes come from: a file of this machine, a handle of one, or a URL that is asked for ranges. */
export interface GivenFile {
  /** Name, with folders in front if there are any. */
  readonly path: string;
  readonly blob?: Blob;
  readonly url?: string;
}

export type Given =
  | { readonly kind: "files"; readonly files: readonly GivenFile[] }
  | { readonly kind: "folder"; readonly handle: FileSystemDirectoryHandle };

export type DocKind =
  | "column"
  | "damaged"
  | "bloom"
  | "delta"
  | "hfile"
  | "parquet"
  | "table"
  | "folder"
  | "unknown";

export type TabName = "map" | "data" | "profile" | "compare";

export interface Fact {
  readonly label: string;
  readonly value: string;
}

export interface ColumnView {
  readonly name: string;
  readonly type: string;
  readonly align: "left" | "right";
}

/** Something that can be looked at: a file, a table, a folder. */
export interface DocView {
  readonly id: number;
  readonly title: string;
  readonly kind: DocKind;
  readonly facts: readonly Fact[];
  readonly tabs: readonly TabName[];
  readonly columns: readonly ColumnView[];
  /** Rows of the table; `undefined` when they are not counted: they are then found by scrolling. */
  readonly rowCount: number | undefined;
  /** What a search takes, as a placeholder; `undefined` when there is none. */
  readonly searchHint: string | undefined;
  /** What is wrong with it, as far as opening showed. */
  readonly problem: ErrorView | undefined;
  /** A type must be chosen before rows can be saved: the footer that told it is lost. */
  readonly needsType: boolean;
  readonly hasChildren: boolean;
}

export interface NodeView {
  readonly id: number;
  readonly label: string;
  readonly detail: string;
  readonly kind: DocKind;
  readonly hasChildren: boolean;
}

export interface ErrorView {
  readonly code: string;
  readonly reason: string;
  readonly place: string;
}

export type PartKind =
  | "header"
  | "data"
  | "posidx"
  | "validx"
  | "index"
  | "dictionary"
  | "bloom"
  | "delta"
  | "metadata"
  | "footer"
  | "unknown"
  | "lost";

export type Health = "unchecked" | "sound" | "damaged";

export interface PartView {
  readonly index: number;
  readonly kind: PartKind;
  readonly offset: number;
  readonly size: number;
  readonly label: string;
  /** First row and rows, where they are known. */
  readonly firstRow?: number | undefined;
  readonly rows?: number | undefined;
  readonly health: Health;
  readonly problem?: string | undefined;
}

export interface MapView {
  readonly fileSize: number;
  readonly parts: readonly PartView[];
  readonly trees: readonly TreeView[];
}

export interface TreeView {
  readonly kind: "posidx" | "validx" | "index";
  readonly title: string;
  readonly levels: number;
  /** Part of the root; entries are asked for node by node. */
  readonly root: number;
}

interface TreeEntry {
  readonly key: string;
  /** The part that it leads to; -1 for one that is on no map. */
  readonly part: number;
  readonly offset: number;
  readonly size: number;
}

export interface TreeNodeView {
  readonly part: number;
  readonly leaf: boolean;
  readonly entries: readonly TreeEntry[];
  /** Entries in all; only the first thousand are told. */
  readonly entryCount: number;
}

export interface PartDetail {
  readonly part: PartView;
  readonly fields: readonly Fact[];
  /** How to read it, in sentences. */
  readonly explanation: string;
  /** As it stands in the file. */
  readonly stored: AnnotatedBytes;
  /** Expanded, where that is something else. */
  readonly content: AnnotatedBytes | undefined;
  /** Its first values. */
  readonly values: readonly string[];
  readonly valueCount: number;
  readonly problem: ErrorView | undefined;
}

export interface AnnotatedBytes {
  /** Where the first byte stands in the file; 0 for expanded bytes. */
  readonly base: number;
  readonly bytes: Uint8Array;
  /** Length of the whole; above `bytes.length` when only the beginning is told. */
  readonly length: number;
  readonly notes: readonly ByteNote[];
}

/** A cell: text, or null; lost cells are `{ lost }` with the reason. */
export type CellView = string | null | { readonly lost: string };

export interface RowsView {
  readonly from: number;
  /** A row an entry, a column a cell. */
  readonly rows: readonly (readonly CellView[])[];
  /** Whether nothing follows, where rows are not counted. */
  readonly end: boolean;
}

export interface FoundView {
  readonly row: number | undefined;
  readonly exact: boolean;
  readonly text: string;
  /** Parts that were read for it, in order. */
  readonly touched: readonly number[];
}

export interface HealthView {
  readonly checked: number;
  readonly total: number;
  /** Parts whose health is now known, and why where it is bad. */
  readonly parts: readonly { readonly index: number; readonly health: Health; readonly problem?: string }[];
}

export interface CheckView {
  readonly ok: boolean;
  readonly checksums: boolean;
  readonly problems: readonly ErrorView[];
  /** What `recover` would save; `undefined` where that does not apply. */
  readonly recovery: RecoveryView | undefined;
}

export interface RecoveryView {
  readonly rowsKept: number;
  readonly rowsLost: number;
  readonly rowsUnverified: number;
  readonly rowsTotal: number | undefined;
  readonly lost: readonly string[];
}

export interface ProfileView {
  readonly rows: number;
  readonly nulls: number;
  readonly min: string | undefined;
  readonly max: string | undefined;
  /** About so many distinct values; exact up to a thousand. */
  readonly distinct: number;
  readonly distinctExact: boolean;
  readonly histogram: HistogramView | undefined;
  readonly top: readonly { readonly value: string; readonly count: number }[];
  readonly seconds: number;
}

export interface HistogramView {
  readonly title: string;
  /** Lower bound of each bin; the bins are equally wide. */
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
  /** Text of a bound: numbers, days or microseconds. */
  readonly axis: "number" | "date" | "time";
}

export interface CandidateView {
  readonly encoding: string;
  readonly compression: string;
  readonly bytes: number;
  readonly bytesPerRow: number;
  readonly writeRowsPerSecond: number;
  readonly readRowsPerSecond: number;
  /** Whether the file is made so. */
  readonly current: boolean;
}

export interface CompareView {
  readonly rows: number;
  readonly rowsTotal: number;
  readonly candidates: readonly CandidateView[];
}

export type ExportFormat = "cfile" | "csv" | "ndjson" | "arrow" | "parquet";

export interface ExportRequest {
  readonly id: number;
  readonly format: ExportFormat;
  readonly encoding?: string;
  readonly compression?: string;
}

export interface Exported {
  readonly name: string;
  readonly blob: Blob;
  readonly rows: number;
}

/** What the worker can be asked for: argument and answer. */
export interface Calls {
  open: [Given, DocView];
  doc: [{ readonly id: number }, DocView];
  children: [{ readonly id: number }, readonly NodeView[]];
  map: [{ readonly id: number }, MapView];
  tree: [{ readonly id: number; readonly part: number; readonly tree: number }, TreeNodeView];
  part: [{ readonly id: number; readonly part: number }, PartDetail];
  check: [{ readonly id: number }, CheckView];
  rows: [{ readonly id: number; readonly from: number; readonly to: number }, RowsView];
  find: [{ readonly id: number; readonly text: string }, FoundView];
  profile: [{ readonly id: number; readonly column: number }, ProfileView];
  compare: [{ readonly id: number; readonly column: number }, CompareView];
  export: [ExportRequest, Exported];
  recover: [{ readonly id: number; readonly type?: string }, Exported];
  retype: [{ readonly id: number; readonly type: string }, DocView];
}

export type CallName = keyof Calls;

export type ToWorker =
  | { readonly call: number; readonly name: CallName; readonly argument: unknown }
  | { readonly cancel: number };

export type FromWorker =
  | { readonly call: number; readonly result: unknown }
  | { readonly call: number; readonly error: ErrorView }
  | { readonly call: number; readonly progress: unknown };
