/**
 * cfile reads Parquet files of parquet-java, Spark and DuckDB, and they read ours. With damaged files, checks
 * which readers detect the damage, and what cfile recovers.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { addCoverage, type Coverage } from "../coverage.js";
import type { JavaDriver } from "../java-driver.js";
import { Random } from "../random.js";
import type { CheckResult } from "../report.js";
import { answered, compareOurReading, rowDifference } from "./compare-files.js";
import { CutFiles } from "./cut-files.js";
import { type FlipCounts, flipBytes } from "./damaged-files.js";
import { duckDbFile } from "./duckdb-files.js";
import { readByDuckDb } from "./duckdb-rows.js";
import { kuduArrays } from "./kudu-arrays.js";
import { chunkCoverage } from "./parquet-coverage.js";
import { randomTable, schemaText, writeOurs } from "./random-table.js";
import { sparkDriver, sparkFiles } from "./spark-files.js";

const CODECS = ["UNCOMPRESSED", "SNAPPY", "GZIP", "LZ4_RAW"] as const;
const FILES = 4;

export async function parquetRound(seed: number, folder: string, driver: JavaDriver): Promise<CheckResult[]> {
  const random = new Random(seed);
  const theirs: string[] = [];
  const ours: string[] = [];
  const duck: string[] = [];
  const damage: string[] = [];
  const flipped: FlipCounts = {};
  const copies: CheckResult[] = [];
  const cuts = new CutFiles();
  const readers = { java: driver, spark: await sparkDriver() };
  let flips = 0;
  let occurred: Coverage = {};
  let rows = 0;
  for (let i = 0; i < FILES; i++) {
    const table = randomTable(random);
    rows += table.rows.length;
    const path = join(folder, `java-${i}.parquet`);
    const options = [
      random.pick(CODECS),
      random.pick(["PARQUET_1_0", "PARQUET_2_0"]),
      random.below(2),
      random.below(2),
      random.pick([200, 4000, 1_000_000]),
      random.pick([20_000, 100_000_000]),
    ];
    await driver.ask(["write", path, table.rows.length, schemaText(table), ...options], table.rows);
    const bytes = await readFile(path);
    theirs.push(...(await compareOurReading(`${path} (${options.join(" ")})`, bytes, table)));
    await cuts.cut(random, path, new Uint8Array(bytes), table);
    const damaged = await flipBytes(random, path, table, readers, flipped);
    flips += damaged.cases;
    damage.push(...damaged.failures);

    occurred = addCoverage(occurred, await chunkCoverage(path, options[1] === "PARQUET_1_0" ? 1 : 2));

    const own = join(folder, `ours-${i}.parquet`);
    const written = await writeOurs(random, table, random.pick(CODECS));
    await writeFile(own, written.bytes);
    await cuts.cut(random, own, written.bytes, table);
    const name = `${own} (${written.options})`;
    ours.push(...rowDifference(name, table.rows, await answered(driver, own)));
    duck.push(...rowDifference(name, table.rows, await readByDuckDb(own, table.columns)));
    copies.push(await duckDbFile(seed * FILES + i, folder, own, table, cuts));
  }
  return [
    {
      what: "cfile reads parquet-java's files: pages v1 and v2, dictionaries, delta and split encodings, four codecs",
      cases: FILES,
      rows,
      failures: theirs,
      occurred,
    },
    { what: "parquet-java reads our files, checksums verified", cases: FILES, rows, failures: ours },
    await kuduArrays(folder, driver),
    ...(await sparkFiles(seed, folder, cuts)),
    { what: "DuckDB reads our files", cases: FILES, rows, failures: duck },
    ...copies,
    cuts.result(),
    {
      what: "a flipped byte: cfile names the page and recovers the rest",
      cases: flips,
      rows: 0,
      failures: damage,
      counts: flipped,
    },
  ];
}
