/**
 * `cfile kudu restore` from the disks in the fixtures: Kudu starts on the new directories, and its client must read the same rows as
 * from the old cluster. Then it writes, flushes, compacts and restarts.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openKuduCluster } from "@cfile/kudu-dir";
import type { JavaDriver } from "../java-driver.js";
import { cfileOutput } from "../kudu/cfile-command.js";
import {
  type ClientTable,
  questionsOf,
  readSnapshot,
  readTables,
  type TabletRows,
} from "../kudu/compare/client-rows.js";
import { keyOfDeleted } from "../kudu/compare/compare-answers.js";
import { clientTable } from "../kudu/compare/compare-fixtures.js";
import { type Comparison, compareTable, firstDifference, rowTexts } from "../kudu/compare/compare-rows.js";
import { Random } from "../random.js";
import type { CheckResult } from "../report.js";
import { ClusterServers } from "./cluster-servers.js";
import { clientOf } from "./cluster-steps.js";
import { healthOf, type RestorePrograms } from "./restored-cluster.js";

const FOUR = fileURLToPath(new URL("../../../../fixtures/golden/kudu-cluster/four/", import.meta.url));
const MAINTENANCE_MS = 1500;
/** Hybrid timestamps per millisecond. */
const PER_MILLISECOND = 4_096_000n;
/** The fixtures are older than the history that servers keep by default. */
const HISTORY_SECONDS = 2_000_000_000;
const FLAGS = ["--time_source=system_unsync", `--tablet_history_max_age_sec=${HISTORY_SECONDS}`];
const SOFT_DELETED = "soft_deleted";

export async function restoredFixture(
  seed: number,
  folder: string,
  { toolHome, driver: program }: RestorePrograms,
): Promise<CheckResult[]> {
  const random = new Random(seed);
  const restored = join(folder, "restored");
  const names = Array.from({ length: random.pick([1, 2, 3, 4]) }, (_, i) => `ts${i}`);
  const servers = new ClusterServers({
    home: toolHome,
    toolHome,
    folder: restored,
    masters: ["master"],
    tabletServers: names,
    hasOneDirectory: true,
    flags: FLAGS,
  });
  await servers.reservePorts();
  const addresses = names.map((name) => servers.addressOf(name)).join(",");
  await cfileOutput(["kudu", "restore", FOUR, "-o", restored, "--addresses", addresses]);
  const truth = await fixtureTables();
  const client = { driver: clientOf(servers, program) };
  try {
    await servers.start();
    const failures = [...(await healthOf(servers)), ...(await describedDifferently(servers, truth))];
    const first = await compareTables(client.driver, truth);
    await servers.tool(["table", "recall", servers.masterAddresses, await idOf(SOFT_DELETED)]);
    const written: FixtureTable[] = [];
    for (const table of truth) {
      written.push(await writeTable(random, client.driver, table));
    }
    for (const kind of ["flush", "flush-deltas", "major", "merge"] as const) {
      await servers.maintain(kind, MAINTENANCE_MS);
    }
    const second = await compareTables(client.driver, [...truth, ...written]);
    await client.driver.stop();
    await servers.stop(random.once(2) ? "SIGTERM" : "SIGKILL");
    await servers.start();
    client.driver = clientOf(servers, program);
    const again = await healthOf(servers);
    const third = await compareTables(client.driver, [...truth, ...written]);
    const recalled = await readSnapshot(client.driver, SOFT_DELETED, now());
    const [rows, expected] = [[...recalled.rows.values()].flat(), await rowsOf(SOFT_DELETED)];
    const difference = firstDifference(expected.sort(), rows.sort());
    await client.driver.stop();
    await servers.stop("SIGTERM");
    const ours = await compareOurs(restored, third.answers);
    return [
      {
        what: "Kudu starts on a restored cluster: all snapshots and diffs",
        ...first.result,
        failures: [...failures, ...first.result.failures],
        occurred: { "tablet servers of the restored cluster": { [names.length]: 1 } },
      },
      { what: "Kudu writes, flushes and compacts in a restored cluster", ...second.result },
      {
        what: "a restored cluster starts again",
        ...third.result,
        failures: [...again, ...third.result.failures],
      },
      { what: "cfile reads the restored cluster after that", ...ours },
      {
        what: "a soft-deleted table of a restored cluster is recalled",
        cases: 1,
        rows: rows.length,
        failures: difference === undefined ? [] : [difference],
      },
    ];
  } finally {
    await client.driver.stop();
    await servers.stop("SIGKILL");
  }
}

interface FixtureTable extends ClientTable {
  /** Columns of the key, which come first. */
  readonly keyCount: number;
}

/** Tables with the rows that Kudu's client read from the running old cluster. */
async function fixtureTables(): Promise<FixtureTable[]> {
  await using cluster = await openKuduCluster(FOUR);
  const tables: FixtureTable[] = [];
  for (const file of readdirSync(join(FOUR, "rows"))) {
    const json = JSON.parse(readFileSync(join(FOUR, "rows", file), "utf8"));
    const { tablets } = await cluster.table(json.table);
    const keys = tablets[0]?.schema.columns.filter(({ isKey }) => isKey) ?? [];
    tables.push({ ...clientTable(json, tablets), keyCount: keys.length });
  }
  return tables;
}

