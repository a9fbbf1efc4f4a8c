/**
 * A process with very many small files: `many-files.js open|dataset FOLDER COUNT`. File i has three rows, from 3i on. Files
 * are hard links to a thousand originals, which saves disk space.
 */
import { link, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type CFileReader, createCFile, memorySink, openCFile } from "cfile";
import { openDataset } from "cfile/dataset";

export interface ManyFiles {
  readonly files: number;
  readonly rows: number;
  readonly sum: number;
  readonly peakBytes: number;
  readonly seconds: number;
}

const ROWS = 3;
/** Number of files with different content. */
export const DIFFERENT = 1000;
const PARALLEL = 64;

/** The value of all rows of a file. */
export const cellOf = (file: number): number => file % DIFFERENT;

/** Writes files `0.cfile` and so on. */
export async function writeMany(folder: string, count: number): Promise<void> {
  const originals = join(folder, "originals");
  await mkdir(originals);
  for (let i = 0; i < Math.min(count, DIFFERENT); i++) {
    const sink = memorySink();
    await using writer = await createCFile(sink, { type: "INT32" });
    await writer.append(new Array<number>(ROWS).fill(i));
    await writer.finish();
    await writeFile(join(originals, `${i}`), sink.bytes());
  }
  const names = join(folder, "files");
  await mkdir(names);
  for (let from = 0; from < count; from += PARALLEL) {
    const some = Array.from({ length: Math.min(PARALLEL, count - from) }, (_, i) => from + i);
    await Promise.all(some.map((i) => link(join(originals, `${cellOf(i)}`), join(names, `${i}.cfile`))));
  }
}

/** Opens all files, then reads all of them. */
async function openAll(folder: string, count: number): Promise<Pick<ManyFiles, "rows" | "sum">> {
  const open: CFileReader[] = [];
  let rows = 0;
  let sum = 0;
  for (let i = 0; i < count; i++) {
    open.push(await openCFile(join(folder, "files", `${i}.cfile`)));
  }
  for (const file of open.toReversed()) {
    rows += file.rowCount;
    sum += Number(await file.get(ROWS - 1));
  }
  await Promise.all(open.map((file) => file.close()));
  return { rows, sum };
}

async function scanDataset(folder: string): Promise<Pick<ManyFiles, "rows" | "sum">> {
  await using dataset = await openDataset(join(folder, "files"));
  let rows = 0;
  let sum = 0;
  for await (const { length, columns } of dataset.scan()) {
    rows += length;
    sum += Number(columns[0]?.get(length - 1));
  }
  return { rows, sum };
}

const [, script, role, folder, count] = process.argv;
if (script?.endsWith("many-files.js") && folder !== undefined) {
  const start = performance.now();
  const files = Number(count);
  const found = await (role === "open" ? openAll(folder, files) : scanDataset(folder));
  const result: ManyFiles = {
    files,
    ...found,
    peakBytes: process.resourceUsage().maxRSS * 1024,
    seconds: (performance.now() - start) / 1000,
  };
  console.log(JSON.stringify(result));
}
