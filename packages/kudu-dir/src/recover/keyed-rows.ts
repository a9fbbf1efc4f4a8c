/**
 * The rows of one replica with their keys, in key order, for the merge of several replicas: live rows, lost rows whose key
 * is known, and gaps, in which rows with unknown keys are lost.
 */
import { type ColumnBatch, rowNumbers } from "@cfile/encodings";
import { concatBatches, type TableBatch } from "@cfile/encodings/batches";
import { encodeRowKeys, type RowKeys, type RowScanOptions, type RowSetSchema } from "@cfile/rowset";
import type { RecoveredRowSet } from "./recover-row-set.js";

/** What a replica knows about a key. `hidden`: nothing, even if another part of the replica has a live row. */
export const ROW = { live: 0, lost: 1, dead: 2, hidden: 3 } as const;

/** Keys in ascending order. */
export interface KeyedRows {
  readonly keys: RowKeys;
  /** The live rows. */
  readonly batch: TableBatch;
  /** If missing, key `i` is live and is row `i` of the batch. */
  readonly entries?: KeyEntries | undefined;
}

/** The known keys among `keys`, in parallel arrays. */
interface KeyEntries {
  readonly length: number;
  /** Indexes in `keys`. */
  readonly keys: Int32Array;
  /** Values of {@link ROW}. */
  readonly states: Uint8Array;
  /** For live rows: the row in the batch. */
  readonly rows: Int32Array;
  /** Number of lost rows with unknown keys between the previous key and this one. */
  readonly gaps: Float64Array;
}

/** Rows and gaps. Returns the number of rows lost after the last key, infinite if unknown. */
export type KeyedStream = AsyncGenerator<KeyedRows, number, void>;

/** The columns to read, so that rows can be merged by key. */
export interface KeyedProjection {
  /** The requested columns, then the key columns that were not requested. */
  readonly columns: readonly string[];
  /** Number of requested columns. */
  readonly requested: number;
  /** Positions of the key columns in `columns`. */
  readonly keyPositions: readonly number[];
}

export function keyedProjection(
  schema: RowSetSchema,
  names: readonly string[] = schema.columns.map(({ name }) => name),
): KeyedProjection {
  const columns = [...names];
  const keys = schema.columns.filter(({ isKey }) => isKey);
  const keyPositions = keys.map(({ name }) => {
    const position = columns.indexOf(name);
    return position >= 0 ? position : columns.push(name) - 1;
  });
  return { columns, requested: names.length, keyPositions };
}

/** The rows of undamaged row sets. */
export async function* validRows(
  batches: AsyncIterable<TableBatch>,
  { keyPositions }: KeyedProjection,
): KeyedStream {
  for await (const batch of batches) {
    yield { keys: keysOf(batch, keyPositions), batch };
  }
  return 0;
}

/** Keys without any known row. */
export async function* hiddenKeys(ascending: readonly Uint8Array[]): KeyedStream {
  for (const key of ascending) {
    yield singleKey(key, ROW.hidden, 0);
  }
  return 0;
}

/** The smallest and the largest key of a row set, whose rows may be deleted. */
export interface KeyBounds {
  readonly minKey: Uint8Array;
  readonly maxKey: Uint8Array;
}

const STEP = 16384;
const NO_ROWS: TableBatch = { length: 0, firstRow: 0, names: [], columns: [] };

/**
 * The rows of a damaged row set.
 *
 * @param bounds if known
 */
