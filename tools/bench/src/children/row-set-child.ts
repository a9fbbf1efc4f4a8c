/**
 * Creates a row set from unsorted rows in a separate process. Prints rows, their sum, time and peak resident
 * memory as JSON.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTableStore, openTableStore } from "@cfile/rowset/store";
import { rowSetBatches, rowSetSchema, sumOf } from "../data/row-set-data.js";
import { peakResidentMiB } from "../machine/peak-memory.js";

export interface SortReport {
  readonly rows: number;
  /** Sum of `n` and `d`. */
  readonly sum: number;
  readonly milliseconds: number;
  readonly maxRssMiB: number;
}

const BATCH = 16_384;
/** A prime that does not divide any number of rows: every row occurs once, far from its neighbors. */
const STRIDE = 15_485_863;

const rows = Number(process.argv[2]);
const memoryBytes = Number(process.argv[3]) * 1024 * 1024;
const folder = await mkdtemp(join(tmpdir(), "cfile-bench-sort-"));
try {
  const start = performance.now();
  const creation = await createTableStore(folder, rowSetSchema, { memoryBytes, timestamp: 1000n });
  for (let from = 0; from < rows; from += BATCH) {
    await creation.append(rowSetBatches(from, Math.min(rows, from + BATCH), (i) => (i * STRIDE) % rows));
  }
  await creation.finish();
  const milliseconds = performance.now() - start;
  const maxRssMiB = await peakResidentMiB();
  const table = await openTableStore(folder);
  let sum = 0;
  let count = 0;
  for await (const { columns, length } of table.scan({ columns: ["n", "d"] })) {
    sum += sumOf(columns);
    count += length;
  }
  await table.close();
  process.stdout.write(JSON.stringify({ rows: count, sum, milliseconds, maxRssMiB } satisfies SortReport));
} finally {
  await rm(folder, { recursive: true, force: true });
}
