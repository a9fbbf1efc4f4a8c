/** Compares the choice of replicas and of the writes that count with the model of Raft. */
import { CFileError, corrupt } from "@cfile/bytes";
import type { Replica } from "@cfile/kudu-dir";
import { isRead, type RaftConfig, tabletWrites } from "@cfile/kudu-dir/catalog";
import { diskOf, type ModelDisk } from "./raft-disks.js";
import type { RaftModel } from "./raft-model.js";
import type { Choices, ModelConfig, ModelEntry, ModelReplica } from "./raft-replica.js";

type View = Pick<Replica, "server" | "config" | "log" | "hasWholeLog" | "lastOperation" | "problems"> & {
  readonly tablet: Pick<Replica["tablet"], "state">;
  readonly disk: ModelDisk;
};

function raftConfig({ index, voters, learners }: ModelConfig): RaftConfig {
  const peer = (isVoter: boolean) => (uuid: string) => ({ uuid, isVoter, address: undefined });
  return { index: BigInt(index), peers: [...voters.map(peer(true)), ...learners.map(peer(false))] };
}

const NO_CONFIG: ModelConfig = { index: -2, voters: [], learners: [] };

/** What is on the disk of a replica. */
function viewOf(disk: ModelDisk): View {
  const { name, state } = disk.replica;
  const isReady = state === "ready";
  const log = (isReady ? disk.entries : []).map((entry) => ({
    term: BigInt(entry.term),
    index: BigInt(entry.index),
    timestamp: BigInt(entry.index),
    isCommitted: disk.commits.has(entry),
    mayBeReplaced: disk.doubtful.has(entry),
    config: entry.config && raftConfig(entry.config),
  }));
  const problems: CFileError[] = [];
  if (disk.log === "damaged") {
    problems.push(corrupt("an entry is damaged", { field: "wals" }));
  } else if (disk.log === "unreadable") {
    problems.push(new CFileError("E_IO", "the log cannot be read", { field: "wals" }));
  } else if (isReady && log.length === 0) {
    problems.push(new CFileError("E_NOT_FOUND", "there is no log", { field: "wals" }));
  }
  if (disk.config === undefined) {
    problems.push(new CFileError("E_IO", "the consensus metadata cannot be read"));
  }
  const known = [
    ...(disk.config === undefined ? [] : [raftConfig(disk.config)]),
    ...log.flatMap(({ config, isCommitted }) => (config !== undefined && isCommitted ? [config] : [])),
  ];
  return {
    disk,
    server: name,
    tablet: { state },
    config: known.reduce<RaftConfig | undefined>(
      (left, right) => (left !== undefined && left.index >= right.index ? left : right),
      undefined,
    ),
    log,
    hasWholeLog: disk.log === "whole" || disk.log === "shorter",
    lastOperation: log.at(-1),
    problems,
  };
}

/**
 * @param present servers whose disks are there
 * @param damage how the disks are damaged; default: not at all
 * @throws {RangeError} if a write that may have been answered is not read, or one that was overwritten is, unless the disks hide that
 */
