/**
 * Spark reads the Iceberg tables that `cfile kudu export` writes of the tables of golden servers. There is a first snapshot, and one or
 * two that catch up with later writes. Each is read as a version of the table, and the last one again after Spark has rewritten its
 * files. cfile reads the same snapshots, and tables from which Spark has deleted rows by their position.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type IcebergTable, openIcebergTable, readSnapshot } from "@cfile/iceberg";
import { fileDirectory } from "@cfile/io/file";
import { type KuduTable, openKuduDir } from "@cfile/kudu-dir";
import { JavaDriver, type JavaProgram } from "../java-driver.js";
import { cfileOutput } from "../kudu/cfile-command.js";
import { Random } from "../random.js";
import type { CheckResult } from "../report.js";
import { linesOfBatches, linesOfResult, rowsOf } from "../spark/table-rows.js";
import { arrayTables } from "./array-tables.js";
import { besideSpark } from "./beside-spark.js";

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
  const read: Compared = { cases: 0, rows: 0, failures: [] };
  const arrays: Compared = { cases: 0, rows: 0, failures: [] };
  let large: CheckResult;
  const answer = async (query: string): Promise<string[]> => {
    const counts = [snapshots, rewritten, read, arrays].map(({ cases }) => cases);
    const rows = join(folder, `rows-${counts.join("-")}`);
    await spark.ask([`insert overwrite directory '${rows}' using parquet ${query}`]);
    return linesOfResult(rows);
  };
  try {
    large = await besideSpark(spark, folder);
    for (const { name, lines } of await arrayTables(join(folder, "warehouse"))) {
      await compare(arrays, name, lines, () => answer(`select * from ice.${name}`));
    }
    for (const server of SERVERS) {
      const path = join(GOLDEN, server);
      await using dir = await openKuduDir(path);
      await mkdir(join(folder, "warehouse", server), { recursive: true });
      for (const table of await dir.tables()) {
        const target = { table: table.name, server, path, folder, name: `${server}.${table.name}` };
        const versions = await exportVersions(random, table, target);
        const output = tableFolder(target);
        for (const { asOf, snapshot } of versions) {
          const what = `${target.name}, as of ${asOf ?? "now"}`;
          const wanted = await kuduLines(table, asOf);
          const query = `select * from ice.${target.name} version as of ${snapshot}`;
          await compare(snapshots, what, wanted, () => answer(query));
          await compare(read, what, wanted, () => linesAt(output, snapshot));
        }
        const query = `select * from ice.${target.name}`;
        const wanted = await kuduLines(table, versions.at(-1)?.asOf);
        const call = `call ice.system.rewrite_data_files(table => '${target.name}', options => map('rewrite-all', 'true'))`;
        await spark.ask([call]);
        await compare(rewritten, `${target.name}, rewritten`, wanted, () => answer(query));
        await compare(read, `${target.name}, rewritten`, wanted, () => linesAt(output));
        const modes = "'write.delete.mode'='merge-on-read', 'write.delete.distribution-mode'='none'";
        await spark.ask([`alter table ice.${target.name} set tblproperties(${modes})`]);
        const key = table.tablets[0]?.schema.columns[0]?.name;
        await spark.ask([`delete from ice.${target.name} where abs(hash(\`${key}\`)) % 3 = 0`]);
        await compare(read, `${target.name}, with deletes`, await answer(query), () => linesAt(output));
      }
    }
  } finally {
    await spark.stop();
  }
  return [
    { what: "Spark reads exported Kudu tables, and every snapshot of them as of its time", ...snapshots },
    { what: "Spark rewrites the data files of exported tables, with the same rows", ...rewritten },
    {
      what: "cfile reads all of these, and tables with position deletes of Spark, with the same rows",
      ...read,
    },
    { what: "Spark reads arrays of golden CFiles, converted to Iceberg tables", ...arrays },
    large,
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
  readonly table: string;
  readonly server: string;
  readonly path: string;
  readonly folder: string;
  readonly name: string;
}

function tableFolder({ folder, server, table }: Target): string {
  return join(folder, "warehouse", server, table);
}

/** Exports a table as of some time, then adds the changes until some later time, and all others. */
async function exportVersions(random: Random, table: KuduTable, target: Target): Promise<Version[]> {
  const times = await changeTimes(table);
  const first = times[random.below(Math.max(1, times.length))];
  const later = times.filter((time) => first !== undefined && time > first);
  const second = later[random.below(Math.max(1, later.length))];
  const output = tableFolder(target);
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

async function openTable(path: string): Promise<IcebergTable> {
  const [data, metadata] = await Promise.all(
    ["data", "metadata"].map((name) => fileDirectory(join(path, name), { create: true })),
  );
  const table = data && metadata && (await openIcebergTable({ data, metadata, location: path }));
  if (table === undefined) {
    throw new Error(`${path}: no table`);
  }
  return table;
}

async function currentSnapshot(path: string): Promise<bigint> {
  const { metadata } = await openTable(path);
  if (metadata.current === undefined) {
    throw new Error(`${path}: no snapshot`);
  }
  return metadata.current.id;
}

async function kuduLines({ tablets }: KuduTable, asOf: bigint | undefined): Promise<string[]> {
  const lines: string[] = [];
  for (const tablet of tablets) {
    lines.push(...(await linesOfBatches(tablet.scan({ asOf, withLog: true }))));
  }
  return lines;
}

/** The rows that cfile reads at a snapshot; default: the current one. */
async function linesAt(path: string, snapshotId?: bigint): Promise<string[]> {
  const table = await openTable(path);
  const snapshot = table.metadata.snapshots.find(({ id }) => id === snapshotId) ?? table.metadata.current;
  const lines: string[] = [];
  for (const file of (await readSnapshot(table, snapshot)).files) {
    lines.push(...(await linesOfBatches(file.rows())));
  }
  return lines;
}

async function compare(
  result: Compared,
  what: string,
  expected: readonly string[],
  read: () => Promise<readonly string[]>,
): Promise<void> {
  const wanted = rowsOf([...expected]);
  result.cases++;
  result.rows += wanted.rows;
  try {
    const found = rowsOf([...(await read())]);
    if (found.digest !== wanted.digest) {
      result.failures.push(`${what}: ${found.rows} rows, expected ${wanted.rows}, or other cells`);
    }
  } catch (error) {
    result.failures.push(`${what}: ${String(error)}`);
  }
}
