/**
 * Spark runs our splits on two executors. Its result must equal the export of one process, also when an
 * executor is killed, when workers fail or run twice, and when sources are damaged.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { JavaDriver, type JavaProgram } from "../java-driver.js";
import { cfileAnswer, cfileOutput } from "../kudu/cfile-command.js";
import type { CheckResult } from "../report.js";
import { compareJob, type JobComparison } from "./compared-job.js";
import { damagedRound } from "./damaged-round.js";
import {
  catalogSettings,
  icebergFolder,
  icebergSettings,
  type Spark,
  submitJob,
  WORKER,
} from "./spark-cluster.js";
import { datasetColumns, makeDataset, makeServer, TABLE, TABLETS } from "./spark-inputs.js";
import { exportDataset } from "./table-rows.js";

export interface SparkTools {
  readonly spark: Spark;
  readonly sql: JavaProgram;
}

const ICEBERG = "ice.db.events";
const PARTS = 125;
/** Bytes per split: about twenty splits per source. */
const TARGETS = { server: "160KiB", dataset: "128KiB" };
/**
 * A worker command. The first worker is killed before it reads, the second fails after writing and answering,
 * and the third runs in two processes at the same time. Its arguments: a prefix for marker names, and the
 * command.
 */
const UNRELIABLE = `
  if mkdir "$0.killed" 2>/dev/null; then kill -9 $$; fi
  line=$(cat)
  answer() { printf '%s\\n' "$line" | "$@"; }
  if mkdir "$0.failed" 2>/dev/null; then answer "$@"; exit 9; fi
  if mkdir "$0.twice" 2>/dev/null; then answer "$@" > /dev/null & answer "$@"; wait; exit; fi
  answer "$@"`;
const FAILURES = 2;

export async function sparkRound(seed: number, folder: string, tools: SparkTools): Promise<CheckResult[]> {
  const path = (name: string): string => join(folder, name);
  await makeServer(path("server"), seed);
  const dataset = await makeDataset(path("dataset"), PARTS, seed, [1024, 4096, 262144]);
  const single = { server: path("server.parquet"), dataset: path("dataset.parquet") };
  await cfileOutput(["kudu", "export", path("server"), "--table", TABLE, "-o", single.server, "-j", "1"]);
  await exportDataset(dataset.path, datasetColumns, single.dataset);
  const splits = { server: path("server.ndjson"), dataset: path("dataset.ndjson") };
  await planSplits(path("server"), splits.server, "--table", TABLE, "--target", TARGETS.server);
  await planSplits(dataset.path, splits.dataset, "--target", TARGETS.dataset);

  const ofServer = { splits: splits.server, single: single.server };
  const undisturbed = await compareJob(tools.spark, folder, { ...ofServer, table: "undisturbed" });
  const killAfter = Math.floor(undisturbed.splits / 2);
  const killed = await compareJob(tools.spark, folder, { ...ofServer, table: "killed", killAfter });
  const retried = await compareJob(tools.spark, folder, {
    splits: splits.dataset,
    single: single.dataset,
    table: "retried",
    worker: ["sh", "-c", UNRELIABLE, path("worker"), ...WORKER],
  });
  const again =
    retried.retries === FAILURES ? [] : [`retried: ${retried.retries} retries, expected ${FAILURES}`];

  const regions = await hbaseJob(folder, tools.spark);
  const iceberg = await icebergJob(folder, tools.spark, ofServer);

  const changed = [...killed.digests].filter(([name, digest]) => undisturbed.digests.get(name) !== digest);
  const different = changed.map(([name]) => `killed: ${name} has other bytes than without the kill`);
  const queried = await queryTables(folder, tools.sql, [
    { table: "undisturbed", single: single.server, rows: undisturbed.rows },
    { table: "killed", single: single.server, rows: killed.rows },
    { table: "retried", single: single.dataset, rows: retried.rows },
    { table: "regions", single: path("regions.parquet"), rows: regions.rows },
    { table: ICEBERG, single: single.server, rows: iceberg.rows },
  ]);
  return [
    result(
      `a server's directories of ${TABLETS} tablets, in splits: equals the export of one process`,
      undisturbed,
    ),
    result("one of two executors killed half-way: the same rows, the same bytes", killed, different),
    result(
      `${dataset.files.flat().length} CFiles, in splits, with workers that fail, are killed, or run twice: equals the export of one process`,
      retried,
      again,
    ),
    result("a snapshot of HBase, one split per region: equals the export of one process", regions),
    result("an Iceberg table of the splits, committed once by the driver: equals the export", iceberg),
    queried,
    await damagedRound(seed, folder, tools.spark),
  ];
}

