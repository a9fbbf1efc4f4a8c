/** Sorted runs as one, batch after batch. */
import type { ColumnBatch } from "@cfile/encodings";
import { KeyHeap } from "../keys/key-heap.js";
import { encodeRowKeys, keyAt, type RowKeys } from "../keys/row-keys.js";
import { ChosenRows, type HeldRows } from "../read/chosen-rows.js";
import { keyColumns } from "../schema/check-schema.js";
import type { RowSetSchema } from "../schema/schema.js";
import { duplicateKey, type SortedRun } from "./sorted-run.js";

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
  const held = new Map<number, HeldRows>();
  const chosen = new ChosenRows(batchRows * Math.max(1, runs.length));
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
    chosen.choose(held.get(source), row);
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
  if (!chosen.isEmpty) {
    yield chosen.take(schema.columns.length);
  }
}
