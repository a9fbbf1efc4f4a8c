/**
 * Spark reads the Iceberg tables that `cfile kudu export` writes of the tables of golden servers. There is a first snapshot, and one or
 * two that catch up with later writes. Each is read as a version of the table, and the last one again after Spark has rewritten its
 * files.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openIcebergTable } from "@cfile/iceberg";
import { fileDirectory } from "@cfile/io/file";
import { type KuduTable, openKuduDir } from "@cfile/kudu-dir";
import { JavaDriver, type JavaProgram } from "../java-driver.js";
import { cfileOutput } from "../kudu/cfile-command.js";
import { Random } from "../random.js";
import type { CheckResult } from "../report.js";
import { linesOfBatches, linesOfResult, rowsOf } from "../spark/table-rows.js";

const GOLDEN = fileURLToPath(new URL("../../../../fixtures/golden/servers/", import.meta.url));
const SERVERS = ["log", "file"] as const;
const LATEST = (1n << 64n) - 1n;

/** A version of a table and the time whose snapshot it should equal. */
interface Version {
  readonly asOf: bigint | undefined;
  readonly snapshot: bigint;
}

interface Compared {
  cases: number;
  rows: number;
  readonly failures: string[];
}

export async function icebergRound(
  seed: number,
  folder: string,
  program: JavaProgram,
): Promise<CheckResult[]> {
  const random = new Random(seed);
  const spark = new JavaDriver({ ...program, heap: "1g" }, sparkSettings(folder));
  const snapshots: Compared = { cases: 0, rows: 0, failures: [] };
  const rewritten: Compared = { cases: 0, rows: 0, failures: [] };
  try {
    for (const server of SERVERS) {
      const path = join(GOLDEN, server);
      await using dir = await openKuduDir(path);
      await mkdir(join(folder, "warehouse", server), { recursive: true });
      for (const table of await dir.tables()) {
        const target = { server, path, folder, name: `${server}.${table.name}` };
        const versions = await exportVersions(random, table, target);
        for (const { asOf, snapshot } of versions) {
          const query = `select * from ice.${target.name} version as of ${snapshot}`;
          await compare(spark, snapshots, { table, asOf, query, folder, what: target.name });
        }
        const query = `select * from ice.${target.name}`;
        const asOf = versions.at(-1)?.asOf;
        const call = `call ice.system.rewrite_data_files(table => '${target.name}', options => map('rewrite-all', 'true'))`;
        await spark.ask([call]);
        await compare(spark, rewritten, { table, asOf, query, folder, what: `${target.name}, rewritten` });
      }
    }
  } finally {
    await spark.stop();
  }
  return [
    { what: "Spark reads exported Kudu tables, and every snapshot of them as of its time", ...snapshots },
    { what: "Spark rewrites the data files of exported tables, with the same rows", ...rewritten },
  ];
}

function sparkSettings(folder: string): string[] {
  const settings = {
    "spark.master": "local[1]",
    "spark.app.name": "iceberg",
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.local.dir": join(folder, "local"),
    "spark.sql.shuffle.partitions": "1",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    "spark.sql.catalog.ice": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.ice.type": "hadoop",
    "spark.sql.catalog.ice.warehouse": join(folder, "warehouse"),
    "spark.sql.catalog.ice.cache-enabled": "false",
  };
  return Object.entries(settings).map(([key, value]) => `${key}=${value}`);
}

interface Target {
  readonly server: string;
  readonly path: string;
  readonly folder: string;
  readonly name: string;
}

/** Exports a table as of some time, then adds the changes until some later time, and all others. */
async function exportVersions(random: Random, table: KuduTable, target: Target): Promise<Version[]> {
  const times = await changeTimes(table);
  const first = times[random.below(Math.max(1, times.length))];
  const later = times.filter((time) => first !== undefined && time > first);
  const second = later[random.below(Math.max(1, later.length))];
  const output = join(target.folder, "warehouse", target.server, table.name);
  const command = ["kudu", "export", target.path, "--table", table.name, "--to", "iceberg", "-o", output];
  const versions: Version[] = [];
  let from: bigint | undefined;
  for (const asOf of first === undefined
    ? [undefined]
    : second === undefined
      ? [first, undefined]
      : [first, second, undefined]) {
    const range = [
      ...(from === undefined ? [] : ["--from", `${from}`]),
      ...(asOf === undefined ? [] : ["--as-of", `${asOf}`]),
    ];
    await cfileOutput([...command, ...range]);
    versions.push({ asOf, snapshot: await currentSnapshot(output) });
    from = asOf;
  }
  return versions;
}

/** Times right after changes, in order. */
async function changeTimes({ tablets }: KuduTable): Promise<bigint[]> {
  const times = new Set<bigint>();
  let start = 0n;
  for (const tablet of tablets) {
    const own = await tablet.historyStart();
    start = own > start ? own : start;
  }
  for (const tablet of tablets) {
    for await (const { changedAt } of tablet.diff(start, LATEST, { withLog: true })) {
      for (const time of changedAt) {
        times.add(time + 1n);
      }
    }
  }
  return [...times].sort((a, b) => (a < b ? -1 : 1));
}

async function currentSnapshot(path: string): Promise<bigint> {
  const [data, metadata] = await Promise.all(
    ["data", "metadata"].map((name) => fileDirectory(join(path, name))),
  );
  const table = data && metadata && (await openIcebergTable({ data, metadata, location: path }));
  if (table?.metadata.current === undefined) {
    throw new Error(`${path}: no snapshot`);
  }
  return table.metadata.current.id;
}

interface Query {
  readonly table: KuduTable;
  readonly asOf: bigint | undefined;
  readonly query: string;
  readonly folder: string;
  readonly what: string;
}

async function compare(
  spark: JavaDriver,
  result: Compared,
  { table, asOf, query, folder, what }: Query,
): Promise<void> {
  const lines: string[] = [];
  for (const tablet of table.tablets) {
    lines.push(...(await linesOfBatches(tablet.scan({ asOf, withLog: true }))));
  }
  const wanted = rowsOf(lines);
  const output = join(folder, `rows-${result.cases}`);
  result.cases++;
  result.rows += wanted.rows;
  try {
    await spark.ask([`insert overwrite directory '${output}' using parquet ${query}`]);
    const found = rowsOf(await linesOfResult(output));
    if (found.digest !== wanted.digest) {
      result.failures.push(
        `${what}, as of ${asOf ?? "now"}: ${found.rows} rows, expected ${wanted.rows}, or other cells`,
      );
    }
  } catch (error) {
    result.failures.push(`${what}, as of ${asOf ?? "now"}: ${String(error)}`);
  }
}
