/**
 * Compares the size of an exported table, and its read time in Spark and DuckDB, with those of a table that Spark writes from the same
 * rows.
 */
import { mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { openSource } from "@cfile/io";
import { describeParquet } from "@cfile/parquet/inspect";
import { loadRowSets, loadSchema, syntheticServer } from "@cfile-tools/kudu-synthetic";
import { DuckDBInstance } from "@duckdb/node-api";
import type { JavaDriver } from "../java-driver.js";
import { cfileOutput } from "../kudu/cfile-command.js";
import type { CheckResult } from "../report.js";

const ROWS = 2_000_000;
const FLUSHES = 8;
const RUNS = 5;
/** Filter size for 1 % false positives over all rows, which Spark writes into one row group. */
const FILTER_BYTES = 4 << 20;
const NAMES = ["ours", "spark"] as const;
/** Reads all cells. */
const SUM = "select sum(key), sum(int_val), max(string_val), count(*)";

/** @param folder has the warehouse of the catalog `ice` */
export async function besideSpark(spark: JavaDriver, folder: string): Promise<CheckResult> {
  const path = join(folder, "large-server");
  const server = await syntheticServer(path, { disks: 1, blockManager: "log", containerBytes: 1 << 26 });
  await server.add({ table: "load", schema: loadSchema, rowSets: loadRowSets(ROWS, FLUSHES, 0) });
  await server.finish();
  const tables = join(folder, "warehouse", "large");
  await mkdir(tables, { recursive: true });
  await cfileOutput([
    "kudu",
    "export",
    path,
    "--table",
    "load",
    "--to",
    "iceberg",
    "-o",
    join(tables, "ours"),
  ]);
  // By default, Spark writes filters of 1 MiB, whatever their rate of false positives.
  const filters = `tblproperties('write.parquet.bloom-filter-enabled.column.key'='true', 'write.parquet.bloom-filter-max-bytes'='${FILTER_BYTES}')`;
  await spark.ask([`create table ice.large.spark using iceberg ${filters} as select * from ice.large.ours`]);
  const sizes = await Promise.all(NAMES.map((name) => sizeOf(join(tables, name, "data"))));
  const inSpark = await fastest((name) => spark.ask([`${SUM} from ice.large.${name}`]));
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  const inDuckdb = await fastest((name) =>
    connection.runAndReadAll(`${SUM} from read_parquet('${join(tables, name, "data")}/*.parquet')`),
  );
  connection.closeSync();
  const filterSizes = await Promise.all(NAMES.map((name) => filtersOf(join(tables, name, "data"))));
  const plain = sizes.map((size, i) => size - (filterSizes[i] ?? 0));
  const figures = `${ratio(sizes).toFixed(3)} × the bytes, both with Bloom filters of 1 % (${ratio(plain).toFixed(3)} × without filters), read by Spark in ${ratio(inSpark).toFixed(2)} × and by DuckDB in ${ratio(inDuckdb).toFixed(2)} × the time`;
  return {
    what: `An exported table beside what Spark writes of the same rows: ${figures}`,
    cases: 1,
    rows: ROWS,
    failures: [],
  };
}

function ratio([ours = Number.NaN, spark = Number.NaN]: readonly number[]): number {
  return ours / spark;
}

async function sizeOf(folder: string): Promise<number> {
  const files = (await readdir(folder)).filter((name) => name.endsWith(".parquet"));
  const sizes = await Promise.all(files.map(async (name) => (await stat(join(folder, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Bytes of Bloom filters. */
async function filtersOf(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of (await readdir(folder)).filter((one) => one.endsWith(".parquet"))) {
    const source = await openSource(join(folder, name));
    const { rowGroups } = await describeParquet(source);
    for (const { bloomFilter } of rowGroups.flatMap(({ chunks }) => chunks)) {
      bytes += bloomFilter?.size ?? 0;
    }
    await source.close?.();
  }
  return bytes;
}

/** Milliseconds of the fastest of several alternating runs, by table. */
async function fastest(read: (name: string) => Promise<unknown>): Promise<number[]> {
  const times = NAMES.map(() => Number.POSITIVE_INFINITY);
  for (let run = 0; run < RUNS; run++) {
    for (const [i, name] of NAMES.entries()) {
      const start = performance.now();
      await read(name);
      times[i] = Math.min(times[i] ?? 0, performance.now() - start);
    }
  }
  return times;
}
