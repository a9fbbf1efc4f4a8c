/**
 * Tables without unique keys, whose rows Kudu numbers. A server that replays its log can give rows different numbers, so that replicas
 * differ from each other and from the client's earlier answers. The answers after the last restart count; tables whose replicas differ
 * according to Kudu itself are not compared.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { JavaDriver } from "../java-driver.js";
import { readDiff, readSnapshot } from "../kudu/compare/client-rows.js";
import { ProcessError } from "../processes.js";
import type { ClusterServers } from "./cluster-servers.js";
import type { ClusterWork, ReadTable } from "./cluster-steps.js";
import type { TrackedTable } from "./tracked-table.js";

const MOST_ATTEMPTS = 20;
const ATTEMPT_MS = 500;
/** Hybrid timestamps per millisecond. */
const PER_MILLISECOND = 4_096_000n;

/** Reads all snapshots of these tables again, and marks the tables whose rows now have different numbers. All servers are running. */
export async function readNumbersAgain({ tables, driver, servers }: ClusterWork): Promise<void> {
  for (const { table, snapshots, diffs } of tables.filter(isNumbered)) {
    const columns = table.columns.map(({ name }) => name);
    for (const [i, { timestamp }] of snapshots.entries()) {
      snapshots[i] = { ...(await readSnapshot(driver, table.name, timestamp)), columns };
    }
    // Kudu's servers can crash in diffs after the newest column was dropped.
    for (const [i, { from, to }] of table.newestIsDropped ? [] : diffs.entries()) {
      diffs[i] = { ...(await readDiff(driver, table.name, from, to)), columns };
    }
    diffs.length = table.newestIsDropped ? 0 : diffs.length;
    table.isRenumbered =
      table.contradictions.length > 0 ||
      (await hasOtherRows(driver, table)) ||
      (await haveDifferentRows(servers, table.name));
    if (table.isRenumbered) {
      table.contradictions.length = 0;
    }
  }
}

function isNumbered({ table }: ReadTable): boolean {
  return table.isCounted && table.isKnown && table.deletedId === undefined;
}

/** Whether the rows that the client now reads contradict the answers to its writes. */
async function hasOtherRows(driver: JavaDriver, table: TrackedTable): Promise<boolean> {
  const latest = await readSnapshot(driver, table.name, BigInt(Date.now()) * PER_MILLISECOND);
  const found = new Set([...latest.rows.values()].flat());
  const allowed = [...table.allowedRows().values()];
  const isAbsent = allowed.some((rows) => rows.every((row) => row !== undefined && !found.has(row)));
  const known = new Set(allowed.flat());
  return isAbsent || [...found].some((row) => !known.has(row));
}

/** Whether `kudu cluster ksck` finds replicas with different rows. */
async function haveDifferentRows(servers: ClusterServers, table: string): Promise<boolean> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    try {
      await servers.tool([
        "cluster", "ksck", servers.masterAddresses, "--checksum_scan", `--tables=${table}`,
      ]); // biome-ignore format: one line
      return false;
    } catch (error) {
      if (!(error instanceof ProcessError)) {
        throw error;
      }
      if (/checksum mismatch/i.test(error.message)) {
        return true;
      }
    }
    await sleep(ATTEMPT_MS);
  }
  throw new ProcessError(`kudu cluster ksck cannot compare the replicas of ${table}`);
}
