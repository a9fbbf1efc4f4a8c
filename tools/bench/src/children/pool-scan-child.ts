/** Scans a column several times, by a pool of two workers or in this thread. Prints the milliseconds of all. */
import { MemoryArena } from "@cfile/bytes";
import { createWorkerPool } from "@cfile/workers";
import { type ColumnBatch, openCFile } from "cfile";

const WARM_UP = 3;
const [path = "", workers = "1", rows = "0", scans = "1"] = process.argv.slice(2);
const pool = workers === "1" ? undefined : createWorkerPool({ workers: Number(workers) });

async function rowsOf(batches: AsyncIterable<ColumnBatch>): Promise<number> {
  let count = 0;
  for await (const { length } of batches) {
    count += length;
  }
  return count;
}

async function scan(): Promise<number> {
  if (pool !== undefined) {
    return rowsOf(pool.scan(path, { reuseMemory: true }));
  }
  const file = await openCFile(path);
  try {
    return await rowsOf(file.scan({ arena: new MemoryArena() }));
  } finally {
    await file.close();
  }
}

async function scanTimes(times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    const found = await scan();
    if (found !== Number(rows)) {
      throw new Error(`${found} rows, expected ${rows}`);
    }
  }
}

await scanTimes(WARM_UP);
const start = performance.now();
await scanTimes(Number(scans));
process.stdout.write(String(performance.now() - start));
await pool?.close();
