/** One pass over a large file in a process of its own; prints rows, time and peak resident memory as JSON. */
import { readFile, writeFile } from "node:fs/promises";
import { createCFile, openCFile, rewriteCFile } from "cfile";
import { parquetRead } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { randomNumbers } from "./data.js";

const PIECE = 1 << 16;

/** Values that a codec can do little with, so that the file is as large as its rows. */
function fill(values: Int32Array, next: () => number): void {
  for (let i = 0; i < values.length; i++) {
    values[i] = next();
  }
}

async function write(path: string, rows: number): Promise<number> {
  const next = randomNumbers(3);
  const file = await createCFile(path, { type: "INT64", encoding: "PLAIN_ENCODING" });
  const values = new BigInt64Array(PIECE);
  for (let done = 0; done < rows; done += PIECE) {
    fill(new Int32Array(values.buffer), next);
    await file.append(values.subarray(0, Math.min(PIECE, rows - done)));
  }
  return (await file.finish()).rows;
}

async function scan(path: string): Promise<number> {
  const file = await openCFile(path);
  let rows = 0;
  for await (const batch of file.scan()) {
    rows += batch.length;
  }
  await file.close();
  return rows;
}

async function rewrite(source: string, target: string): Promise<number> {
  const file = await openCFile(source);
  const { rows } = await rewriteCFile(file, target, { encoding: "BIT_SHUFFLE", compression: "LZ4" });
  await file.close();
  return rows;
}

async function parquetWrite(path: string, rows: number): Promise<number> {
  const data = new BigInt64Array(rows);
  fill(new Int32Array(data.buffer), randomNumbers(3));
  const bytes = parquetWriteBuffer({ columnData: [{ name: "c", data, type: "INT64", nullable: false }] });
  await writeFile(path, new Uint8Array(bytes));
  return rows;
}

async function parquetScan(path: string): Promise<number> {
  const bytes = await readFile(path);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  let rows = 0;
  await parquetRead({
    file,
    columns: ["c"],
    onChunk: (chunk) => {
      rows += chunk.columnData.length;
    },
  });
  return rows;
}

const [task, first = "", second = ""] = process.argv.slice(2);
const start = performance.now();
const tasks: Record<string, () => Promise<number>> = {
  write: () => write(first, Number(second)),
  scan: () => scan(first),
  rewrite: () => rewrite(first, second),
  "parquet-write": () => parquetWrite(first, Number(second)),
  "parquet-scan": () => parquetScan(first),
};
const run = tasks[task ?? ""];
if (run === undefined) {
  throw new Error(`no task ${task}`);
}
const rows = await run();
const maxRssMiB = process.resourceUsage().maxRSS / 1024;
process.stdout.write(JSON.stringify({ rows, milliseconds: performance.now() - start, maxRssMiB }));
