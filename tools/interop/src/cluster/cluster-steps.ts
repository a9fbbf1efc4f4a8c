/** The steps of a cluster's round: writes, reads, maintenance, alterations, server stops and replica moves. */
import { setTimeout as sleep } from "node:timers/promises";
import { DriverError, JavaDriver, type JavaProgram } from "../java-driver.js";
import { type ClientDiff, type ClientSnapshot, readDiff, readSnapshot } from "../kudu/compare/client-rows.js";
import type { Maintenance } from "../kudu/kudu-process.js";
import { ProcessError } from "../processes.js";
import type { Random } from "../random.js";
import type { ClusterServers } from "./cluster-servers.js";
import type { TableTruth } from "./cluster-truth.js";
import type { KuduRelease } from "./kudu-releases.js";
import type { TrackedTable } from "./tracked-table.js";

const STEPS = [
  "write", "write", "write", "write", "read", "maintain", "maintain", "maintain", "alter", "restart", "restart",
  "down", "down", "move", "move", "step down", "recall",
] as const; // biome-ignore format: one line
type Step = (typeof STEPS)[number] | "up" | "majority lost";
const MAINTENANCE: readonly Maintenance[] = ["flush", "flush", "flush-deltas", "minor", "major", "merge"];
const MAINTENANCE_MS = 500;
/** Maximum milliseconds for a write that is not expected to be answered. */
const SHORT = 2500;
const MOVE_ATTEMPTS = 20;

/** A table and the rows that its client read. */
export interface ReadTable {
  readonly table: TrackedTable;
  /** Times just after writes. */
  readonly times: bigint[];
  readonly snapshots: (ClientSnapshot & { readonly columns: readonly string[] })[];
  readonly diffs: (ClientDiff & { readonly columns: readonly string[] })[];
}

export interface ClusterWork {
  readonly random: Random;
  readonly release: KuduRelease;
  readonly servers: ClusterServers;
  readonly driver: JavaDriver;
  readonly tables: readonly ReadTable[];
  /** How many times each step occurred. */
  readonly occurred: Record<string, number>;
}

/** A client of the cluster. */
export function clientOf(servers: ClusterServers, program: JavaProgram): JavaDriver {
  return new JavaDriver(program, [servers.masterAddresses, "30000"]);
}

export async function workInCluster(work: ClusterWork, steps: number): Promise<void> {
  for (let i = 0; i < steps; i++) {
    await takeStep(work, work.random.pick(STEPS));
  }
}

async function takeStep(work: ClusterWork, step: Step): Promise<void> {
  const { random, servers, tables, release, driver } = work;
  const down = servers.tabletServers.filter((name) => !servers.alive.includes(name));
  if (step === "write") {
    await writeAll(work);
  } else if (step === "read") {
    await writeAll(work);
    await readAll(work);
  } else if (step === "maintain") {
    await servers.maintain(random.pick(MAINTENANCE), MAINTENANCE_MS);
  } else if (step === "down" && down.length === 0) {
    await servers.stopServer(random.pick(servers.alive), random.pick(["SIGTERM", "SIGKILL"]));
  } else if (down.length > 0) {
    // The remaining steps need all servers.
    await bringUp(work);
    return;
  } else if (step === "restart") {
    const name = random.pick(servers.alive);
    await servers.stopServer(name, random.pick(["SIGTERM", "SIGKILL"]));
    await servers.startServer(name);
    await servers.untilRegistered();
  } else if (step === "alter") {
    try {
      const action = await random.pick(tables).table.alter(driver, random, release);
      count(work, `alter: ${action}`);
    } catch (error) {
      // An old master does not support all features that a new client requires.
      if (!/unsupported feature flags/.test(String(error))) {
        throw error;
      }
      count(work, "alter: unsupported");
    }
    return;
  } else if (step === "recall") {
    const { table } = random.pick(tables);
    if (!release.hasSoftDelete) {
      return;
    }
    await table.softDelete(driver);
    await table.recall(driver);
  } else if (step === "move") {
    await moveReplica(work);
  } else if (step === "step down") {
    const { tablet } = random.pick(await tabletsOf(work, random.pick(tables).table));
    await tolerated(servers.tool(["tablet", "leader_step_down", servers.masterAddresses, tablet]));
  }
  count(work, step);
}

/** Starts all servers that are down. */
export async function bringUp(work: ClusterWork): Promise<void> {
  const { servers } = work;
  for (const name of servers.tabletServers.filter((one) => !servers.alive.includes(one))) {
    await servers.startServer(name);
    count(work, "up");
  }
  await servers.untilRegistered();
}

/** Writes a batch to each table; while a server is down, mostly to tables with three replicas. */
export async function writeAll(work: ClusterWork): Promise<void> {
  const { random, servers, tables, driver, release } = work;
  const isWhole = servers.alive.length === servers.tabletServers.length;
  for (const { table, times } of tables.filter(isWritten)) {
    const isSafe = isWhole || table.plan.replicas === 3;
    const isTurn = table.plan.isMinor !== true || times.length === 0 || random.once(4);
    if (isTurn && (isSafe || random.once(4))) {
      const time = await table.write(driver, random, release, isSafe ? undefined : SHORT);
      if (time !== undefined && isSafe) {
        times.push(time);
      }
    }
  }
}

