/**
 * Sorted runs as one, batch after batch. Rows are chosen first, as positions in the batches of the runs that are in memory, and
 * then copied together column by column.
 */
import type { ColumnBatch } from "@cfile/encodings";
import { keyColumns } from "./check-schema.js";
import { KeyHeap } from "./key-heap.js";
import { encodeRowKeys, keyAt, type RowKeys } from "./row-keys.js";
import type { RowSetSchema } from "./schema.js";
import { duplicateKey, joinParts, type SortedRun } from "./sorted-run.js";
import { takeRows } from "./take-rows.js";

/** The batch of a run that is in memory. */
interface Held {
  readonly columns: readonly ColumnBatch[];
  readonly keys: RowKeys;
  /** Where its rows stand among all rows that the next batch is chosen of. */
  start: number;
}

class Chosen {
  private batches: Held[] = [];
  private rows = 0;
  readonly positions: Uint32Array;
  length = 0;

  constructor(most: number) {
    this.positions = new Uint32Array(most);
  }

  hold(held: Held): void {
    held.start = this.rows;
    this.rows += held.keys.length;
    this.batches.push(held);
  }

  get isFull(): boolean {
    return this.length === this.positions.length;
  }

  take(columns: number): readonly ColumnBatch[] {
    const positions = this.positions.subarray(0, this.length);
    const taken: ColumnBatch[] = [];
    for (let i = 0; i < columns; i++) {
      const [first, ...rest] = this.batches.flatMap((held) => held.columns.slice(i, i + 1));
      if (first !== undefined) {
        taken.push(takeRows(joinParts([first, ...rest]), positions));
      }
    }
    return taken;
  }

  reset(held: Iterable<Held>): void {
    this.batches = [];
    this.rows = 0;
    this.length = 0;
    for (const batch of held) {
      this.hold(batch);
    }
  }
}

/**
 * All rows of the runs in the order of their keys.
 *
 * @param batchRows rows of each run that are in memory at a time
 * @throws CFileError `E_INVALID_ARGUMENT` naming a key that several rows have
 */
export async function* mergeRuns(
  schema: RowSetSchema,
  runs: readonly SortedRun[],
  batchRows: number,
): AsyncGenerator<readonly ColumnBatch[], void, void> {
  const keyCount = keyColumns(schema).length;
  const next = runs.map(() => 0);
  const held = new Map<number, Held>();
  const chosen = new Chosen(batchRows * Math.max(1, runs.length));
  const heap = new KeyHeap();
  const load = async (run: number): Promise<void> => {
    const from = next[run] as number;
    const to = Math.min(runs[run]?.length ?? 0, from + batchRows);
    held.delete(run);
    if (from < to) {
      const columns = (await runs[run]?.read(from, to)) ?? [];
      const batch = { columns, keys: encodeRowKeys(columns.slice(0, keyCount)), start: 0 };
      next[run] = to;
      held.set(run, batch);
      chosen.hold(batch);
      heap.push(run, batch.keys, 0);
    }
  };
  for (const run of runs.keys()) {
    await load(run);
  }
  let last: { keys: RowKeys; row: number } | undefined;
  while (heap.length > 0) {
    const { source, keys, row } = heap.least();
    if (last !== undefined && heap.isSame(last.keys, last.row)) {
      throw duplicateKey(schema, keyAt(keys, row));
    }
    last = { keys, row };
    chosen.positions[chosen.length++] = (held.get(source)?.start ?? 0) + row;
    if (row + 1 < keys.length) {
      heap.replaceLeast(row + 1);
    } else {
      heap.pop();
      await load(source);
    }
    if (chosen.isFull) {
      yield chosen.take(schema.columns.length);
      chosen.reset(held.values());
    }
  }
  if (chosen.length > 0) {
    yield chosen.take(schema.columns.length);
  }
}
