/** Rows of several row sets in the order of their keys. */
import type { ColumnBatch } from "@cfile/encodings";
import type { BatchRange, TableBatch } from "@cfile/encodings/batches";
import { concatBatches, sliceRows } from "@cfile/encodings/batches";
import type { DiffBatch } from "../read/row-batch.js";
import { keyColumns } from "../schema/check-schema.js";
import type { RowSetSchema } from "../schema/schema.js";
import { leading, leadingNow, MergeInput } from "./merge-input.js";

/** From so many rows on a run is a batch of its own, over the same memory. */
const FEW_ROWS = 1024;

/** Columns to read, so that keys can be compared, and how many of them were asked for. */
export interface MergeProjection {
  /** The columns asked for, then those of the key that are not among them. */
  readonly columns: readonly string[];
  readonly wanted: number;
  /** Where the key columns stand among `columns`. */
  readonly keyPlaces: readonly number[];
}

export function mergeProjection(schema: RowSetSchema, names: readonly string[] | undefined): MergeProjection {
  const columns = [...(names ?? schema.columns.map(({ name }) => name))];
  const wanted = columns.length;
  const keyPlaces = keyColumns(schema).map(({ name }) => {
    const place = columns.indexOf(name);
    return place >= 0 ? place : columns.push(name) - 1;
  });
  return { columns, wanted, keyPlaces };
}

/** Batches in key order. */
export interface MergedStream<B extends TableBatch> {
  readonly batches: AsyncGenerator<B, void, void>;
  /** No key is before it. */
  readonly least: Uint8Array;
}

function inputsOf<B extends TableBatch>(
  streams: readonly MergedStream<B>[],
  { keyPlaces }: MergeProjection,
): MergeInput<B>[] {
  return streams.map(({ batches, least }) => new MergeInput(batches, keyPlaces, least));
}

/** Rows of one batch that go into the merged one. */
interface Run<B extends TableBatch> {
  readonly batch: B;
  readonly from: number;
  readonly to: number;
}

/**
 * Merges batches that are in key order each, and have the columns of the projection.
 *
 * @param most rows of a merged batch
 * @param limit rows in all
 * @param isReused whether a stream's batch is only valid until its next one is asked for
 */
export async function* mergeRows(
  streams: readonly MergedStream<TableBatch>[],
  projection: MergeProjection,
  most: number,
  limit: number,
  isReused: boolean,
): AsyncGenerator<TableBatch, void, void> {
  const inputs = inputsOf(streams, projection);
  let left = limit;
  try {
    let runs: Run<TableBatch>[] = [];
    let rows = 0;
    while (left > 0) {
      if (isReused && rows > 0 && inputs.some((input) => input.isUsedUp)) {
        // What is gathered so far lies in the memory of batches that the next ones will take.
        yield joinRuns(runs, projection.wanted);
        runs = [];
        rows = 0;
      }
      const now = leadingNow(inputs);
      const { first, second } = now instanceof MergeInput ? await leading(inputs) : now;
      if (first === undefined) {
        break;
      }
      const batch = first.batch as TableBatch;
      const from = first.index;
      first.skipBefore(second, Math.min(most - rows, left));
      const length = first.index - from;
      left -= length;
      if (rows > 0 && length >= FEW_ROWS) {
        yield joinRuns(runs, projection.wanted);
        runs = [];
        rows = 0;
      }
      runs.push({ batch, from, to: first.index });
      rows += length;
      if (length >= FEW_ROWS) {
        // What is long enough is passed on as it is.
        yield joinRuns(runs, projection.wanted);
        runs = [];
        rows = 0;
      }
      if (rows === most) {
        yield joinRuns(runs, projection.wanted);
        runs = [];
        rows = 0;
      }
    }
    if (rows > 0) {
      yield joinRuns(runs, projection.wanted);
    }
  } finally {
    await Promise.all(inputs.map((input) => input.close()));
  }
}

function joinRuns<B extends TableBatch>(runs: readonly Run<B>[], wanted: number): TableBatch {
  const [{ batch, from, to }] = runs as [Run<B>];
  const names = batch.names.slice(0, wanted);
  const length = runs.reduce((sum, run) => sum + run.to - run.from, 0);
  const columns = names.map((_, i) => {
    if (runs.length === 1) {
      const column = batch.columns[i] as ColumnBatch;
      return to - from === batch.length ? column : sliceRows(column, from, to);
    }
    const ranges = runs.map(
      (run): BatchRange => ({ batch: run.batch.columns[i] as ColumnBatch, from: run.from, to: run.to }),
    );
    return concatBatches(ranges as [BatchRange, ...BatchRange[]]);
  });
  const firstRow = batch.rows?.[from] ?? batch.firstRow + from;
  const isConsecutive = runs.length === 1 && batch.rows === undefined;
  const rows = isConsecutive ? undefined : joinedNumbers(runs, length);
  return { length, firstRow, rows, names, columns };
}

function joinedNumbers(runs: readonly Run<TableBatch>[], length: number): Uint32Array {
  const numbers = new Uint32Array(length);
  let at = 0;
  for (const { batch, from, to } of runs) {
    for (let i = from; i < to; i++) {
      numbers[at++] = batch.rows?.[i] ?? batch.firstRow + i;
    }
  }
  return numbers;
}

/**
 * Merges changes; of a key that changed in several row sets one is left: where it is there, else where it changed last.
 */
export async function* mergeChanges(
  streams: readonly MergedStream<DiffBatch>[],
  projection: MergeProjection,
  most: number,
): AsyncGenerator<DiffBatch, void, void> {
  const inputs = inputsOf(streams, projection);
  let runs: Run<DiffBatch>[] = [];
  try {
    for (;;) {
      const now = leadingNow(inputs);
      const { first } = now instanceof MergeInput ? await leading(inputs) : now;
      if (first === undefined) {
        break;
      }
      const same = inputs.filter(
        (input) => !(input.isAtEnd || input.isWaiting) && input.compare(first) === 0,
      );
      const best = same.reduce((left, right) => (isBetter(right, left) ? right : left));
      runs.push({ batch: best.batch as DiffBatch, from: best.index, to: best.index + 1 });
      for (const input of same) {
        input.index++;
      }
      if (runs.length === most) {
        yield joinChanges(runs, projection.wanted);
        runs = [];
      }
    }
    if (runs.length > 0) {
      yield joinChanges(runs, projection.wanted);
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

function joinChanges(runs: readonly Run<DiffBatch>[], wanted: number): DiffBatch {
  const deleted = Uint8Array.from(runs, ({ batch, from }) => batch.deleted[from] ?? 0);
  const changedAt = BigUint64Array.from(runs, ({ batch, from }) => batch.changedAt[from] ?? 0n);
  return { ...joinRuns(runs, wanted), deleted, changedAt };
}
