/** The messages between the page and its worker. Everything can be cloned; numbers are safe integers; cells are text. */
import type { CompressionType } from "@cfile/compression";
import type { EncodingType } from "@cfile/encodings";
import type { ByteNote } from "@cfile/format/blocks";

/** A file on this machine, a URL that is read in ranges, bytes, or a file that the host of the page reads. */
export interface GivenFile {
  /** Name, with its folders if there are any. */
  readonly path: string;
  readonly blob?: Blob;
  readonly url?: string;
  readonly bytes?: Uint8Array;
  /** Its number in the host's messages. */
  readonly host?: number;
  /** Whether the host reads it from a URL. */
  readonly isRemote?: boolean;
}

/** A request to the host: for a range, or, without a length, for the size. */
export interface HostRead {
  readonly id: number;
  readonly file: number;
  readonly offset: number;
  readonly length?: number | undefined;
}

export interface HostAnswer {
  readonly id: number;
  readonly size?: number | undefined;
  readonly bytes?: Uint8Array | undefined;
  readonly error?: ErrorView | undefined;
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

export type TabName = "timeline" | "replicas" | "regions" | "map" | "data" | "profile" | "compare";

export interface Fact {
  readonly label: string;
  readonly value: string;
}

export interface ColumnView {
  readonly name: string;
  readonly type: string;
  readonly align: "left" | "right";
}

/** A file, a table or a folder. */
export interface DocView {
  readonly id: number;
  readonly title: string;
  readonly kind: DocKind;
  readonly facts: readonly Fact[];
  readonly tabs: readonly TabName[];
  readonly columns: readonly ColumnView[];
  /** `undefined` if rows are not counted; scrolling then finds them. */
  readonly rowCount: number | undefined;
  /** Placeholder of the search field; `undefined` without a search. */
  readonly searchHint: string | undefined;
  /** Damage found when the file was opened. */
  readonly problem: ErrorView | undefined;
  /** Types to choose from if the footer, which states the type, is lost. */
  readonly types: readonly string[];
  readonly hasChildren: boolean;
}

export interface NodeView extends Pick<DocView, "id" | "kind" | "hasChildren"> {
  readonly label: string;
  readonly detail: string;
}

export interface ErrorView {
  readonly code: string;
  readonly reason: string;
  readonly position: string;
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

export type Health = "unchecked" | "valid" | "damaged";

export interface PartView {
  readonly index: number;
  readonly kind: PartKind;
  readonly offset: number;
  readonly size: number;
  readonly label: string;
  /** First row and number of rows, where known. */
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
  readonly kind: "posidx" | "validx";
  readonly title: string;
  readonly levels: number;
  /** Index of the root's part; its nodes are requested one by one. */
  readonly root: number;
}

interface TreeNodeView {
  readonly leaf: boolean;
  /** The first thousand entries. `part` is -1 for an entry that does not lead to a part of the map. */
  readonly entries: readonly { readonly key: string; readonly part: number; readonly offset: number }[];
  readonly entryCount: number;
}

export interface PartDetail {
  readonly part: PartView;
  readonly fields: readonly Fact[];
  /** How to read it, in sentences. */
  readonly explanation: string;
  /** The bytes as stored in the file. */
  readonly stored: AnnotatedBytes;
  /** The expanded bytes, if they differ. */
  readonly content: AnnotatedBytes | undefined;
  /** Its first values. */
  readonly values: readonly string[];
  readonly valueCount: number;
  readonly problem: ErrorView | undefined;
}

export interface AnnotatedBytes {
  /** File offset of the first byte; 0 for expanded bytes. */
  readonly base: number;
  readonly bytes: Uint8Array;
  /** Total length; `bytes` may be only a prefix. */
  readonly length: number;
  readonly notes: readonly ByteNote[];
}

/** A cell: text, null, or the reason why it is lost. */
export type CellView = string | null | { readonly lost: string };

export type RowView = readonly CellView[];

export interface RowsView {
  readonly rows: readonly RowView[];
  /** Whether these are the last rows. */
  readonly end: boolean;
}

export interface FoundView {
  readonly row?: number | undefined;
  readonly text: string;
  /** Parts that the search read, in order. */
  readonly touched?: readonly number[];
}

export interface HealthView {
  readonly checked: number;
  readonly total: number;
  /** Newly checked parts; `problem` says why a part is damaged. */
  readonly parts: readonly Pick<PartView, "index" | "health" | "problem">[];
}

export interface CheckView {
  readonly ok: boolean;
  readonly checksums: boolean;
  readonly problems: readonly ErrorView[];
  /** What can be recovered; `undefined` if recovery does not apply. */
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
  /** Number of distinct values; an estimate above a thousand. */
  readonly distinct: number;
  readonly distinctExact: boolean;
  readonly histogram: HistogramView | undefined;
  readonly top: readonly { readonly value: string; readonly count: number }[];
  readonly seconds: number;
}

export interface HistogramView {
  readonly title: string;
  /** Lower bound of each bin; all bins have the same width. */
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
  /** How to print a bound: as a number, as days or as microseconds. */
  readonly axis: "number" | "date" | "time";
}

export interface CandidateView {
  readonly encoding: EncodingType;
  readonly compression: CompressionType;
  readonly bytes: number;
  readonly bytesPerRow: number;
  readonly writeRowsPerSecond: number;
  readonly readRowsPerSecond: number;
  /** Whether the file has this encoding and codec. */
  readonly current: boolean;
}

export interface CompareView {
  readonly rows: number;
  readonly rowsTotal: number;
  readonly candidates: readonly CandidateView[];
}

/** The instants of a table's timeline, on one axis. */
export interface TimelineView {
  readonly instants: readonly InstantView[];
}

interface InstantView {
  readonly requested: string;
  readonly action: string;
  /** `archived` for completed instants that are no longer active. */
  readonly state: "requested" | "inflight" | "completed" | "archived";
  /** Completion time; empty if not completed. */
  readonly completed: string;
  /** Start and end of its bar, from 0 to 1. A pending instant ends at 1. */
  readonly start: number;
  readonly end: number;
}

/** Replicas of a tablet side by side. */
export interface ComparisonView {
  /** The server of each replica. */
  readonly replicas: readonly string[];
  /** Servers that should have a replica and are not in the folders. */
  readonly missing: readonly string[];
  readonly rows: readonly ComparedProperty[];
}

interface ComparedProperty {
  readonly label: string;
  /** One per replica. */
  readonly values: readonly string[];
  readonly differs: boolean;
}

/** The regions of a table in the order of their rows. */
export interface RegionsView {
  readonly regions: readonly {
    readonly name: string;
    /** First row, inclusive, and end row `to`, exclusive; empty at the ends of the table. */
    readonly from: string;
    readonly to: string;
    readonly files: number;
    readonly bytes: number;
    readonly cells: number;
  }[];
}

export type ExportFormat = "cfile" | "csv" | "ndjson" | "arrow" | "parquet";

export interface ExportRequest {
  readonly format: ExportFormat;
  readonly encoding?: EncodingType;
  readonly compression?: CompressionType;
}

export interface Exported {
  readonly name: string;
  readonly blob: Blob;
  readonly rows: number;
}

type Id = Pick<DocView, "id">;

/** Calls of the worker: argument and result. */
export interface Calls {
  open: [Given, DocView];
  doc: [Id, DocView];
  children: [Id, readonly NodeView[]];
  /** Releases the document and those below it. */
  close: [Id, null];
  retype: [Id & { readonly type: string }, DocView];
  map: [Id, MapView];
  tree: [Id & { readonly tree: number; readonly part: number }, TreeNodeView];
  part: [Id & { readonly part: number }, PartDetail];
  check: [Id, CheckView];
  rows: [Id & { readonly from: number; readonly to: number }, RowsView];
  find: [Id & { readonly text: string }, FoundView];
  profile: [Id & { readonly column: number }, ProfileView];
  compare: [Id, CompareView];
  timeline: [Id, TimelineView];
  replicas: [Id, ComparisonView];
  digests: [Id, ComparisonView];
  regions: [Id, RegionsView];
  export: [Id & ExportRequest, Exported];
  recover: [Id, Exported];
}

export type CallName = keyof Calls;

export type Request = { [N in CallName]: { readonly name: N; readonly argument: Calls[N][0] } }[CallName];

export type ToWorker =
  | (Request & { readonly call: number })
  | { readonly cancel: number }
  /** The other end answers reads: {@link HostRead}, {@link HostAnswer}. */
  | { readonly host: MessagePort };

export type FromWorker =
  | { readonly call: number; readonly result: unknown }
  | { readonly call: number; readonly error: ErrorView }
  | { readonly call: number; readonly progress: unknown };
