/** Rows of several row sets in the order of their keys. */
import { type BatchRange, type ColumnBatch, concatBatches, sliceRows, takeRows } from "@cfile/encodings";
import { keyColumns } from "./check-schema.js";
import type { ChangeBatch, RowBatch } from "./row-batch.js";
import { compareKeys, encodeRowKeys, type RowKeys } from "./row-keys.js";
import type { RowSetSchema } from "./schema.js";

const NO_KEYS: RowKeys = { length: 0, offsets: new Int32Array(1), data: new Uint8Array(0) };

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

/** A stream of batches, and where it stands. */
class MergeInput<B extends RowBatch> {
  batch: B | undefined;
  index = 0;
  private readonly batches: AsyncGenerator<B, void, void>;
  private readonly keyPlaces: readonly number[];
  /** Keys of the first and the last row: those of the others are only made when they are needed. */
  private ends: RowKeys = NO_KEYS;
  private all: RowKeys | undefined;

  constructor(batches: AsyncGenerator<B, void, void>, keyPlaces: readonly number[]) {
    this.batches = batches;
    this.keyPlaces = keyPlaces;
  }

  /** Goes to the next batch when this one is used up. */
  async load(): Promise<void> {
    if (this.batch !== undefined && !this.isUsedUp) {
      return;
    }
    const next = await this.batches.next();
    this.batch = next.done === true ? undefined : next.value;
    this.index = 0;
    this.all = undefined;
    if (this.batch !== undefined) {
      const ends = Uint32Array.of(0, this.batch.length - 1);
      this.ends = encodeRowKeys(this.keyColumns().map((column) => takeRows(column, ends)));
    }
  }

  /** Whether the next batch is asked for before anything else is. */
  get isUsedUp(): boolean {
    return this.batch !== undefined && this.index >= this.batch.length;
  }

  get isAtEnd(): boolean {
    return this.batch === undefined;
  }

  /** Order of the keys at which both stand. */
  compare(other: MergeInput<B>): number {
    return this.compareRow(this.index, other);
  }

  /** Goes on over the rows whose keys are before that at which `other` stands, in steps that double as long as they are. */
  skipBefore(other: MergeInput<B> | undefined, most: number): void {
    const end = Math.min((this.batch as B).length, this.index + most);
    if (other === undefined) {
      this.index = end;
      return;
    }
    if (this.compareRow(end - 1, other) < 0) {
      this.index = end;
      return;
    }
    let known = this.index;
    let step = 1;
    let least = end - 1;
    while (known + step < least) {
      if (this.compareRow(known + step, other) >= 0) {
        least = known + step;
        break;
      }
      known += step;
      step *= 2;
    }
    while (known + 1 < least) {
      const middle = (known + least) >> 1;
      if (this.compareRow(middle, other) < 0) {
        known = middle;
      } else {
        least = middle;
      }
    }
    this.index = known + 1;
  }

  async close(): Promise<void> {
    await this.batches.return();
  }

  private compareRow(row: number, other: MergeInput<B>): number {
    const [keys, at] = this.keyOf(row);
    const [otherKeys, otherAt] = other.keyOf(other.index);
    return compareKeys(keys, at, otherKeys, otherAt);
  }

  private keyOf(row: number): readonly [RowKeys, number] {
    const last = (this.batch?.length ?? 1) - 1;
    if (this.all === undefined && (row === 0 || row === last)) {
      return [this.ends, row === 0 ? 0 : 1];
    }
    this.all ??= encodeRowKeys(this.keyColumns());
    return [this.all, row];
  }

  private keyColumns(): ColumnBatch[] {
    return this.keyPlaces.map((place) => this.batch?.columns[place] as ColumnBatch);
  }
}

/** Rows of one batch that go into the merged one. */
interface Run<B extends RowBatch> {
  readonly batch: B;
  readonly from: number;
  readonly to: number;
}

