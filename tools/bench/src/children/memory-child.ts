/**
 * One pass over a large file in a separate process. Prints rows, their sum, time and peak resident memory as
 * JSON.
 */
import { readFile, writeFile } from "node:fs/promises";
import { batchFromValues } from "@cfile/encodings/batches";
import { openParquet, tableOfFiles } from "@cfile/parquet";
import { rebuildParquet } from "@cfile/parquet/recover";
import { exportParquet } from "@cfile/parquet/write";
import { createCFile, openCFile } from "cfile";
import { rewriteCFile } from "cfile/recover";
import { parquetRead } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { randomNumbers } from "../data/data.js";
import { peakResidentMiB } from "../machine/peak-memory.js";

const PIECE = 1 << 16;

/** The result of a pass; `sum` is the sum of all 32-bit words, modulo 2^32. */
interface Pass {
  readonly rows: number;
  readonly sum: number;
}

function addWords(sum: number, values: ArrayBufferView): number {
  const words = new Int32Array(values.buffer, values.byteOffset, values.byteLength / 4);
  let total = sum;
  for (let i = 0; i < words.length; i++) {
    total = (total + (words[i] as number)) | 0;
  }
  return total;
}

/** Values that hardly compress, so that the file is as large as its rows. */
function fill(values: Int32Array, next: () => number): void {
  for (let i = 0; i < values.length; i++) {
    values[i] = next();
  }
}

async function write(path: string, rows: number): Promise<Pass> {
  const next = randomNumbers(3);
  const file = await createCFile(path, { type: "INT64", encoding: "PLAIN_ENCODING" });
  const values = new BigInt64Array(PIECE);
  let sum = 0;
  for (let done = 0; done < rows; done += PIECE) {
    fill(new Int32Array(values.buffer), next);
    const piece = values.subarray(0, Math.min(PIECE, rows - done));
    sum = addWords(sum, piece);
    await file.append(piece);
  }
  return { rows: (await file.finish()).rows, sum };
}

async function scan(path: string): Promise<Pass> {
  const file = await openCFile(path);
  let rows = 0;
  let sum = 0;
  for await (const batch of file.scan()) {
    rows += batch.length;
    sum = batch.kind === "fixed" ? addWords(sum, batch.values) : Number.NaN;
  }
  await file.close();
  return { rows, sum };
}

async function rewrite(source: string, target: string): Promise<Pass> {
  const file = await openCFile(source);
  const { rows } = await rewriteCFile(file, target, { encoding: "BIT_SHUFFLE", compression: "LZ4" });
  await file.close();
  return { rows, sum: 0 };
}

async function toParquet(source: string, target: string): Promise<Pass> {
  const file = await openCFile(source);
  const { rows } = await exportParquet(target, tableOfFiles({ c: file }), { codec: "SNAPPY" });
  await file.close();
  return { rows, sum: 0 };
}

async function fromParquet(source: string, target: string): Promise<Pass> {
  const parquet = await openParquet(source);
  const file = await createCFile(target, { type: "INT64", encoding: "PLAIN_ENCODING" });
  for await (const batch of parquet.column("c")) {
    await file.append(batch);
  }
  await parquet.close();
  return { rows: (await file.finish()).rows, sum: 0 };
}

async function parquetWrite(path: string, rows: number): Promise<Pass> {
  const data = new BigInt64Array(rows);
  fill(new Int32Array(data.buffer), randomNumbers(3));
  const bytes = parquetWriteBuffer({ columnData: [{ name: "c", data, type: "INT64", nullable: false }] });
  await writeFile(path, new Uint8Array(bytes));
  return { rows, sum: addWords(0, data) };
}

async function parquetScan(path: string): Promise<Pass> {
  const bytes = await readFile(path);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  let rows = 0;
  let sum = 0;
  await parquetRead({
    file,
    columns: ["c"],
    onChunk: (chunk) => {
      rows += chunk.columnData.length;
      sum = chunk.columnData instanceof BigInt64Array ? addWords(sum, chunk.columnData) : Number.NaN;
    },
  });
  return { rows, sum };
}

/** A table of a growing key, random numbers, words and texts. */
async function parquetTable(path: string, rows: number): Promise<Pass> {
  const columns = [
    { name: "id", type: "INT64", nullable: false, array: false },
    { name: "number", type: "DOUBLE", nullable: false, array: false },
    { name: "word", type: "STRING", nullable: true, array: false },
    { name: "text", type: "STRING", nullable: false, array: false },
  ] as const;
  const next = randomNumbers(3);
  const words = Array.from({ length: PIECE }, (_, i) => (i % 10 === 0 ? null : `word ${i % 100}`));
  async function* batches() {
    for (let firstRow = 0; firstRow < rows; firstRow += PIECE) {
      const length = Math.min(PIECE, rows - firstRow);
      const ids = BigInt64Array.from({ length }, (_, i) => BigInt(firstRow + i));
      const numbers = new Float64Array(length);
      fill(new Int32Array(numbers.buffer), next);
      const texts = Array.from({ length }, (_, i) => `row ${firstRow + i} of the table`);
      const values = [ids, numbers, words.slice(0, length), texts];
      yield {
        length,
        firstRow,
        names: columns.map(({ name }) => name),
        columns: columns.map((column, i) => batchFromValues(column, values[i] ?? [])),
      };
    }
  }
  await exportParquet(path, { columns, rows: batches() }, { codec: "SNAPPY" });
  return { rows, sum: 0 };
}

async function parquetRebuild(source: string, target: string, like: string): Promise<Pass> {
  const { rows } = await rebuildParquet(source, target, { like });
  return { rows, sum: 0 };
}

const [task, first = "", second = "", third = ""] = process.argv.slice(2);
const start = performance.now();
const tasks: Record<string, () => Promise<Pass>> = {
  write: () => write(first, Number(second)),
  scan: () => scan(first),
  rewrite: () => rewrite(first, second),
  "to-parquet": () => toParquet(first, second),
  "from-parquet": () => fromParquet(first, second),
  "parquet-write": () => parquetWrite(first, Number(second)),
  "parquet-scan": () => parquetScan(first),
  "parquet-table": () => parquetTable(first, Number(second)),
  "parquet-rebuild": () => parquetRebuild(first, second, third),
};
const run = tasks[task ?? ""];
if (run === undefined) {
  throw new Error(`no task ${task}`);
}
const pass = await run();
const maxRssMiB = await peakResidentMiB();
process.stdout.write(JSON.stringify({ ...pass, milliseconds: performance.now() - start, maxRssMiB }));
