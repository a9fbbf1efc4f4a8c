/** Merges sorted runs, batch by batch. */
import type { ColumnBatch } from "@cfile/encodings";
import { encodeRowKeys, keyAt } from "../keys/row-keys.js";
import { duplicateKey } from "../keys/sort-keys.js";
import { keyColumns, type RowSetSchema } from "../schema/schema.js";
import type { SortedRun } from "./sorted-run.js";
import { type SortedBatch, type SortedRow, SortedSources } from "./sorted-sources.js";

/**
 * All rows of the runs in key order.
 *
 * @param batchRows rows of each run in memory at a time
 * @throws {CFileError} `E_INVALID_ARGUMENT` naming a duplicate key
 */
export async function* mergeRuns(
  schema: RowSetSchema,
  runs: readonly SortedRun[],
  batchRows: number,
): AsyncGenerator<readonly ColumnBatch[], void, void> {
  const keyCount = keyColumns(schema).length;
  const nextRows = runs.map(() => 0);
  const sources = new SortedSources<SortedBatch>(async (i) => {
    const run = runs[i];
    const from = nextRows[i] ?? 0;
    const to = Math.min(run?.length ?? 0, from + batchRows);
    if (run === undefined || from === to) {
      return undefined;
    }
    nextRows[i] = to;
    const columns = await run.read(from, to);
    return { columns, keys: encodeRowKeys(columns.slice(0, keyCount)) };
  }, batchRows * Math.max(1, runs.length));
  for (const i of runs.keys()) {
    await sources.load(i);
  }
  let last: SortedRow<SortedBatch> | undefined;
  while (!sources.isAtEnd) {
    const next = sources.minimum();
    if (last !== undefined && sources.isSame(last)) {
      throw duplicateKey(schema, keyAt(next.batch.keys, next.row));
    }
    last = next;
    sources.choose(next);
    const loading = sources.advance();
    if (loading !== undefined) {
      await loading;
    }
    if (sources.isFull) {
      yield sources.take(schema.columns.length);
    }
  }
  if (sources.chosenRows > 0) {
    yield sources.take(schema.columns.length);
  }
}
