/** Merges the rows of several row sets in key order. */
import type { ColumnBatch } from "@cfile/encodings";
import { type BatchRange, concatBatches, sliceRows, type TableBatch } from "@cfile/encodings/batches";
import type { DiffBatch } from "../delta/row-changes.js";
import { keyColumns, type RowSetSchema } from "../schema/schema.js";
import { leading, MergeInput } from "./merge-input.js";

/** Runs of at least this many rows become separate batches that share the input's memory. */
const MIN_SHARED_ROWS = 1024;

/** The columns to read so that keys can be compared. */
export interface MergeProjection {
  /** The requested columns, then the key columns that were not requested. */
  readonly columns: readonly string[];
  /** Number of requested columns. */
  readonly requested: number;
  /** Positions of the key columns in `columns`. */
  readonly keyPositions: readonly number[];
}

export function mergeProjection(schema: RowSetSchema, names: readonly string[] | undefined): MergeProjection {
  const columns = [...(names ?? schema.columns.map(({ name }) => name))];
  const requested = columns.length;
  const keyPositions = keyColumns(schema).map(({ name }) => {
    const position = columns.indexOf(name);
    return position >= 0 ? position : columns.push(name) - 1;
  });
  return { columns, requested, keyPositions };
}

/** Batches in key order. */
export interface MergedStream<B extends TableBatch> {
  readonly batches: AsyncGenerator<B, void, void>;
  /** A lower bound of the keys. */
  readonly minKey: Uint8Array;
}

/** Rows of one input batch that go into the merged batch. */
interface Run<B extends TableBatch> {
  readonly batch: B;
  readonly from: number;
  readonly to: number;
}

export interface MergeLimits {
  /** Maximum rows per batch. */
  readonly batchRows: number;
  /** Maximum rows in total. */
  readonly limit: number;
  /** Whether a stream's batch is valid only until its next one is requested. */
  readonly isReused: boolean;
}

/** Merges streams that have the columns of the projection. */
export async function* mergeRows(
  streams: readonly MergedStream<TableBatch>[],
  { requested, keyPositions }: MergeProjection,
  { batchRows, limit, isReused }: MergeLimits,
): AsyncGenerator<TableBatch, void, void> {
  const inputs = streams.map((stream) => new MergeInput(stream, keyPositions));
  let left = limit;
  let runs: Run<TableBatch>[] = [];
  let rows = 0;
  const takeRuns = (): TableBatch => {
    const joined = joinRuns(runs, requested);
    runs = [];
    rows = 0;
    return joined;
  };
  try {
    while (left > 0) {
      if (isReused && rows > 0 && inputs.some((input) => input.isUsedUp)) {
        // The next batch of an input overwrites the memory of the runs.
        yield takeRuns();
      }
      const found = leading(inputs);
      if (found instanceof MergeInput) {
        await found.load();
        continue;
      }
      const { first, second } = found;
      const batch = first?.batch;
      if (first === undefined || batch === undefined) {
        break;
      }
      const from = first.index;
      first.skipBefore(second, Math.min(batchRows - rows, left));
      const length = first.index - from;
      left -= length;
      if (rows > 0 && length >= MIN_SHARED_ROWS) {
        yield takeRuns();
      }
      runs.push({ batch, from, to: first.index });
      rows += length;
      if (length >= MIN_SHARED_ROWS || rows === batchRows) {
        yield takeRuns();
      }
    }
    if (rows > 0) {
      yield takeRuns();
    }
  } finally {
    await Promise.all(inputs.map((input) => input.close()));
  }
}

function joinRuns<B extends TableBatch>(runs: readonly Run<B>[], requested: number): TableBatch {
  const [{ batch, from, to }] = runs as [Run<B>];
  const names = batch.names.slice(0, requested);
  const length = runs.reduce((sum, run) => sum + run.to - run.from, 0);
  const columns = names.map((_, i) => {
    if (runs.length === 1) {
      const column = batch.columns[i] as ColumnBatch;
      return to - from === batch.length ? column : sliceRows(column, from, to);
    }
    const ranges = runs.map(
      (run): BatchRange => ({ batch: run.batch.columns[i] as ColumnBatch, from: run.from, to: run.to }),
    );
    return concatBatches(ranges);
  });
  const firstRow = batch.rows?.[from] ?? batch.firstRow + from;
  const isConsecutive = runs.length === 1 && batch.rows === undefined;
  const rows = isConsecutive ? undefined : joinRowNumbers(runs, length);
  return { length, firstRow, rows, names, columns };
}

function joinRowNumbers(runs: readonly Run<TableBatch>[], length: number): Uint32Array {
  const numbers = new Uint32Array(length);
  let at = 0;
  for (const { batch, from, to } of runs) {
    for (let i = from; i < to; i++) {
      numbers[at++] = batch.rows?.[i] ?? batch.firstRow + i;
    }
  }
  return numbers;
}

/** Merges diffs. If a key changed in several row sets, its live row is kept, or else the row that changed last. */
export async function* mergeDiffs(
  streams: readonly MergedStream<DiffBatch>[],
  { requested, keyPositions }: MergeProjection,
  batchRows: number,
): AsyncGenerator<DiffBatch, void, void> {
  const inputs = streams.map((stream) => new MergeInput(stream, keyPositions));
  let runs: Run<DiffBatch>[] = [];
  try {
    for (;;) {
      const found = leading(inputs);
      if (found instanceof MergeInput) {
        await found.load();
        continue;
      }
      const { first } = found;
      if (first === undefined) {
        break;
      }
      const same = inputs.filter((input) => input.isReading && input.compare(first) === 0);
      const best = same.reduce((left, right) => (isBetter(right, left) ? right : left));
      runs.push({ batch: best.batch as DiffBatch, from: best.index, to: best.index + 1 });
      for (const input of same) {
        input.index++;
      }
      if (runs.length === batchRows) {
        yield joinDiffs(runs, requested);
        runs = [];
      }
    }
    if (runs.length > 0) {
      yield joinDiffs(runs, requested);
    }
  } finally {
    await Promise.all(inputs.map((input) => input.close()));
  }
}

function isBetter(left: MergeInput<DiffBatch>, right: MergeInput<DiffBatch>): boolean {
  const isDeleted = (input: MergeInput<DiffBatch>): number => input.batch?.deleted[input.index] ?? 1;
  const changedAt = (input: MergeInput<DiffBatch>): bigint => input.batch?.changedAt[input.index] ?? 0n;
  return isDeleted(left) === isDeleted(right)
    ? changedAt(left) > changedAt(right)
    : isDeleted(left) < isDeleted(right);
}

function joinDiffs(runs: readonly Run<DiffBatch>[], requested: number): DiffBatch {
  const deleted = Uint8Array.from(runs, ({ batch, from }) => batch.deleted[from] ?? 0);
  const changedAt = BigUint64Array.from(runs, ({ batch, from }) => batch.changedAt[from] ?? 0n);
  return { ...joinRuns(runs, requested), deleted, changedAt };
}