export async function* recoveredRows(
  rowSet: RecoveredRowSet,
  { columns }: KeyedProjection,
  options: RowScanOptions,
  bounds: KeyBounds | undefined,
): KeyedStream {
  const { rows: rowCount } = rowSet.account;
  const { keys: known } = rowSet;
  const isKeyLost = (row: number): boolean => known === undefined || known.lost.has(row);
  let gap = 0;
  if (bounds !== undefined && rowCount > 0 && isKeyLost(0)) {
    yield singleKey(bounds.minKey, ROW.lost, 0);
    gap = -1;
  }
  for (let from = 0; from < rowCount; from += STEP) {
    const to = Math.min(rowCount, from + STEP);
    const live = await joined(rowSet.scan({ ...options, columns, rows: { from, to } }));
    const keys = await keysIn(rowSet, from, to);
    if (keys === undefined) {
      gap += to - from;
      continue;
    }
    const numbers = live === undefined ? [] : rowNumbers(live);
    const entries = new EntryList(to - from);
    for (let row = from, next = 0; row < to; row++) {
      const isLive = numbers[next] === row;
      next += isLive ? 1 : 0;
      if (isKeyLost(row)) {
        gap++;
        continue;
      }
      const state = isLive ? ROW.live : rowSet.isLost(row) ? ROW.lost : ROW.dead;
      // A deleted row matters only as the bound of a gap.
      if (state !== ROW.dead || gap > 0 || (row + 1 < rowCount && isKeyLost(row + 1))) {
        entries.add(row - from, state, isLive ? next - 1 : -1, gap);
        gap = 0;
      }
    }
    yield { keys, batch: live ?? NO_ROWS, entries };
  }
  if (bounds !== undefined && rowCount > 1 && isKeyLost(rowCount - 1)) {
    yield singleKey(bounds.maxKey, ROW.lost, gap - 1);
    gap = 0;
  }
  return bounds === undefined && !rowSet.isCounted ? Number.POSITIVE_INFINITY : Math.max(0, gap);
}

class EntryList implements KeyEntries {
  length = 0;
  readonly keys: Int32Array;
  readonly states: Uint8Array;
  readonly rows: Int32Array;
  readonly gaps: Float64Array;

  constructor(capacity: number) {
    this.keys = new Int32Array(capacity);
    this.states = new Uint8Array(capacity);
    this.rows = new Int32Array(capacity);
    this.gaps = new Float64Array(capacity);
  }

  add(key: number, state: number, row: number, gap: number): void {
    const at = this.length++;
    this.keys[at] = key;
    this.states[at] = state;
    this.rows[at] = row;
    this.gaps[at] = gap;
  }
}

function singleKey(key: Uint8Array, state: number, gap: number): KeyedRows {
  const entries = new EntryList(1);
  entries.add(0, state, -1, Math.max(0, gap));
  return {
    keys: { length: 1, offsets: Int32Array.of(0, key.length), data: key },
    batch: NO_ROWS,
    entries,
  };
}

/** The keys of rows `from` to `to` (exclusive), with fillers for lost keys; `undefined` if a key column is unusable. */
async function keysIn({ keys }: RecoveredRowSet, from: number, to: number): Promise<RowKeys | undefined> {
  const range = { from: [BigInt(from)], to: [BigInt(to)] };
  const all = keys && (await joined(keys.reader.scan({ columns: keys.names, keys: range })));
  return all && encodeRowKeys(all.columns);
}

function keysOf({ columns }: TableBatch, keyPositions: readonly number[]): RowKeys {
  return encodeRowKeys(keyPositions.map((position) => columns[position] as ColumnBatch));
}

/** All batches as one; `undefined` without rows. */
async function joined(batches: AsyncIterable<TableBatch>): Promise<TableBatch | undefined> {
  const runs: RowRun[] = [];
  for await (const batch of batches) {
    runs.push({ batch, from: 0, to: batch.length });
  }
  const [first, ...others] = runs;
  return first && joinRuns([first, ...others]);
}

/** Rows `from` (inclusive) to `to` (exclusive) of a batch. */
export interface RowRun {
  readonly batch: TableBatch;
  readonly from: number;
  to: number;
}

/**
 * All runs as one batch.
 *
 * @param requested number of columns to join, starting with the first; default: all
 */
export function joinRuns(
  runs: readonly [RowRun, ...RowRun[]],
  requested = runs[0].batch.columns.length,
): TableBatch {
  const [first, ...others] = runs;
  const rangeOf = (column: number) => (run: RowRun) => ({
    batch: run.batch.columns[column] as ColumnBatch,
    from: run.from,
    to: run.to,
  });
  const columns = first.batch.columns
    .slice(0, requested)
    .map((_, i) => concatBatches([rangeOf(i)(first), ...others.map(rangeOf(i))]));
  const rows = Float64Array.from(
    runs.flatMap(({ batch, from, to }) => [...rowNumbers(batch).subarray(from, to)]),
  );
  return {
    length: rows.length,
    // A run has at least one row.
    firstRow: rows[0] as number,
    rows,
    names: first.batch.names.slice(0, requested),
    columns,
  };
}
