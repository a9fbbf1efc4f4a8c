/** Any number of sorted runs: every 16 runs of about the same size are merged into one, so that the last merge reads only a few. */
import type { RowSetSchema } from "../schema/schema.js";
import type { TableStoreFiles } from "../store/table-store-files.js";
import { mergeRuns } from "./merge-runs.js";
import { type SortedRun, writeRun } from "./sorted-run.js";

const FAN_IN = 16;
const MAX_BATCH_ROWS = 4096;
const MIN_BATCH_ROWS = 64;

export class RunPile {
  private readonly store: TableStoreFiles;
  private readonly schema: RowSetSchema;
  private readonly memoryBytes: number;
  /** Runs by the number of merges they result from. */
  private readonly levels: SortedRun[][] = [];

  constructor(store: TableStoreFiles, schema: RowSetSchema, memoryBytes: number) {
    this.store = store;
    this.schema = schema;
    this.memoryBytes = memoryBytes;
  }

  /** @param rowBytes average memory per row */
  async add(run: SortedRun, rowBytes: number, level = 0): Promise<void> {
    const runs = [...(this.levels[level] ?? []), run];
    this.levels[level] = runs;
    if (runs.length === FAN_IN) {
      const merged = await writeRun(this.store, this.schema, this.merge(runs, rowBytes));
      this.levels[level] = [];
      await Promise.all(runs.map((old) => old.discard()));
      await this.add(merged, rowBytes, level + 1);
    }
  }

  /** All rows, including those of `last`, in key order. */
  merged(last: SortedRun | undefined, rowBytes: number): ReturnType<typeof mergeRuns> {
    return this.merge([...this.levels.flat(), ...(last === undefined ? [] : [last])], rowBytes);
  }

  async discard(): Promise<void> {
    await Promise.all(this.levels.flat().map((run) => run.discard()));
    this.levels.length = 0;
  }

  private merge(runs: readonly SortedRun[], rowBytes: number): ReturnType<typeof mergeRuns> {
    // Memory holds two batches of each run, and twice the rows merged from them.
    const fits = Math.floor(this.memoryBytes / (4 * Math.max(1, rowBytes) * Math.max(1, runs.length)));
    const batchRows = Math.max(MIN_BATCH_ROWS, Math.min(MAX_BATCH_ROWS, fits));
    return mergeRuns(this.schema, runs, batchRows);
  }
}
