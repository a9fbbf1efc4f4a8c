/** Reads Parquet files of DuckDB. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Random } from "../random.js";
import type { CheckResult } from "../report.js";
import { compareOurReading } from "./compare-files.js";
import type { CutFiles } from "./cut-files.js";
import { copyByDuckDb, readByDuckDb } from "./duckdb-rows.js";
import { chunkCoverage } from "./parquet-coverage.js";
import type { RandomTable } from "./random-table.js";

const CODECS = ["uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4_raw"] as const;

/**
 * @param source our file of the table
 * @param cuts gets the file, to cut it
 */
export async function duckDbFile(
  seed: number,
  folder: string,
  source: string,
  table: RandomTable,
  cuts: CutFiles,
): Promise<CheckResult> {
  const random = new Random(seed ^ 0xd0c4);
  const path = join(folder, "duckdb.parquet");
  const options = {
    codec: random.pick(CODECS),
    parquet_version: random.pick(["V1", "V2"]),
    row_group_size: random.pick([2048, 122_880]),
  };
  await copyByDuckDb(source, path, options);
  // DuckDB's dictionaries do not distinguish 0.0 and -0.0.
  const rows = await readByDuckDb(path, table.columns);
  const name = `${path} (${Object.values(options).join(" ")})`;
  const bytes = new Uint8Array(await readFile(path));
  await cuts.cut(random, name, bytes, { ...table, rows });
  return {
    what: "cfile reads DuckDB's files: both versions, six codecs",
    cases: 1,
    rows: table.rows.length,
    failures: await compareOurReading(name, bytes, { ...table, rows }),
    occurred: await chunkCoverage(path),
    counts: { "rows that DuckDB changed when writing": differing(table.rows, rows) },
  };
}

function differing(left: readonly string[], right: readonly string[]): number {
  return left.reduce((count, row, i) => count + (row === right[i] ? 0 : 1), 0);
}
