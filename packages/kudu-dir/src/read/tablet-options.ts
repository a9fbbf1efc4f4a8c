/** Options for reading a tablet, and the notices of such a read. */
import type { CFileError } from "@cfile/bytes";
import type { DiffOptions, HistoryOptions, LookUpOptions, RowScanOptions } from "@cfile/rowset";

/** What a read accepts instead of failing. */
export interface Tolerance {
  /** Called for each row set that is left out because a block is missing or it cannot be opened. Default: throw that error. */
  readonly onUnreadable?: ((problem: UnreadablePart) => void) | undefined;
  /** For clusters: called when a tablet was read from a replica other than the preferred one. */
  readonly onOtherReplica?: ((notice: ReplicaNotice) => void) | undefined;
  /** Allow snapshots older than the retained history; results may be incomplete. Default `false`: an error. */
  readonly partialHistory?: boolean | undefined;
  /** Include unflushed writes from the write-ahead log. A log that is damaged before its last entry is an error. Default `false`. */
  readonly withLog?: boolean | undefined;
  /** Read tablets that are not in the state `ready`. Default `false`. */
  readonly anyState?: boolean | undefined;
}

/** Why a replica was not read. */
export interface SkippedReplica {
  /** UUID of the server. */
  readonly server: string;
  readonly error: CFileError;
}

/** A tablet that was read from a replica other than the preferred one. */
export interface ReplicaNotice {
  readonly tablet: string;
  /** UUID of the server whose replica was read. */
  readonly server: string;
  readonly skipped: readonly SkippedReplica[];
}

/** A part of a table that could not be read, and why. */
export interface UnreadablePart {
  readonly tablet: string;
  /** `undefined` for the whole tablet. */
  readonly rowSet: bigint | undefined;
  readonly error: CFileError;
}

/** Options of a scan. */
export type TabletScanOptions = RowScanOptions & Tolerance;
/** Options of a diff. */
export type TabletChangeOptions = DiffOptions & Tolerance;
/** Options of a lookup. */
export type TabletLookUpOptions = LookUpOptions & Tolerance;
/** Options of reading a row's versions. */
export type TabletHistoryOptions = HistoryOptions & Tolerance;