/**
 * Merges batches that are in key order each, and have the columns of the projection.
 *
 * @param most rows of a merged batch
 * @param limit rows in all
 * @param reuseMemory whether a stream's batch is only valid until its next one is asked for
 */
export async function* mergeRows(
  streams: readonly AsyncGenerator<RowBatch, void, void>[],
  projection: MergeProjection,
  most: number,
  limit: number,
  reuseMemory: boolean,
): AsyncGenerator<RowBatch, void, void> {
  const inputs = streams.map((batches) => new MergeInput(batches, projection.keyPlaces));
  let left = limit;
  try {
    let runs: Run<RowBatch>[] = [];
    let rows = 0;
    while (left > 0) {
      if (reuseMemory && rows > 0 && inputs.some((input) => input.isUsedUp)) {
        // What is gathered so far lies in the memory of batches that the next ones will take.
        yield joinRuns(runs, projection.wanted);
        runs = [];
        rows = 0;
      }
      const { first, second } = await leading(inputs);
      if (first === undefined) {
        break;
      }
      const batch = first.batch as RowBatch;
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

/** The inputs with the smallest and the second smallest key. */
async function leading<B extends RowBatch>(
  inputs: readonly MergeInput<B>[],
): Promise<{ first: MergeInput<B> | undefined; second: MergeInput<B> | undefined }> {
  let first: MergeInput<B> | undefined;
  let second: MergeInput<B> | undefined;
  for (const input of inputs) {
    await input.load();
    if (input.isAtEnd) {
      continue;
    }
    if (first === undefined || input.compare(first) < 0) {
      second = first;
      first = input;
    } else if (second === undefined || input.compare(second) < 0) {
      second = input;
    }
  }
  return { first, second };
}

function joinRuns<B extends RowBatch>(runs: readonly Run<B>[], wanted: number): RowBatch {
  const [{ batch, from, to }] = runs as [Run<B>];
  const names = batch.names.slice(0, wanted);
  const length = runs.reduce((sum, run) => sum + run.to - run.from, 0);
  const rows = new Uint32Array(length);
  let at = 0;
  for (const run of runs) {
    rows.set(run.batch.rows.subarray(run.from, run.to), at);
    at += run.to - run.from;
  }
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
  return { length, rows, columns, names };
}

/**
 * Merges changes; of a key that changed in several row sets one is left: where it is there, else where it changed last.
 */
export async function* mergeChanges(
  streams: readonly AsyncGenerator<ChangeBatch, void, void>[],
  projection: MergeProjection,
  most: number,
): AsyncGenerator<ChangeBatch, void, void> {
  const inputs = streams.map((batches) => new MergeInput(batches, projection.keyPlaces));
  let runs: Run<ChangeBatch>[] = [];
  try {
    for (;;) {
      const { first } = await leading(inputs);
      if (first === undefined) {
        break;
      }
      const same = inputs.filter((input) => !input.isAtEnd && input.compare(first) === 0);
      const best = same.reduce((left, right) => (isBetter(right, left) ? right : left));
      runs.push({ batch: best.batch as ChangeBatch, from: best.index, to: best.index + 1 });
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

function isBetter(left: MergeInput<ChangeBatch>, right: MergeInput<ChangeBatch>): boolean {
  const isDeleted = (input: MergeInput<ChangeBatch>): number => input.batch?.deleted[input.index] ?? 1;
  const changedAt = (input: MergeInput<ChangeBatch>): bigint => input.batch?.changedAt[input.index] ?? 0n;
  return isDeleted(left) === isDeleted(right)
    ? changedAt(left) > changedAt(right)
    : isDeleted(left) < isDeleted(right);
}

function joinChanges(runs: readonly Run<ChangeBatch>[], wanted: number): ChangeBatch {
  const deleted = Uint8Array.from(runs, ({ batch, from }) => batch.deleted[from] ?? 0);
  const changedAt = BigUint64Array.from(runs, ({ batch, from }) => batch.changedAt[from] ?? 0n);
  return { ...joinRuns(runs, wanted), deleted, changedAt };
}
