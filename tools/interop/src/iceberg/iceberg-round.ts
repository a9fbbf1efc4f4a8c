/**
 * Spark reads the Iceberg tables that `cfile kudu export` writes from the tables of golden servers and of a new server with random
 * changes. Each table gets a first snapshot and one or two that catch up with later writes. Spark reads each version, and the last one
 * again after it has rewritten the files. cfile reads the same snapshots, and tables from which Spark has deleted rows by position.
 * Spark also reads tables made from the files of splits.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type KuduTable, openKuduDir } from "@cfile/kudu-dir";
import { JavaDriver, type JavaProgram } from "../java-driver.js";
import { cfileOutput } from "../kudu/cfile-command.js";
import { kuduRound } from "../kudu/kudu-round.js";
import type { KuduPrograms } from "../kudu/session.js";
import { Random } from "../random.js";
import type { CheckResult } from "../report.js";
import { linesOfResult } from "../spark/table-rows.js";
import { arrayTables } from "./array-tables.js";
import { besideSpark } from "./beside-spark.js";
import { type Compared, compare, currentSnapshot, kuduLines, linesAt, openTable } from "./compared-tables.js";
import { compareByIcebird } from "./icebird-tables.js";

const GOLDEN = fileURLToPath(new URL("../../../../fixtures/golden/servers/", import.meta.url));
const SERVERS = ["log", "file"] as const;
const LATEST = (1n << 64n) - 1n;

/** A version of a table, and the time of the Kudu snapshot that it should equal. */
interface Version {
  readonly asOf: bigint | undefined;
  readonly snapshot: bigint;
}

export interface IcebergPrograms {
  readonly sql: JavaProgram;
  readonly kudu: KuduPrograms;
}

