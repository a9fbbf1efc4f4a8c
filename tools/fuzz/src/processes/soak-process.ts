/**
 * One process of a soak test: `soak-process.js writer|reader FOLDER SECONDS`. The writer replaces files under
 * the same names. All rows of a file contain its generation, which also determines the number of rows, so
 * that any mixture is detected.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isCFileError } from "@cfile/bytes";
import { createCFile, openCFile } from "cfile";
import { rewriteCFile } from "cfile/recover";

export interface SoakResult {
  readonly role: string;
  readonly done: number;
  /** Reads that ended in a `CFileError`, by code. */
  readonly errors: Readonly<Record<string, number>>;
  readonly wrong: readonly string[];
}

export const SOAK_FILES = 3;

const rowsOfGeneration = (generation: number): number => 2000 + ((generation * 7919) % 30_000);

export async function writeGeneration(path: string, generation: number): Promise<void> {
  const writer = await createCFile(path, {
    type: "INT32",
    encoding: generation % 2 === 0 ? "PLAIN_ENCODING" : "BIT_SHUFFLE",
    compression: generation % 3 === 0 ? "LZ4" : "NO_COMPRESSION",
    blockSize: 4096,
    sync: false,
  });
  await writer.append(new Array<number>(rowsOfGeneration(generation)).fill(generation));
  await writer.finish();
}

async function write(folder: string, until: number): Promise<SoakResult> {
  let generation = 1;
  for (; performance.now() < until; generation++) {
    const path = join(folder, `${generation % SOAK_FILES}.cfile`);
    if (generation % 5 === 0) {
      // A file rewritten in place keeps its generation.
      await using file = await openCFile(path);
      await rewriteCFile(file, path, { encoding: "RLE", compression: "SNAPPY", sync: false });
    } else {
      await writeGeneration(path, generation);
    }
  }
  const left = (await readdir(folder)).filter((name) => !name.endsWith(".cfile"));
  return { role: "writer", done: generation - 1, errors: {}, wrong: left.map((name) => `${name} was left`) };
}

async function read(folder: string, until: number): Promise<SoakResult> {
  const errors: Record<string, number> = {};
  const wrong: string[] = [];
  let done = 0;
  for (; performance.now() < until; done++) {
    try {
      await using file = await openCFile(join(folder, `${done % SOAK_FILES}.cfile`));
      const generation = Number(await file.get(0));
      let rows = 0;
      for await (const batch of file.scan({ batchRows: 1000 })) {
        rows += batch.length;
        if (batch.toArray().some((cell) => cell !== generation)) {
          wrong.push(`generation ${generation} has other rows`);
        }
      }
      if (rows !== rowsOfGeneration(generation)) {
        wrong.push(`generation ${generation} has ${rows} rows`);
      }
    } catch (error) {
      if (isCFileError(error)) {
        errors[error.code] = (errors[error.code] ?? 0) + 1;
      } else {
        wrong.push(`untyped: ${error}`);
      }
    }
  }
  return { role: "reader", done, errors, wrong: wrong.slice(0, 20) };
}

const [, script, role, folder, seconds] = process.argv;
if (script?.endsWith("soak-process.js") && folder !== undefined) {
  const until = performance.now() + 1000 * Number(seconds);
  console.log(JSON.stringify(await (role === "writer" ? write(folder, until) : read(folder, until))));
}