async function rowsOf(name: string): Promise<string[]> {
  await using cluster = await openKuduCluster(FOUR);
  const rows: string[] = [];
  for await (const batch of (await cluster.table(name)).scan()) {
    rows.push(...rowTexts(batch, undefined));
  }
  return rows;
}

async function idOf(name: string): Promise<string> {
  await using cluster = await openKuduCluster(FOUR);
  return (await cluster.table(name)).id;
}

/** The output of `kudu table describe` must match that of the old cluster, except for the number of replicas. */
async function describedDifferently(
  servers: ClusterServers,
  tables: readonly ClientTable[],
): Promise<string[]> {
  const failures: string[] = [];
  for (const { name } of tables) {
    const lines = (text: string): string[] =>
      text
        .trimEnd()
        .split("\n")
        .filter((line) => !line.startsWith("REPLICAS "));
    const text = await servers.tool([
      "table", "describe", servers.masterAddresses, name, "--show_attributes", "--show_column_comment",
    ]); // biome-ignore format: one line
    const expected = lines(readFileSync(join(FOUR, "facts", `describe_${name}.txt`), "utf8"));
    const difference = firstDifference(expected, lines(text));
    failures.push(...(difference === undefined ? [] : [`describe ${name}: ${difference}`]));
  }
  return failures;
}

async function compareTables(driver: JavaDriver, tables: readonly FixtureTable[]) {
  const failures: string[] = [];
  let cases = 0;
  let rows = 0;
  const answers = await readTables(driver, tables.map(questionsOf));
  const compare = (
    what: string,
    expected: TabletRows,
    found: TabletRows | undefined,
    sure: (row: string) => string,
  ): void => {
    for (const [tablet, wanted] of expected) {
      cases++;
      rows += wanted.length;
      const difference = firstDifference(wanted.map(sure), (found?.get(tablet) ?? []).map(sure));
      failures.push(...(difference === undefined ? [] : [`${what}, tablet ${tablet}: ${difference}`]));
    }
  };
  for (const [i, { name, snapshots, diffs, keyCount }] of tables.entries()) {
    for (const [n, { timestamp, rows: expected }] of snapshots.entries()) {
      compare(`table ${name}, asOf ${timestamp}`, expected, answers[i]?.snapshots[n]?.rows, (row) => row);
    }
    // Compaction changes the cells that diffs have for deleted rows.
    const sure = keyOfDeleted(keyCount);
    for (const [n, { from, to, rows: expected }] of diffs.entries()) {
      compare(`table ${name}, diff ${from} ${to}`, expected, answers[i]?.diffs[n]?.rows, sure);
    }
  }
  return { answers, result: { cases, rows, failures } };
}

/** The rows that cfile reads from the stopped cluster must be those that Kudu's client read last. */
async function compareOurs(folder: string, answers: readonly ClientTable[]): Promise<Comparison> {
  await using cluster = await openKuduCluster(folder, { historyMaxAgeSeconds: HISTORY_SECONDS });
  const results: Comparison[] = [];
  for (const answer of answers) {
    results.push(await compareTable(cluster, answer));
  }
  return {
    cases: results.reduce((sum, { cases }) => sum + cases, 0),
    rows: results.reduce((sum, { rows }) => sum + rows, 0),
    failures: results.flatMap(({ failures }) => failures),
  };
}

/**
 * Deletes a third of the rows, and inserts and updates half of those again.
 * @returns the table with its rows after the write
 */
async function writeTable(random: Random, driver: JavaDriver, table: FixtureTable): Promise<FixtureTable> {
  const { name, columns, snapshots, keyCount } = table;
  const last = snapshots.at(-1)?.rows ?? new Map<string, readonly string[]>();
  const keyOf = (row: string): string[] => row.split("\t").slice(0, keyCount);
  const chosen = random.shuffled([...last.values()].flat());
  const deleted = chosen.slice(0, Math.ceil(chosen.length / 3));
  const again = deleted.slice(0, Math.ceil(deleted.length / 2));
  const unset = Array(columns.length - keyCount).fill("?");
  const write = async (lines: readonly string[]): Promise<bigint> => {
    const [answer = "0"] = await driver.ask(["write", name, lines.length], lines);
    const [time = "0", ...errors] = answer.split("\t");
    if (errors.length > 0) {
      throw new Error(`table ${name}: ${errors.join(" ")}`);
    }
    return BigInt(time) + 1n;
  };
  let timestamp = now();
  if (deleted.length > 0) {
    await write(deleted.map((row) => ["delete", ...keyOf(row), ...unset].join("\t")));
    await write(again.map((row) => `insert\t${row}`));
    timestamp = await write(again.map((row) => `upsert\t${row}`));
  }
  const gone = new Set(deleted.filter((row) => !again.includes(row)));
  const rows = new Map([...last].map(([tablet, all]) => [tablet, all.filter((row) => !gone.has(row))]));
  return { name, columns, keyCount, snapshots: [{ timestamp, rows }], diffs: [] };
}

function now(): bigint {
  return BigInt(Date.now()) * PER_MILLISECOND;
}
