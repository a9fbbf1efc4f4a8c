/** Runs splits in tests. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { openSource } from "@cfile/io";
import { openParquet } from "@cfile/parquet";
import { collectRows } from "@cfile-tools/testkit";
import { parseSplit, type Split, splitLine } from "../src/index.js";
import { type RunSplitOptions, runSplit, splitFileName } from "../src/run.js";

export const open = (path: string) => openSource(path);

/** All rows of a Parquet file. */
export async function rowsOf(path: string): Promise<unknown[][]> {
  await using file = await openParquet(path);
  return await collectRows(file.scan());
}

/** Sends each split as a line, runs it twice, and returns the rows that both runs wrote identically. */
export async function runAll(
  splits: readonly Split[],
  folder: string,
  options: Partial<RunSplitOptions> = {},
): Promise<unknown[][]> {
  let rows: unknown[][] = [];
  for (const split of splits) {
    const sent = await parseSplit(splitLine(split), "line 1");
    const path = join(folder, splitFileName(sent));
    const first = await runSplit(sent, path, { open, ...options });
    const bytes = await readFile(path);
    await runSplit(sent, path, { open, ...options });
    if (!bytes.equals(await readFile(path))) {
      throw new TypeError(`split ${split.id} gave other bytes the second time`);
    }
    const own = await rowsOf(path);
    if (own.length !== first.rows) {
      throw new TypeError(`split ${split.id} has ${own.length} rows, it said ${first.rows}`);
    }
    rows = rows.concat(own);
  }
  return rows;
}
