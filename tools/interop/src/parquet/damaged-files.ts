/**
 * Parquet files with one flipped bit in a page: which readers detect it, which return wrong values, and what
 * cfile recovers.
 */

import { readFile, writeFile } from "node:fs/promises";
import { openParquet } from "@cfile/parquet";
import { recoverParquet } from "@cfile/parquet/recover";
import type { JavaDriver } from "../java-driver.js";
import { cellTexts } from "../kudu/compare/compare-rows.js";
import type { Random } from "../random.js";
import { answered } from "./compare-files.js";
import { readByOtherProcess } from "./duckdb-rows.js";
import type { RandomTable } from "./random-table.js";

const FLIPS = 3;

/** Outcomes with damaged files, counted by reader. */
export type FlipCounts = Record<string, number>;

export interface FlipReaders {
  readonly java: JavaDriver;
  readonly spark: JavaDriver;
}

/** Flips bytes before the footer, one in each copy. */
export async function flipBytes(
  random: Random,
  path: string,
  table: RandomTable,
  { java, spark }: FlipReaders,
  counts: FlipCounts,
): Promise<{ readonly cases: number; readonly failures: readonly string[] }> {
  const failures: string[] = [];
  // A plain Uint8Array, because `slice` of a Buffer does not copy.
  const bytes = new Uint8Array(await readFile(path));
  const footer =
    bytes.length - 8 - new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.length - 8, true);
  // Spark does not support every encoding.
  const isForSpark = kindOf(table, await answered(spark, path, 1)) === "read rightly";
  for (let i = 0; i < FLIPS; i++) {
    const at = random.between(4, footer - 1);
    const damaged = bytes.slice();
    damaged[at] = (damaged[at] as number) ^ (1 << random.below(8));
    const copy = `${path}.${at}.parquet`;
    await writeFile(copy, damaged);
    const answers: [string, readonly string[]][] = [["parquet-java", await answered(java, copy)]];
    if (isForSpark) {
      answers.push(["Spark", await answered(spark, copy, 1)]);
    }
    if (i === 0) {
      answers.push(["DuckDB", await readByOtherProcess(copy, table.columns)]);
    }
    const outcomes = answers.map(([reader, rows]): Outcome => ({ reader, rows, kind: kindOf(table, rows) }));
    for (const { reader, kind } of outcomes) {
      const key = `${kind} by ${reader}`;
      counts[key] = (counts[key] ?? 0) + 1;
    }
    failures.push(...(await ourAccount(damaged, table, outcomes)).map((text) => `${copy}: ${text}`));
  }
  return { cases: FLIPS, failures };
}

interface Outcome {
  readonly reader: string;
  readonly rows: readonly string[];
  readonly kind: "refused" | "read rightly" | "read wrongly";
}

function kindOf({ rows: wanted }: RandomTable, rows: readonly string[]): Outcome["kind"] {
  if (rows.length === wanted.length && rows.every((row, n) => row === wanted[n])) {
    return "read rightly";
  }
  const isReason = rows.length < 2 && /(exception|error)/i.test(rows[0] ?? "error");
  return isReason ? "refused" : "read wrongly";
}

/** Errors in our report on a damaged file, and in the recovered data. */
async function ourAccount(
  damaged: Uint8Array,
  table: RandomTable,
  outcomes: readonly Outcome[],
): Promise<string[]> {
  const failures: string[] = [];
  try {
    const { ok, losses } = await openParquet(damaged).then((file) => file.verify());
    const recovered = await recoverParquet(damaged);
    const kept = await ourRecovered(recovered);
    const wrong = wrongCells(
      table.rows,
      kept,
      recovered.columns.map(({ lost }) => lost),
    );
    if (wrong !== undefined) {
      failures.push(wrong);
    }
    for (const { reader, rows, kind } of outcomes) {
      if (ok && kind !== "read rightly") {
        failures.push(`${kind} by ${reader} (${rows[0]?.slice(0, 200)}), but cfile finds no damage`);
      }
    }
    if (losses.some(({ offset, part }) => offset === undefined && part === "page")) {
      failures.push("a lost page without its position");
    }
  } catch (error) {
    failures.push(String(error).slice(0, 300));
  }
  return failures;
}

async function ourRecovered(file: Awaited<ReturnType<typeof recoverParquet>>): Promise<string[][]> {
  const rows: string[][] = [];
  for await (const { columns, length } of file.table("null").rows) {
    const cells = columns.map(cellTexts);
    for (let row = 0; row < length; row++) {
      rows.push(cells.map((column) => column[row] ?? ""));
    }
  }
  return rows;
}

/** Values that are not lost must be unchanged. */
function wrongCells(
  rows: readonly string[],
  kept: readonly (readonly string[])[],
  lost: readonly (readonly { readonly from: number; readonly to: number }[])[],
): string | undefined {
  for (const [row, text] of rows.entries()) {
    for (const [c, cell] of text.split("\t").entries()) {
      const isLost = lost[c]?.some(({ from, to }) => from <= row && row < to) ?? false;
      if (!isLost && kept[row]?.[c] !== cell) {
        return `row ${row}, column ${c}: ${kept[row]?.[c]?.slice(0, 100)} was recovered, ${cell.slice(0, 100)} was written`;
      }
    }
  }
  return undefined;
}
