/** Compares the results of reading a cluster's directories with the Raft model. */
import type { Replica } from "@cfile/kudu-dir";
import type { Files } from "../disk/simulated-disk.js";
import { checkAnswered, hasMajority, isReady } from "../harnesses/answered-writes.js";
import { type ModelDisk, readRecords } from "../harnesses/raft-disks.js";
import type { RaftModel } from "../harnesses/raft-model.js";
import { isWrite, type ModelEntry } from "../harnesses/raft-replica.js";
import { type ReadTable, readTable, requireWritten, writesOf } from "./read-rows.js";
import { type FoundFiles, uuidOf } from "./replica-files.js";
import { type RowSetBytes, rowSetAfter } from "./row-set-bytes.js";
import { blockPaths } from "./superblock-files.js";
import { chainOf } from "./table-rows.js";

/** The blocks of flushed rows, by the last operation. */
export type RowSetCache = Map<ModelEntry, Promise<RowSetBytes>>;

/** Nothing may show that entries of a readable log are missing. */
const LOG_STATES = {
  readable: "shorter",
  torn: "torn",
  damaged: "damaged",
  missing: "unreadable",
} as const;

/** How the table was read. */
export type Outcome = "all answered writes" | "some missing, as reported" | "recovered in part" | "refused";

/**
 * @param found the disks of all servers, by name
 * @param present servers whose disks are available
 * @throws {RangeError} for wrong rows, and for missing rows that are not reported
 */
export async function checkRows(
  model: RaftModel,
  found: ReadonlyMap<string, FoundFiles>,
  present: readonly string[],
  cache: RowSetCache,
): Promise<Outcome> {
  const here = [...found].filter(([name]) => present.includes(name));
  const disks = here.map(([name, files]) => diskOf(model, name, files));
  const servers = new Map<string, Files>();
  for (const [name, files] of here) {
    servers.set(name, await withBlocks(files, cache));
  }
  const ready = disks.filter(isReady);
  const isUndamaged = ready.every(
    ({ replica, log, config }) =>
      config !== undefined && (log === "shorter" || (log === "unreadable" && replica.records.length === 0)),
  );
  const read = await readTable(servers, "possible");
  for (const disk of ready) {
    const replica = read.replicas.find(({ server }) => server === uuidOf(disk.replica.name));
    requireSame(disk, replica);
  }
  if (here.length === found.size && isUndamaged && !model.hasLost && disks.every(keepsAll)) {
    const confirmed = await readTable(servers, "confirmed");
    checkConfirmed(model, disks, confirmed);
  }
  const isRecovered = checkRecovered(model, disks, read);
  if (read.rows === undefined) {
    const hasLog = ready.some(({ entries }) => entries.length > 0);
    if (isUndamaged && hasLog && hasMajority(model, ready)) {
      throw new RangeError(`undamaged replicas are refused: ${read.refusal?.message}`);
    }
    return isRecovered ? "recovered in part" : "refused";
  }
  const writes = checkTable(model, disks, read.isIncomplete, read.rows);
  const isAll = [...model.committed.values()].every((entry) => !isWrite(entry) || writes.includes(entry));
  return isAll ? "all answered writes" : "some missing, as reported";
}

/** Whether no operation of the log is lost. */
function keepsAll({ replica, entries }: ModelDisk): boolean {
  return replica.log.every((entry) => entry.index < replica.first || entries.includes(entry));
}

/** Writes that are read as confirmed must survive, whichever servers start. */
function checkConfirmed(model: RaftModel, disks: readonly ModelDisk[], { rows }: ReadTable): void {
  if (rows === undefined) {
    return;
  }
  for (const { term, index } of checkTable(model, disks, false, rows)) {
    const other = model.electable().find(({ log }) => log[index - 1]?.term !== term);
    if (other !== undefined) {
      throw new RangeError(
        `operation ${term}.${index} is read as confirmed, and ${other.name} may lead without it`,
      );
    }
  }
}

/** Returns whether rows were recovered. */
function checkRecovered(
  model: RaftModel,
  disks: readonly ModelDisk[],
  { rows, recovered, isIncomplete }: ReadTable,
): boolean {
  if (recovered === undefined) {
    if (rows !== undefined) {
      throw new RangeError("a table that can be read is not recovered");
    }
    return false;
  }
  const { complete, lost, rowsDifferent } = recovered.ledger;
  if (complete) {
    checkTable(model, disks, isIncomplete, recovered.rows);
  }
  requireWritten(recovered.rows, model.proposed);
  if (lost.length === 0 && rowsDifferent === 0) {
    writesOf(recovered.rows, model.proposed);
  }
  return true;
}

function checkTable(
  model: RaftModel,
  disks: readonly ModelDisk[],
  isIncomplete: boolean,
  rows: ReadonlyMap<number, number>,
): readonly ModelEntry[] {
  const writes = writesOf(rows, model.proposed);
  checkAnswered(model, disks, {
    // Other operations do not change rows.
    isSeen: (entry) => !isWrite(entry) || writes.includes(entry),
    instead: ({ term, index }) => {
      const other = writes.find((one) => one.index === index && one.term !== term);
      return other === undefined ? undefined : String(other.term);
    },
    isIncomplete,
  });
  return writes;
}

/** The disk of a server as the model describes it. */
function diskOf(model: RaftModel, name: string, { log, config, superblock }: FoundFiles): ModelDisk {
  const replica = model.servers.get(name);
  if (replica === undefined) {
    throw new RangeError(`the model has no server ${name}`);
  }
  const { records, state } = log;
  return {
    replica: { ...replica, state: superblock.isTombstone ? "tombstoned" : "ready" },
    log: LOG_STATES[state],
    config,
    ...readRecords(records),
  };
}

/** @throws {RangeError} unless the replica is read exactly as stored on its disk */
function requireSame({ replica, log, config, ...disk }: ModelDisk, read: Replica | undefined): void {
  const entries = disk.entries.map((entry) =>
    [
      entry.term,
      entry.index,
      disk.commits.has(entry),
      disk.doubtful.has(entry) && !disk.commits.has(entry),
    ].join(" "),
  );
  const found = read?.log.map((one) =>
    [one.term, one.index, one.isCommitted, one.mayBeReplaced === true].join(" "),
  );
  const isWhole = log === "shorter";
  const [expected, actual] = [
    [entries, isWhole, config?.index],
    [found, read?.hasWholeLog, read?.consensus && Number(read.consensus.config.index)],
  ].map((one) => JSON.stringify(one));
  if (expected !== actual) {
    throw new RangeError(`the log of server ${replica.name} is read as ${actual} instead of ${expected}`);
  }
}

async function withBlocks({ files, superblock }: FoundFiles, cache: RowSetCache): Promise<Files> {
  const { flushed, rowSet } = superblock;
  if (flushed === undefined || rowSet < 0) {
    return files;
  }
  const bytes = cache.get(flushed) ?? rowSetAfter(chainOf(flushed));
  cache.set(flushed, bytes);
  const { columns, bloom, undo, redo } = await bytes;
  const blocks = [...columns.values(), bloom, undo, redo];
  const paths = blockPaths(rowSet);
  return new Map([
    ...files,
    ...blocks.flatMap((block, i): readonly (readonly [string, Uint8Array])[] => {
      const path = paths[i];
      return path === undefined || block === undefined ? [] : [[path, block]];
    }),
  ]);
}