export function checkReplicaChoice(model: RaftModel, present: readonly string[], damage?: Choices): void {
  const replicas = [...model.servers.values()].filter(({ name }) => present.includes(name));
  const disks = replicas.map((replica) => diskOf(replica, damage));
  const views = disks.map(viewOf);
  const writes = tabletWrites(views);
  const ready = views.filter(({ tablet }) => tablet.state === "ready");
  if ((writes.readable.length === 0) !== (ready.length === 0)) {
    throw new RangeError("a replica that is ready is not read");
  }
  // Others are refused.
  const chosen = writes.readable.find(
    ({ log, problems }) =>
      isContiguous(log, writes.lineage) && !problems.some(({ field }) => field === "wals"),
  );
  const inForce = configsInForce(model);
  const hasMajority = inForce.every(({ voters }) => {
    const here = voters.filter((name) => ready.some(({ server }) => server === name));
    return 2 * here.length > voters.length;
  });
  const whole = replicas.map((replica) => diskOf(replica));
  const isConfigLost = inForce.some((config) => isShown(config, whole) && !isShown(config, disks));
  if (
    damage === undefined &&
    chosen === undefined &&
    hasMajority &&
    ready.some(({ log }) => log.length > 0)
  ) {
    throw new RangeError("undamaged replicas are refused");
  }
  if (chosen === undefined || isConfigLost) {
    return;
  }
  const isWhole = views.length === model.servers.size && damage === undefined;
  const scope = isWhole ? "confirmed" : "possible";
  // Two logs that contradict each other, and nothing shows which one is right.
  const isAmbiguous = damage !== undefined && haveConflict(disks);
  for (const [index, entry] of model.committed) {
    const id = { term: BigInt(entry.term), index: BigInt(index) };
    if (ready.some(({ disk }) => hasLostSilently(disk, index))) {
      continue;
    }
    const isFlushed = index < chosen.disk.replica.first;
    const isInLineage = writes.lineage.some((one) => one.index === id.index && one.term === id.term);
    const isHeld = ready.some(({ disk }) => hasEntry(disk.entries, entry));
    const isProven = ready.some(
      ({ disk: { replica }, hasWholeLog, log }) =>
        (hasWholeLog && index < replica.first) || log.some((one) => one.isCommitted && one.index >= id.index),
    );
    const isSeen = isFlushed || (isInLineage && isRead(id, writes, scope));
    const isSaid = isAmbiguous && writes.unseen.length > 0;
    if ((isProven || (isHeld && hasMajority)) && !isSeen && !isSaid) {
      throw new RangeError(`operation ${entry.term}.${index} was answered, and is not ${scope}`);
    }
    if (!isSeen && hasMajority && writes.unseen.length === 0) {
      throw new RangeError(
        `operation ${entry.term}.${index} was answered, and nothing says that it is missing`,
      );
    }
    const other = writes.lineage.find((one) => one.index === id.index && one.term !== id.term);
    const isWrong =
      (isProven || (isHeld && hasMajority)) && other !== undefined && isRead(other, writes, "possible");
    if (isWrong && !isSaid) {
      throw new RangeError(
        `operation ${other.term}.${other.index} was overwritten by ${entry.term}.${index}, and is read`,
      );
    }
  }
  checkFlushed(chosen.disk.replica, model.committed);
}

/** Whether the logs have all operations from the first one of a log on. */
function isContiguous([first]: View["log"], lineage: View["log"]): boolean {
  const later = lineage.filter(({ index }) => first !== undefined && index >= first.index);
  return later.every(({ index }, i) => index === (first?.index ?? 0n) + BigInt(i));
}

function hasEntry(entries: readonly ModelEntry[], { term, index }: ModelEntry): boolean {
  return entries.some((one) => one.index === index && one.term === term);
}

/** Whether logs cannot be of one history: different operations at an index, or one of an earlier term behind one of a later term. */
function haveConflict(disks: readonly ModelDisk[]): boolean {
  const all = disks.flatMap(({ entries }) => entries).sort((left, right) => left.index - right.index);
  return all.some(({ term, index }, i) => {
    const before = all[i - 1];
    return before !== undefined && (before.term > term || (before.index === index && before.term !== term));
  });
}

/** Whether the log has lost an operation from an index on, and nothing shows it: consensus metadata may have a later configuration. */
function hasLostSilently({ replica, log, entries, config }: ModelDisk, from: number): boolean {
  const isRevealed = config !== undefined && config.index > (entries.at(-1)?.index ?? -1);
  const isLost = (one: ModelEntry): boolean => one.index >= from && !hasEntry(entries, one);
  return log === "shorter" && !isRevealed && replica.log.some(isLost);
}

/** Whether a configuration is in a log, or a later one in consensus metadata. */
function isShown({ index }: ModelConfig, disks: readonly ModelDisk[]): boolean {
  return disks.some(
    ({ config, entries }) =>
      (config !== undefined && config.index >= index) || entries.some((one) => one.config?.index === index),
  );
}

/** The last committed configuration, and the ones that leaders have proposed since. */
function configsInForce({ servers }: RaftModel): readonly ModelConfig[] {
  const all = [...servers.values()];
  const last = all.reduce((left, { config }) => (config.index > left.index ? config : left), NO_CONFIG);
  return [last, ...all.flatMap(({ log }) => log.flatMap(({ config }) => config ?? []))].filter(
    ({ index }) => index >= last.index,
  );
}

function checkFlushed({ log, first }: ModelReplica, committed: ReadonlyMap<number, ModelEntry>): void {
  for (const { index, term } of log.slice(0, first - 1)) {
    if (committed.get(index)?.term !== term) {
      throw new RangeError(
        `the model is wrong: operation ${term}.${index} was flushed, and is not committed`,
      );
    }
  }
}
