/**
 * A round of a cluster: one master and four tablet servers with random tables. Servers are stopped and killed, replicas move; at the
 * end all are killed. Then cfile reads the disks: all of them, without one server, with a deleted directory, with flipped bytes.
 */
import { mkdir } from "node:fs/promises";
import type { KuduVersion } from "../artifacts.js";
import type { Coverage } from "../coverage.js";
import type { JavaDriver, JavaProgram } from "../java-driver.js";
import { Random } from "../random.js";
import type { CheckResult } from "../report.js";
import { checkDisks } from "./check-disks.js";
import { planClusterTables } from "./cluster-plan.js";
import { ClusterServers } from "./cluster-servers.js";
import {
  bringUp,
  type ClusterWork,
  clientOf,
  type ReadTable,
  readAll,
  truthOf,
  workInCluster,
  writeAll,
  writeWithoutMajority,
} from "./cluster-steps.js";
import { type ClusterTruth, saveTruth } from "./cluster-truth.js";
import { releaseOf } from "./kudu-releases.js";
import { readNumbersAgain } from "./renumbered-tables.js";
import { restoredRound } from "./restored-cluster.js";
import { TrackedTable } from "./tracked-table.js";

export interface ClusterPrograms {
  readonly version: KuduVersion;
  readonly home: string;
  /** Folder of the newest version, for its tool. */
  readonly toolHome: string;
  readonly driver: JavaProgram;
}

const FLUSH_MS = 500;
/** Rounds from one restored cluster to the next. */
const RESTORED = 4;

export async function clusterRound(
  seed: number,
  folder: string,
  programs: ClusterPrograms,
): Promise<CheckResult[]> {
  const random = new Random(seed);
  const release = releaseOf(programs.version);
  const flags = [
    `--time_source=${release.hasMockClock ? "mock" : "system_unsync"}`,
    `--block_manager=${random.once(4) ? "file" : "log"}`,
    `--follower_unavailable_considered_failed_sec=${random.pick([3, 300])}`,
  ];
  await mkdir(folder, { recursive: true });
  const servers = new ClusterServers({
    ...programs,
    folder,
    masters: ["m0"],
    tabletServers: ["ts0", "ts1", "ts2", "ts3"],
    flags,
  });
  let client: JavaDriver | undefined;
  try {
    await servers.start();
    const tables = planClusterTables(random, release).map(
      (plan): ReadTable => ({ table: new TrackedTable(plan), times: [], snapshots: [], diffs: [] }),
    );
    const driver = clientOf(servers, programs.driver);
    client = driver;
    const work: ClusterWork = { random, release, servers, driver, tables, occurred: {} };
    for (const { table } of tables) {
      await table.create(driver);
    }
    await writeAll(work);
    if (random.once(2)) {
      await servers.maintain("flush", FLUSH_MS);
    }
    await workInCluster(work, random.between(10, 18));
    const truth = await endOfCluster(work, seed);
    await saveTruth(folder, truth);
    const contradictions = tables.flatMap(({ table }) => table.contradictions);
    const steps: CheckResult = {
      what: "writes: the client's answers agree with each other",
      cases: tables.reduce((sum, { table }) => sum + table.answered, 0),
      rows: 0,
      failures: contradictions,
      counts: { "writes without an answer": tables.reduce((sum, { table }) => sum + table.unanswered, 0) },
      occurred: coverageOf(work),
    };
    const read = [steps, ...(await checkDisks(folder, truth))];
    const isRight = read.every(({ failures }) => failures.length === 0);
    // The directories of a failed round must not change.
    return isRight && seed % RESTORED === 0
      ? [...read, ...(await restoredRound(work, truth, programs))]
      : read;
  } catch (error) {
    const crash = await servers.crash();
    if (crash === undefined) {
      throw error;
    }
    const what = `Kudu's server stopped itself: ${crash}`;
    return [{ what, cases: 0, rows: 0, failures: [], isFinding: true }];
  } finally {
    await client?.stop();
    await servers.stop("SIGKILL");
  }
}

/** Makes the last reads and writes, and kills all servers. */
async function endOfCluster(work: ClusterWork, seed: number): Promise<ClusterTruth> {
  const { random, servers, release, tables, occurred } = work;
  await bringUp(work);
  await writeAll(work);
  await readAll(work);
  await readNumbersAgain(work);
  if (release.hasSoftDelete && random.once(2)) {
    await random.pick(tables).table.softDelete(work.driver);
    occurred["soft delete"] = 1;
  }
  const described: Record<string, string> = {};
  for (const { table } of tables.filter((one) => one.table.deletedId === undefined)) {
    described[table.name] = await servers.tool([
      "table",
      "describe",
      servers.masterAddresses,
      table.name,
      "--show_attributes",
      "--show_column_comment",
    ]);
  }
  const listed = await servers.tool([
    "table", "list", servers.masterAddresses, "--list_tablets", "--show_tablet_partition_info", "--show_hash_partition_info",
    "--list_table_output_format=json",
  ]); // biome-ignore format: one line
  if (random.once(2)) {
    await writeAll(work);
  }
  if (random.once(3)) {
    await servers.stopServer(random.pick(servers.alive), "SIGKILL");
    await writeAll(work);
  }
  if (random.once(3)) {
    await writeWithoutMajority(work);
  }
  await work.driver.stop();
  await servers.stop(random.once(3) ? "SIGTERM" : "SIGKILL");
  return {
    seed,
    version: release.version,
    servers: Object.fromEntries(servers.uuids),
    masters: servers.masters,
    hasMockClock: release.hasMockClock,
    tables: tables.filter(({ table }) => table.isKnown).map(truthOf),
    described,
    listed,
  };
}

function coverageOf({ occurred, tables, release: { version } }: ClusterWork): Coverage {
  const partitions: Record<string, number> = {};
  for (const { table } of tables) {
    const { hashes, splits, ranges, replicas, isMinor = false } = table.plan;
    const kinds = [
      ...(isMinor ? ["small"] : []),
      ...(table.isCounted ? ["keys that are not unique"] : []),
      ...(table.isUnknown ? ["rows with unknown numbers"] : []),
      ...(table.isRenumbered ? ["renumbered by Kudu, not compared"] : []),
      ...(table.columns.some(({ immutable }) => immutable === true) ? ["immutable columns"] : []),
      hashes.length > 0 ? "hash" : "no hash",
      splits.length > 0 ? "split ranges" : ranges.length > 0 ? "ranges" : "no ranges",
      ...(ranges.some((range) => range.length > 2) ? ["ranges with their own hash"] : []),
      replicas === 1 ? "1 replica" : "3 replicas",
    ];
    for (const kind of kinds) {
      partitions[kind] = (partitions[kind] ?? 0) + 1;
    }
  }
  return { "versions of Kudu": { [version]: 1 }, tables: partitions, steps: occurred };
}
