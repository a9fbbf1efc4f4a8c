/**
 * Tables as sorted lines of exact text: two tables are equal if they have the same rows, in any number of
 * files.
 */

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TableBatch } from "@cfile/encodings/batches";
import { openParquet } from "@cfile/parquet";
import { exportParquet, type ParquetTable } from "@cfile/parquet/write";
import { openDataset } from "cfile/dataset";
import { cellTexts } from "../kudu/compare/compare-rows.js";
import { placedFiles } from "./spark-cluster.js";

export interface TableRows {
  readonly rows: number;
  /** SHA-256 of the sorted rows. */
  readonly digest: string;
}

/** One line per row, in the order of the files. */
export async function linesOfFiles(paths: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  for (const path of paths) {
    const file = await openParquet(path);
    for await (const batch of file.scan()) {
      addLines(lines, batch);
    }
    await file.close();
  }
  return lines;
}

/** One line per row. */
export async function linesOfBatches(
  batches: AsyncIterable<Pick<TableBatch, "columns" | "length">>,
): Promise<string[]> {
  const lines: string[] = [];
  for await (const batch of batches) {
    addLines(lines, batch);
  }
  return lines;
}

/** The lines of a job's output. */
export async function linesOfResult(output: string): Promise<string[]> {
  const names = await placedFiles(output);
  return linesOfFiles(names.map((name) => join(output, name)));
}

/** SHA-256 of each file. */
export async function digestsOfResult(output: string): Promise<ReadonlyMap<string, string>> {
  const digests = new Map<string, string>();
  for (const name of await placedFiles(output)) {
    digests.set(
      name,
      createHash("sha256")
        .update(await readFile(join(output, name)))
        .digest("hex"),
    );
  }
  return digests;
}

/** One process writes a whole dataset as one Parquet file. */
export async function exportDataset(
  path: string,
  columns: ParquetTable["columns"],
  target: string,
): Promise<void> {
  await using dataset = await openDataset(path);
  await exportParquet(target, { columns, rows: dataset.scan() });
}

function addLines(lines: string[], { columns, length }: Pick<TableBatch, "columns" | "length">): void {
  const cells = columns.map(cellTexts);
  for (let row = 0; row < length; row++) {
    lines.push(cells.map((column) => column[row]).join("\t"));
  }
}

export function rowsOf(lines: string[]): TableRows {
  const hash = createHash("sha256");
  for (const line of lines.sort()) {
    hash.update(line).update("\n");
  }
  return { rows: lines.length, digest: hash.digest("hex") };
}
