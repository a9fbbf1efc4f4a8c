/** The ledger of a tablet that was recovered from several replicas: the sources of its rows, and the rows that no replica has. */
import { type CFileError, compareBytes } from "@cfile/bytes";
import type { RowSetAccount } from "./recover-row-set.js";

/** Keys from `from` to `to`, both inclusive and encoded; a missing bound is open. */
export interface KeyInterval {
  readonly from: Uint8Array | undefined;
  readonly to: Uint8Array | undefined;
}

/** Consecutive rows from one replica. */
export interface SourceRange extends KeyInterval {
  /** UUID of the server, or `write-ahead logs` for rows that come from the operations of all logs. */
  readonly server: string;
  readonly rows: number;
}

/** Keys between which every replica has lost rows. */
export interface LostRange extends KeyInterval {
  /** The maximum number of lost rows, some of which may have been deleted; `undefined` if unknown. */
  readonly rows: number | undefined;
}

/** A row that undamaged replicas have with different cells, or that only some of them have. It is left out. */
export interface DifferentRow {
  /** Encoded. */
  readonly key: Uint8Array;
  /** UUIDs of the servers that have the row, in groups with equal cells. */
  readonly servers: readonly (readonly string[])[];
  /** UUIDs of the servers that do not have the row, although they lost nothing there. */
  readonly without: readonly string[];
}

/** The contribution of a replica. */
export interface ReplicaAccount {
  /** The server, as in {@link SourceRange}. */
  readonly server: string;
  /** `behind`: it lacks writes of the snapshot, so its rows may be out of date. */
  readonly use: "read" | "behind" | "unusable";
  /** Its damage: of the log, the consensus metadata, and missing blocks; or why it is unusable. */
  readonly problems: readonly CFileError[];
  /** Its damaged row sets. */
  readonly rowSets: readonly RowSetAccount[];
}

/** The result of recovering a tablet. */
export interface TabletLedger {
  readonly tablet: string;
  /** The snapshot that was read; `undefined` for the latest. */
  readonly asOf: bigint | undefined;
  /**
   * `earlier`: operations before the requested snapshot are or may be lost, so the last snapshot before them was read. `unknown`: no
   * log begins with operations that can be read; the rows are those that one replica has flushed, and may be out of date.
   */
  readonly snapshot: "requested" | "earlier" | "unknown";
  readonly rows: number;
  /**
   * Whether no row and no operation is lost, and no row is left out. For a single replica, a last log entry that a crash has left
   * incomplete does not count: see `ReplayedLog.torn`.
   */
  readonly complete: boolean;
  readonly replicas: readonly ReplicaAccount[];
  /** In key order. */
  readonly sources: readonly SourceRange[];
  /** In key order. */
  readonly lost: readonly LostRange[];
  /** At most 1000 are listed. */
  readonly different: readonly DifferentRow[];
  readonly rowsDifferent: number;
  /** UUIDs of voters whose logs are missing or damaged, as in `TabletWrites`. */
  readonly unseen: readonly string[];
}

const MAX_RANGES = 10_000;
const MAX_DIFFERENT = 1000;

interface OpenRange extends KeyInterval {
  to: Uint8Array | undefined;
  rows: number;
  readonly source: string;
}

interface OpenGap extends KeyInterval {
  to: Uint8Array | undefined;
  /** Number of lost rows by replica. */
  readonly rows: readonly number[];
}

/** Collects the ranges that a merge finds, in key order. */
export class LedgerRanges {
  readonly different: DifferentRow[] = [];
  rows = 0;
  rowsDifferent = 0;
  private readonly given: OpenRange[] = [];
  private readonly gaps: OpenGap[] = [];
  private readonly keys: (LostRange & { readonly rows: number })[] = [];
  private isKeyLost = false;

  /** Adds rows from a server. Ranges beyond the maximum are counted in the last one of their server. */
  addRows(source: string, from: Uint8Array, to: Uint8Array, rows: number): void {
    this.isKeyLost = false;
    this.rows += rows;
    const { given } = this;
    const isFull = given.length >= MAX_RANGES;
    const last = isFull ? given.findLast((range) => range.source === source) : given.at(-1);
    if (last?.source === source) {
      last.to = to;
      last.rows += rows;
    } else {
      given.push({ source, from, to, rows });
    }
  }

  /** Adds a key that every replica has lost. */
  addLostKey(key: Uint8Array): void {
    const last = this.keys.at(-1);
    if (last !== undefined && (this.isKeyLost || this.keys.length >= MAX_RANGES)) {
      this.keys.splice(-1, 1, { from: last.from, to: key, rows: last.rows + 1 });
    } else {
      this.keys.push({ from: key, to: key, rows: 1 });
    }
    this.isKeyLost = true;
  }

  /** Whether a gap that starts at this key continues the last one. */
  continuesGap(from: Uint8Array | undefined): boolean {
    const to = this.gaps.at(-1)?.to;
    return to !== undefined && from !== undefined && compareBytes(to, from) === 0;
  }

  /**
   * Adds keys between which every replica has lost rows with unknown keys.
   *
   * @param rows by replica: number of rows that are not counted yet in the gap that this one continues
   */
  addGap(from: Uint8Array | undefined, to: Uint8Array | undefined, rows: readonly number[]): void {
    this.isKeyLost = false;
    const { gaps } = this;
    const last = gaps.at(-1);
    if (last !== undefined && (this.continuesGap(from) || gaps.length >= MAX_RANGES)) {
      const sums = last.rows.map((count, i) => count + (rows[i] as number));
      gaps.splice(-1, 1, { from: last.from, to, rows: sums });
    } else {
      gaps.push({ from, to, rows });
    }
  }

  addDifference(row: DifferentRow): void {
    this.isKeyLost = false;
    this.rowsDifferent++;
    if (this.different.length < MAX_DIFFERENT) {
      this.different.push(row);
    }
  }

  get sources(): readonly SourceRange[] {
    return this.given.map(({ source, from, to, rows }) => ({ server: source, from, to, rows }));
  }

  get lost(): readonly LostRange[] {
    const gaps = this.gaps.map(({ from, to, rows: counts }) => {
      const rows = Math.min(...counts);
      return { from, to, rows: Number.isFinite(rows) ? rows : undefined };
    });
    const start = ({ from }: LostRange): Uint8Array => from ?? new Uint8Array(0);
    return [...gaps, ...this.keys].sort((left, right) => compareBytes(start(left), start(right)));
  }
}

/** The ledger of a finished merge. */
export function ledgerOf(
  known: Pick<TabletLedger, "tablet" | "asOf" | "snapshot" | "replicas" | "unseen">,
  { rows, rowsDifferent, sources, lost, different }: LedgerRanges,
): TabletLedger {
  const complete = lost.length === 0 && rowsDifferent === 0 && known.snapshot === "requested";
  return { ...known, rows, complete, sources, lost, different, rowsDifferent };
}