export async function icebergRound(
  seed: number,
  folder: string,
  { sql: program, kudu }: IcebergPrograms,
): Promise<CheckResult[]> {
  const random = new Random(seed);
  const worked = join(folder, "kudu");
  const workload = await kuduRound(seed, worked, kudu);
  const spark = new JavaDriver({ ...program, heap: "1g" }, sparkSettings(folder));
  const snapshots: Compared = { cases: 0, rows: 0, failures: [] };
  const rewritten: Compared = { cases: 0, rows: 0, failures: [] };
  const read: Compared = { cases: 0, rows: 0, failures: [] };
  const arrays: Compared = { cases: 0, rows: 0, failures: [] };
  const splits: Compared = { cases: 0, rows: 0, failures: [] };
  const addedFiles: Compared = { cases: 0, rows: 0, failures: [] };
  const pruned: Compared = { cases: 0, rows: 0, failures: [] };
  const byIcebird: Compared = { cases: 0, rows: 0, failures: [] };
  let large: CheckResult;
  const answer = async (query: string): Promise<string[]> => {
    const counts = [snapshots, rewritten, read, arrays, splits, addedFiles, pruned].map(({ cases }) => cases);
    const rows = join(folder, `rows-${counts.join("-")}`);
    await spark.ask([`insert overwrite directory '${rows}' using parquet ${query}`]);
    return linesOfResult(rows);
  };
  try {
    large = await besideSpark(spark, folder);
    for (const { name, lines } of await arrayTables(join(folder, "warehouse"))) {
      await compare(arrays, name, lines, () => answer(`select * from ice.${name}`));
    }
    const servers = [
      ...SERVERS.map((name) => [name, join(GOLDEN, name)] as const),
      ["kudu", join(worked, "ts")] as const,
    ];
    for (const [server, path] of servers) {
      await using dir = await openKuduDir(path);
      await mkdir(join(folder, "warehouse", server), { recursive: true });
      for (const table of await dir.tables()) {
        const target = { table: table.name, server, path, folder, name: `${server}.${table.name}` };
        const flushed = await kuduLines(table, undefined, false);
        const { committed, parts } = await exportSplits(target);
        if (committed !== undefined) {
          await compare(splits, `${target.name}, splits`, flushed, () =>
            answer(`select * from ice.${committed}`),
          );
          const added = `${target.name}_added`;
          await spark.ask([
            `create table ice.${added} using iceberg as select * from parquet.\`${parts}\` limit 0`,
          ]);
          const from = `source_table => '\`parquet\`.\`${parts}\`'`;
          await spark.ask([`call ice.system.add_files(table => '${added}', ${from})`]);
          await compare(addedFiles, added, flushed, () => answer(`select * from ice.${added}`));
        }
        const versions = await exportVersions(random, table, target);
        const output = tableFolder(target);
        for (const { asOf, snapshot } of versions) {
          const what = `${target.name}, as of ${asOf ?? "now"}`;
          const wanted = await kuduLines(table, asOf);
          const query = `select * from ice.${target.name} version as of ${snapshot}`;
          await compare(snapshots, what, wanted, () => answer(query));
          await compare(read, what, wanted, () => linesAt(output, snapshot), true);
        }
        await compareByIcebird(
          byIcebird,
          table,
          { path, output: join(folder, "icebird", `${server}-${table.name}`) },
          versions.map(({ asOf }) => asOf),
        );
        await comparePartitions(pruned, target, await kuduLines(table, versions.at(-1)?.asOf), {
          ask: (query) => spark.ask([query]),
          answer,
        });
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
    {
      what: "icebird reads the snapshots that have keys it can compare: numbers, text and booleans of all rows",
      ...byIcebird,
    },
    { what: "Spark reads tables whose data files were written by splits, and committed at once", ...splits },
    { what: "Spark adds the Parquet files of splits to an Iceberg table, in one commit", ...addedFiles },
    { what: "Spark reads tables that are partitioned by Kudu's ranges, with a condition on them", ...pruned },
    { what: "Spark reads arrays of golden CFiles, converted to Iceberg tables", ...arrays },
    large,
    ...workload.filter(({ failures }) => failures.length > 0),
  ];
}

/** Lines of the answer to a query. */
type Ask = (query: string) => Promise<string[]>;

/** Compares a table that is partitioned by integers: rows below and above zero, and the partitions that Spark lists. */
async function comparePartitions(
  result: Compared,
  target: Target,
  lines: readonly string[],
  spark: { readonly ask: Ask; readonly answer: Ask },
): Promise<void> {
  const { metadata } = await openTable(tableFolder(target));
  const [field] = metadata.partitionSpec?.fields ?? [];
  const [column] = metadata.schema.fields;
  if (
    field === undefined ||
    field.sourceId !== column?.id ||
    !["int", "long"].includes(String(column.type))
  ) {
    return;
  }
  const partitions = await spark.ask(
    `select count(*) n from ice.${target.name}.partitions where spec_id = ${metadata.partitionSpec?.id}`,
  );
  if (partitions.join() === '{"n":0}') {
    result.failures.push(`${target.name}: Spark lists no partitions`);
  }
  for (const [sign, isIn] of [
    ["<", (id: bigint) => id < 0n],
    [">=", (id: bigint) => id >= 0n],
  ] as const) {
    const wanted = lines.filter((line) => isIn(BigInt(line.split("\t", 1)[0] ?? "0")));
    const query = `select * from ice.${target.name} where \`${column.name}\` ${sign} 0`;
    await compare(result, `${target.name} ${sign} 0`, wanted, () => spark.answer(query));
  }
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

/** Writes the flushed rows in splits. @returns the name of the Iceberg table, and the folder of the Parquet files */
async function exportSplits({ path, table, folder, server }: Target) {
  const plan = join(folder, `${server}-${table}-plan.ndjson`);
  const results = join(folder, `${server}-${table}-results.ndjson`);
  const parts = join(folder, "parts", server, table);
  const output = join(folder, "warehouse", server, `${table}_splits`);
  await cfileOutput(["splits", path, "--table", table, "--target", "16K", "-o", plan]);
  const lines = await readFile(plan);
  // A table without rows has no splits, which would name its columns.
  if (lines.length === 0) {
    return { committed: undefined, parts };
  }
  await writeFile(results, await cfileOutput(["run-split", "--to", "iceberg", "-o", output], lines));
  await cfileOutput(["commit-splits", plan, results, "-o", output]);
  await cfileOutput(["run-split", "-o", parts], lines);
  return { committed: `${server}.${table}_splits`, parts };
}

/** Exports a table as of a time, then adds the changes up to a later time, then all others. */
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
