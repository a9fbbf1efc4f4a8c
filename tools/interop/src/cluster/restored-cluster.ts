/** `cfile kudu restore` from the disks of a killed cluster: Kudu starts on the new directories, reads, writes, flushes and compacts. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { JavaProgram } from "../java-driver.js";
import { cfileOutput } from "../kudu/cfile-command.js";
import { readSnapshot } from "../kudu/compare/client-rows.js";
import { firstDifference } from "../kudu/compare/compare-rows.js";
import type { CheckResult } from "../report.js";
import { ClusterServers } from "./cluster-servers.js";
import { type ClusterWork, clientOf, truthOf, writeAll } from "./cluster-steps.js";
import type { ClusterTruth } from "./cluster-truth.js";
import { compareCluster } from "./compare/compare-cluster.js";
import { releaseOf } from "./kudu-releases.js";

export interface RestorePrograms {
  /** Programs of the newest version. */
  readonly toolHome: string;
  readonly driver: JavaProgram;
}

const MAINTENANCE_MS = 1000;
const MOST_ATTEMPTS = 40;
const ATTEMPT_MS = 500;
/** Hybrid timestamps per millisecond. */
const PER_MILLISECOND = 4_096_000n;

export async function restoredRound(
  before: ClusterWork,
  truth: ClusterTruth,
  { toolHome, driver: program }: RestorePrograms,
): Promise<CheckResult[]> {
  const { random, tables, servers: old } = before;
  const { folder: disks } = old.options;
  const folder = join(disks, "restored");
  const count = random.pick([1, 3]);
  const servers = new ClusterServers({
    home: toolHome,
    toolHome,
    folder,
    masters: ["master"],
    tabletServers: Array.from({ length: count }, (_, i) => `ts${i}`),
    hasOneDirectory: true,
    flags: ["--time_source=system_unsync"],
  });
  await servers.reservePorts();
  const addresses = servers.tabletServers.map((name) => servers.addressOf(name)).join(",");
  const roots = [...old.masters, ...old.tabletServers].map((name) => join(disks, name));
  await cfileOutput([
    "kudu", "restore", ...roots, "-o", folder, "--servers", String(count), "--addresses", addresses,
  ]); // biome-ignore format: one line
  const driver = clientOf(servers, program);
  try {
    await servers.start();
    const health = await healthOf(servers);
    for (const { table } of tables.filter((one) => one.table.deletedId !== undefined)) {
      await table.recall(driver);
    }
    const read = await compareRestored({ ...before, servers, driver }, truth);
    for (const { table } of tables) {
      table.contradictions.length = 0;
    }
    const work: ClusterWork = { ...before, servers, driver, release: releaseOf("1.18.1") };
    await writeAll(work);
    for (const kind of ["flush", "flush-deltas", "merge", "major"] as const) {
      await servers.maintain(kind, MAINTENANCE_MS);
    }
    await writeAll(work);
    await driver.stop();
    await servers.stop("SIGTERM");
    const known = tables.filter(({ table }) => table.isKnown);
    const after = { ...truth, tables: known.map((table) => ({ ...truthOf(table), read: [] })) };
    const again = await compareCluster(after, {
      what: "Kudu 1.18.1 writes and compacts in a restored cluster, and cfile reads the result",
      roots: [folder],
      isIncomplete: false,
      isDamaged: false,
    });
    const contradictions = tables.flatMap(({ table }) => table.contradictions);
    return [
      { ...read, failures: [...health, ...read.failures] },
      { ...again, failures: [...contradictions, ...again.failures] },
    ];
  } finally {
    await driver.stop();
    await servers.stop("SIGKILL");
  }
}

/** Problems that `kudu cluster ksck` reports after leaders have had time to be elected. */
export async function healthOf(servers: ClusterServers): Promise<readonly string[]> {
  let reason = "";
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    try {
      await servers.tool(["cluster", "ksck", servers.masterAddresses]);
      return [];
    } catch (error) {
      reason = String(error).slice(-1500);
    }
    await sleep(ATTEMPT_MS);
  }
  return [`ksck: ${reason}`];
}

/** Compares the latest rows of each table, and all snapshots, that Kudu's client reads from the restored cluster. */
async function compareRestored({ driver }: ClusterWork, truth: ClusterTruth): Promise<CheckResult> {
  const failures: string[] = [];
  let cases = 0;
  let rows = 0;
  for (const table of truth.tables) {
    const latest = await readSnapshot(driver, table.name, BigInt(Date.now()) * PER_MILLISECOND);
    const found = new Map(
      [...latest.rows.values()].flat().map((row) => [row.split("\t", table.keyCount).join("\t"), row]),
    );
    cases++;
    rows += found.size;
    for (const [key, allowed] of Object.entries(table.allowed)) {
      const row = found.get(key) ?? null;
      if (!allowed.includes(row)) {
        failures.push(
          `table ${table.name}: expected ${JSON.stringify(allowed)}, found ${JSON.stringify(row)}`,
        );
      }
    }
    // A clock that counted operations began in 1970; the history of that time is gone.
    for (const one of truth.hasMockClock ? [] : table.read.filter(({ from }) => from === null)) {
      const snapshot = await readSnapshot(driver, table.name, BigInt(one.to));
      const kept = one.columns.flatMap((name, position) => (table.names[name] ? [position] : []));
      for (const [tablet, lines] of Object.entries(one.rows)) {
        const current = snapshot.rows.get(tablet) ?? [];
        const chosen = kept.map((position) =>
          table.columns.indexOf(table.names[one.columns[position] ?? ""] ?? ""),
        );
        const difference = firstDifference(
          lines.map((line) => cellsAt(line, kept)),
          current.map((line) => cellsAt(line, chosen)),
        );
        cases++;
        rows += lines.length;
        if (difference !== undefined) {
          failures.push(`table ${table.name}, tablet ${tablet}, asOf ${one.to}: ${difference}`);
        }
      }
    }
  }
  return {
    what: "Kudu 1.18.1 starts on the directories of `cfile kudu restore` and returns all rows",
    cases,
    rows,
    failures,
  };
}

function cellsAt(line: string, positions: readonly number[]): string {
  const cells = line.split("\t");
  return positions.map((position) => cells[position]).join("\t");
}
