/**
 * Sorted runs of which there may be many: as soon as there are 16 of about the same size, they become one, so that the last merge
 * never has many to read from.
 */
import type { ColumnBatch } from "@cfile/encodings";
import type { RowSetSchema } from "../schema/schema.js";
import type { TableStoreFiles } from "../store/table-store-files.js";
import { mergeRuns } from "./merge-runs.js";
import { type SortedRun, writeRun } from "./sorted-run.js";

const FAN_IN = 16;
const MOST_BATCH_ROWS = 4096;
const LEAST_BATCH_ROWS = 64;

export class RunPile {
  private readonly store: TableStoreFiles;
  private readonly schema: RowSetSchema;
  private readonly memoryBytes: number;
  /** By how often they were merged. */
  private readonly levels: SortedRun[][] = [];

  constructor(store: TableStoreFiles, schema: RowSetSchema, memoryBytes: number) {
    this.store = store;
    this.schema = schema;
    this.memoryBytes = memoryBytes;
  }

  async add(run: SortedRun, rowBytes: number, level = 0): Promise<void> {
    const runs = this.levels[level] ?? [];
    this.levels[level] = runs;
    runs.push(run);
    if (runs.length === FAN_IN) {
      const merged = await writeRun(
        this.store,
        this.schema,
        mergeRuns(this.schema, runs, this.batchRows(runs.length, rowBytes)),
      );
      this.levels[level] = [];
      await Promise.all(runs.map((old) => old.discard()));
      await this.add(merged, rowBytes, level + 1);
    }
  }

  /**
   * All rows in the order of their keys.
   *
   * @param last a run besides those of the pile
   * @param rowBytes what a row takes in memory, about
   */
  merged(last: SortedRun | undefined, rowBytes: number): AsyncGenerator<readonly ColumnBatch[], void, void> {
    const runs = [...this.levels.flat(), ...(last === undefined ? [] : [last])];
    return mergeRuns(this.schema, runs, this.batchRows(runs.length, rowBytes));
  }

  async discard(): Promise<void> {
    await Promise.all(this.levels.flat().map((run) => run.discard()));
    this.levels.length = 0;
  }

  /** Two batches of each run are in memory, and what is put together of them, twice. */
  private batchRows(runs: number, rowBytes: number): number {
    const fits = Math.floor(this.memoryBytes / (4 * Math.max(1, rowBytes) * Math.max(1, runs)));
    return Math.max(LEAST_BATCH_ROWS, Math.min(MOST_BATCH_ROWS, fits));
  }
}