/** The table has one snapshot, which cfile reads with the rows of the export, and a second run refuses it. */
async function icebergJob(
  folder: string,
  spark: Spark,
  source: { readonly splits: string; readonly single: string },
): Promise<JobComparison> {
  const settings = icebergSettings(folder);
  const job = { ...source, table: ICEBERG, options: ["--iceberg"], settings, isIceberg: true } as const;
  const compared = await compareJob(spark, folder, job);
  const output = icebergFolder(folder, ICEBERG);
  const failures = [...compared.failures];
  const equal = await cfileAnswer(["compare", source.single, output]);
  if (!equal.output.startsWith("equal: ")) {
    failures.push(`${ICEBERG}: cfile compare: ${equal.output}${equal.messages}`);
  }
  const again = await submitJob(spark, folder, { ...job, output, options: ["--iceberg", "--overwrite"] });
  const after = await cfileAnswer(["compare", source.single, output]);
  if (again.code === 0 || after.code !== 0) {
    failures.push(
      `${ICEBERG}: a second run exited with ${again.code}, and the table compares with ${after.code}`,
    );
  }
  return { ...compared, failures };
}

async function hbaseJob(folder: string, spark: Spark): Promise<JobComparison> {
  const splits = join(folder, "regions.ndjson");
  const single = join(folder, "regions.parquet");
  const root = fileURLToPath(new URL("../../../../fixtures/golden/hbase-table/root", import.meta.url));
  const schema = "row:string,a:q0:binary,a:q1:binary,b:q2:binary";
  const source = [root, "--snapshot", "split_after", "--schema", schema];
  await cfileOutput(["hbase", "splits", ...source, "-o", splits]);
  await cfileOutput(["hbase", "export", ...source, "-o", single, "-j", "1"]);
  return compareJob(spark, folder, { splits, single, table: "regions" });
}

function planSplits(source: string, target: string, ...options: string[]): Promise<string> {
  return cfileOutput(["splits", source, ...options, "-o", target]);
}

function result(what: string, job: JobComparison, more: readonly string[] = []): CheckResult {
  const counts: Record<string, number> = job.killed > 0 ? { "executors killed": job.killed } : {};
  if (job.retries > 0) {
    counts["retried splits"] = job.retries;
  }
  return { what, cases: job.splits, rows: job.rows, failures: [...job.failures, ...more], counts };
}

/** In a later session: the catalog has the tables, and no row is in only one of table and single export. */
async function queryTables(
  folder: string,
  program: JavaProgram,
  tables: readonly { table: string; single: string; rows: number }[],
): Promise<CheckResult> {
  const settings = { ...catalogSettings(folder), ...icebergSettings(folder), "spark.master": "local[1]" };
  const session = new JavaDriver(
    { ...program, heap: "768m" },
    Object.entries(settings).map(([key, value]) => `${key}=${value}`),
  );
  const failures: string[] = [];
  try {
    for (const { table, single, rows } of tables) {
      const query = `with single as (select * from parquet.\`${single}\`),
        more as (select * from ${table} except all select * from single),
        less as (select * from single except all select * from ${table})
        select (select count(*) from ${table}) n, (select count(*) from more) more, (select count(*) from less) less`;
      const answer = await session.ask([query.replace(/\s+/g, " ")]);
      const expected = JSON.stringify({ n: rows, more: 0, less: 0 });
      if (answer.join("\n") !== expected) {
        failures.push(`table ${table}: Spark SQL says ${answer.join(" ")}, expected ${expected}`);
      }
    }
  } finally {
    await session.stop();
  }
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return {
    what: "Spark SQL, another session: the tables have exactly the rows of the exports",
    cases: tables.length,
    rows,
    failures,
  };
}