function isWritten({ table }: ReadTable): boolean {
  return table.deletedId === undefined && table.isKnown;
}

/** Writes to all tables. Writes get no answer if most voters are down. */
export async function writeWithoutMajority(work: ClusterWork): Promise<void> {
  const { random, servers, tables, driver, release } = work;
  const [one = "", other = ""] = random.shuffled(servers.alive);
  await Promise.all([servers.stopServer(one, "SIGKILL"), servers.stopServer(other, "SIGKILL")]);
  for (const { table } of tables.filter(isWritten)) {
    await table.write(driver, random, release, SHORT);
  }
  count(work, "majority lost");
}

/** Reads the last snapshot and a diff of each readable table. */
export async function readAll(work: ClusterWork): Promise<void> {
  const { random, servers, tables, driver, release } = work;
  const isWhole = servers.alive.length === servers.tabletServers.length;
  for (const { table, times, snapshots, diffs } of tables) {
    const to = times.at(-1);
    if (to === undefined || (!isWhole && table.plan.replicas === 1)) {
      continue;
    }
    try {
      const columns = table.columns.map(({ name }) => name);
      snapshots.push({ ...(await readSnapshot(driver, table.name, to)), columns });
      const from = random.pick(times);
      if (from < to && release.hasDiffs && !table.newestIsDropped) {
        diffs.push({ ...(await readDiff(driver, table.name, from, to)), columns });
      }
    } catch (error) {
      // No replica answered in time.
      if (!(error instanceof DriverError)) {
        throw error;
      }
      count(work, "read without an answer");
    }
  }
}

/** The truth about a table, from the answers to the client. */
export function truthOf({ table, snapshots, diffs }: ReadTable): TableTruth {
  const read = [
    ...snapshots.map(({ timestamp, columns, rows }) => ({ from: null, to: timestamp, columns, rows })),
    ...diffs.map(({ from, to, columns, rows }) => ({ from: String(from), to, columns, rows })),
  ];
  return {
    name: table.name,
    replicas: table.plan.replicas,
    keyCount: table.keyCount,
    columns: table.columns.map(({ name }) => name),
    names: Object.fromEntries([...table.names].map(([name, now]) => [name, now ?? null])),
    allowed: Object.fromEntries(
      [...table.allowedRows()].map(([key, rows]) => [key, rows.map((row) => row ?? null)]),
    ),
    read: read.map(({ to, rows, ...rest }) => ({ ...rest, to: String(to), rows: Object.fromEntries(rows) })),
  };
}

interface ListedTablet {
  readonly tablet: string;
  readonly servers: readonly string[];
}

async function tabletsOf({ servers }: ClusterWork, table: TrackedTable): Promise<readonly ListedTablet[]> {
  const text = await servers.tool([
    "table",
    "list",
    servers.masterAddresses,
    "--list_tablets",
    `--tables=${table.name}`,
  ]);
  const found: { tablet: string; servers: string[] }[] = [];
  for (const line of text.split("\n")) {
    const [, tablet] = /^\s+T (\w{32})/.exec(line) ?? [];
    const [, server] = /^\s+[LVN] (\w{32})/.exec(line) ?? [];
    if (tablet !== undefined) {
      found.push({ tablet, servers: [] });
    } else if (server !== undefined) {
      found.at(-1)?.servers.push(server);
    }
  }
  return found;
}

/** Moves a replica to a server without one, usually to completion; a tombstone remains. */
async function moveReplica(work: ClusterWork): Promise<void> {
  const { random, servers, tables } = work;
  const { table } = random.pick(tables);
  const { tablet, servers: holders } = random.pick(await tabletsOf(work, table));
  const free = [...servers.uuids.values()].filter((uuid) => !holders.includes(uuid));
  const [from, to] = [random.pick(holders), random.pick(free)];
  if (from === undefined || to === undefined) {
    return;
  }
  const { masterAddresses } = servers;
  await tolerated(
    servers.tool(["tablet", "change_config", "move_replica", masterAddresses, tablet, from, to]),
  );
  for (let attempt = random.once(4) ? MOVE_ATTEMPTS : 0; attempt < MOVE_ATTEMPTS; attempt++) {
    const now = (await tabletsOf(work, table)).find((one) => one.tablet === tablet);
    if (now?.servers.includes(to) && !now.servers.includes(from)) {
      break;
    }
    await sleep(SHORT / MOVE_ATTEMPTS);
  }
}

/** Ignores failures of the tool: it fails, without any effect, when leaders change at the wrong moment. */
async function tolerated(answer: Promise<string>): Promise<void> {
  try {
    await answer;
  } catch (error) {
    if (!(error instanceof ProcessError)) {
      throw error;
    }
  }
}

function count({ occurred }: ClusterWork, step: string): void {
  occurred[step] = (occurred[step] ?? 0) + 1;
}
