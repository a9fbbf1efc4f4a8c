/** Compares the choice of replicas and the set of valid writes with the Raft model. */
import { CFileError, corrupt } from "@cfile/bytes";
import type { Replica } from "@cfile/kudu-dir";
import { isRead, type RaftConfig, tabletWrites } from "@cfile/kudu-dir/catalog";
import { checkAnswered, hasMajority, isReady } from "./answered-writes.js";
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

/** The content of a replica's disk. */
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
 * @param present servers whose disks are available
 * @param damage how the disks are damaged; default: not at all
 * @throws {RangeError} if a write that may have been answered is not read, or one that was overwritten is, unless the disks hide that
 */
export function checkReplicaChoice(model: RaftModel, present: readonly string[], damage?: Choices): void {
  const replicas = [...model.servers.values()].filter(({ name }) => present.includes(name));
  const disks = replicas.map((replica) => diskOf(replica, damage));
  const views = disks.map(viewOf);
  const writes = tabletWrites(views);
  const ready = disks.filter(isReady);
  if ((writes.readable.length === 0) !== (ready.length === 0)) {
    throw new RangeError("a replica that is ready is not read");
  }
  // Other replicas are refused.
  const chosen = writes.readable.find(
    ({ log, problems }) =>
      isContiguous(log, writes.lineage) && !problems.some(({ field }) => field === "wals"),
  );
  if (
    damage === undefined &&
    chosen === undefined &&
    hasMajority(model, ready) &&
    ready.some(({ entries }) => entries.length > 0)
  ) {
    throw new RangeError("undamaged replicas are refused");
  }
  if (chosen === undefined) {
    return;
  }
  const isWhole = views.length === model.servers.size && damage === undefined;
  const scope = isWhole ? "confirmed" : "possible";
  const inLineage = (index: number) => writes.lineage.find((one) => one.index === BigInt(index));
  checkAnswered(model, disks, {
    isSeen: ({ term, index }) => {
      const own = inLineage(index);
      const isFlushed = index < chosen.disk.replica.first;
      return isFlushed || (own?.term === BigInt(term) && isRead(own, writes, scope));
    },
    instead: ({ term, index }) => {
      const other = inLineage(index);
      const isOther = other !== undefined && other.term !== BigInt(term);
      return isOther && isRead(other, writes, "possible") ? String(other.term) : undefined;
    },
    isIncomplete: writes.unseen.length > 0,
  });
  checkFlushed(chosen.disk.replica, model.committed);
}

/** Whether the logs have all operations from the first one of a log on. */
function isContiguous([first]: View["log"], lineage: View["log"]): boolean {
  const later = lineage.filter(({ index }) => first !== undefined && index >= first.index);
  return later.every(({ index }, i) => index === (first?.index ?? 0n) + BigInt(i));
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
