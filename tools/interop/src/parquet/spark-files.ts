/** cfile reads Parquet files of Spark, and both of Spark's readers read ours. */
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cacheFolder, classPath } from "../artifacts.js";
import { addCoverage, type Coverage } from "../coverage.js";
import { compiledDriver, JavaDriver } from "../java-driver.js";
import { removedAtEnd } from "../processes.js";
import { Random } from "../random.js";
import type { CheckResult } from "../report.js";
import { answered, compareOurReading, rowDifference } from "./compare-files.js";
import type { CutFiles } from "./cut-files.js";
import { chunkCoverage } from "./parquet-coverage.js";
import { type RandomTable, randomTable, writeOurs } from "./random-table.js";

/** Codecs that Spark writes without additional libraries. */
const CODECS = ["uncompressed", "snappy", "gzip", "lz4", "lz4_raw", "zstd"] as const;
const OUR_CODECS = ["UNCOMPRESSED", "SNAPPY", "GZIP", "LZ4_RAW"] as const;
const FILES = 2;

let spark: JavaDriver | undefined;

/** One Spark process for all rounds, because it takes seconds to start. */
export async function sparkDriver(): Promise<JavaDriver> {
  if (spark === undefined || spark.isEnded) {
    const program = await compiledDriver(
      join(cacheFolder(), "classes"),
      await classPath("spark"),
      "SparkParquetDriver",
    );
    const folder = await mkdtemp(join(tmpdir(), "cfile-interop-spark-"));
    removedAtEnd(folder);
    spark = new JavaDriver({ ...program, heap: "768m", scratch: folder }, [folder]);
  }
  return spark;
}

/** @param cuts gets the files, to cut them */
export async function sparkFiles(seed: number, folder: string, cuts: CutFiles): Promise<CheckResult[]> {
  const random = new Random(seed ^ 0x51a7c);
  const driver = await sparkDriver();
  const theirs: string[] = [];
  const ours: string[] = [];
  let rows = 0;
  let ourRows = 0;
  let occurred: Coverage = {};
  for (let i = 0; i < FILES; i++) {
    const table = randomTable(random);
    rows += table.rows.length;
    const path = join(folder, `spark-${i}.parquet`);
    const options = [
      random.pick(CODECS),
      random.pick(["PARQUET_1_0", "PARQUET_2_0"]),
      random.below(2),
      random.pick([200, 4000, 1_000_000]),
      random.pick([20_000, 100_000_000]),
    ];
    await driver.ask(["write", path, table.rows.length, schemaOf(table), ...options], table.rows);
    const bytes = new Uint8Array(await readFile(path));
    theirs.push(...(await compareOurReading(`${path} (${options.join(" ")})`, bytes, table)));
    await cuts.cut(random, path, bytes, table);

    occurred = addCoverage(occurred, await chunkCoverage(path, options[1] === "PARQUET_1_0" ? 1 : 2));

    for (const [what, our] of [
      ["ours", table],
      ["arrays", randomTable(random, true)],
    ] as const) {
      const own = join(folder, `${what}-for-spark-${i}.parquet`);
      const written = await writeOurs(random, our, random.pick(OUR_CODECS));
      await writeFile(own, written.bytes);
      ourRows += our.rows.length;
      for (const isVectorized of [1, 0]) {
        const name = `${own} (${written.options}), ${isVectorized === 1 ? "" : "not "}vectorized`;
        ours.push(...rowDifference(name, our.rows, await answered(driver, own, isVectorized)));
      }
    }
  }
  return [
    {
      what: "cfile reads Spark's files: pages v1 and v2, dictionaries, delta encodings, six codecs",
      cases: FILES,
      rows,
      failures: theirs,
      occurred,
    },
    {
      what: "Spark reads our files, with and without arrays, with both of its readers, checksums verified",
      cases: 4 * FILES,
      rows: 2 * ourRows,
      failures: ours,
    },
  ];
}

function schemaOf({ columns }: RandomTable): string {
  return columns.map(({ name, type }) => `${name}:${type}`).join(";");
}
