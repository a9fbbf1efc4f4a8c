/**
 * The diff of a damaged tablet: two recovered snapshots, compared by key. Unlike the diff of an undamaged tablet, it has no row that
 * changed and changed back. Keys that a ledger lists as lost or different are left out, since their rows are unknown.
 */
import { CFileError, compareBytes } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import { checkBatchRows } from "@cfile/rowset";
import type { KuduTablet } from "../read/kudu-tablet.js";
import type { TabletChangeOptions, TabletScanOptions } from "../read/tablet-options.js";
import { joinRuns, type KeyedProjection, keyedProjection, type RowRun, validRows } from "./keyed-rows.js";
import { PartCursor } from "./part-cursor.js";
import { sameRow } from "./same-cells.js";
import type { KeyInterval, TabletLedger } from "./tablet-ledger.js";

/** Rows that differ between two snapshots, as of the later one. */
export interface RecoveredChanges extends TableBatch {
  /** Per row: 1 when it is deleted, with its cells at the earlier snapshot; else 0. */
  readonly deleted: Uint8Array;
}

type RecoverableTablet = Pick<KuduTablet, "id" | "schema" | "recover">;

/**
 * The rows that differ between the snapshots at `from` and at `to`, in key order. Recovers both snapshots twice.
 *
 * @param onLedger called before the first row: for the later snapshot, and for the earlier one if it is not complete
 * @throws {CFileError} `E_NOT_FOUND` if the operations before one of the snapshots are lost; as `KuduTablet.recover`
 */
export async function* recoveredDiff(
  tablet: RecoverableTablet,
  from: bigint,
  to: bigint,
  options: TabletChangeOptions,
  onLedger: (ledger: TabletLedger) => void,
): AsyncGenerator<RecoveredChanges, void, void> {
  const projection = keyedProjection(tablet.schema, options.columns);
  const settings = { ...options, columns: projection.columns };
  const start = await ledgerAt(tablet, "from", { ...settings, asOf: from });
  const end = await ledgerAt(tablet, "to", { ...settings, asOf: to });
  if (!start.complete) {
    onLedger(start);
  }
  onLedger(end);
  const cursorAt = (asOf: bigint): PartCursor =>
    new PartCursor(
      0,
      validRows(
        tablet.recover({ ...settings, asOf }, () => undefined),
        projection,
      ),
    );
  const earlier = cursorAt(from);
  const later = cursorAt(to);
  const unknown = [new UnknownKeys(start), new UnknownKeys(end)];
  const batchRows = checkBatchRows(options.batchRows);
  const changes = new Changes(projection);
  try {
    await Promise.all([earlier.load(), later.load()]);
    while (!earlier.isAtEnd || !later.isAtEnd) {
      const isDeleted = later.isAtEnd || (!earlier.isAtEnd && earlier.isBefore(later));
      const isInserted = !isDeleted && (earlier.isAtEnd || later.isBefore(earlier));
      const source = isDeleted ? earlier : later;
      const isChanged = isDeleted || isInserted || !isSame(earlier, later, projection.requested);
      if (isChanged && !unknown.some((keys) => keys.has(source.key))) {
        changes.add(source, isDeleted);
      }
      for (const used of isDeleted || isInserted ? [source] : [earlier, later]) {
        if (!used.skip()) {
          await used.load();
        }
      }
      if (changes.rows >= batchRows) {
        yield* changes.take();
      }
    }
    yield* changes.take();
  } finally {
    await Promise.all([earlier.close(), later.close()]);
  }
}

async function ledgerAt(
  tablet: RecoverableTablet,
  field: "from" | "to",
  options: TabletScanOptions,
): Promise<TabletLedger> {
  const ledgers: TabletLedger[] = [];
  const rows = tablet.recover(
    options,
    () => undefined,
    (ledger) => ledgers.push(ledger),
  );
  for await (const _ of rows) {
    // The ledger comes after the last row.
  }
  const [ledger] = ledgers;
  if (ledger?.snapshot !== "requested") {
    const reason = `tablet ${tablet.id}: operations before ${options.asOf} are lost, so that what changed is unknown`;
    throw new CFileError("E_NOT_FOUND", reason, { field });
  }
  return ledger;
}

function isSame(left: PartCursor, right: PartCursor, columns: number): boolean {
  return sameRow(left.batch, left.row, right.batch, right.row, columns);
}

/** The keys of a snapshot whose rows are unknown. Keys must be looked up in ascending order. */
class UnknownKeys {
  private readonly intervals: readonly KeyInterval[];
  private next = 0;

  constructor({ lost, different, rowsDifferent, tablet }: TabletLedger) {
    if (rowsDifferent > different.length) {
      const reason = `tablet ${tablet}: ${rowsDifferent} rows differ between undamaged replicas (maximum ${different.length})`;
      throw new CFileError("E_LIMIT", reason, { field: "recover" });
    }
    const start = ({ from }: KeyInterval): Uint8Array => from ?? new Uint8Array(0);
    this.intervals = [...lost, ...different.map(({ key }) => ({ from: key, to: key }))].sort((left, right) =>
      compareBytes(start(left), start(right)),
    );
  }

  has(key: Uint8Array): boolean {
    const { intervals } = this;
    for (let to = intervals[this.next]?.to; to !== undefined && compareBytes(to, key) < 0; ) {
      this.next++;
      to = intervals[this.next]?.to;
    }
    // Later intervals do not begin before this one.
    const next = intervals[this.next];
    return next !== undefined && (next.from === undefined || compareBytes(next.from, key) <= 0);
  }
}

/** The changed rows of the next batch. */
class Changes {
  rows = 0;
  private runs: RowRun[] = [];
  private deleted: number[] = [];
  private readonly requested: number;

  constructor({ requested }: KeyedProjection) {
    this.requested = requested;
  }

  add(cursor: PartCursor, isDeleted: boolean): void {
    const { batch, row } = cursor;
    const last = this.runs.at(-1);
    if (last?.batch === batch && last.to === row) {
      last.to++;
    } else {
      this.runs.push({ batch, from: row, to: row + 1 });
    }
    this.deleted.push(isDeleted ? 1 : 0);
    this.rows++;
  }

  *take(): Generator<RecoveredChanges, void, void> {
    const [first, ...others] = this.runs;
    if (first !== undefined) {
      yield { ...joinRuns([first, ...others], this.requested), deleted: Uint8Array.from(this.deleted) };
    }
    this.runs = [];
    this.deleted = [];
    this.rows = 0;
  }
}
