/** One replica of a tablet: what its superblock, consensus metadata and log say (docs/spec/kudu-cluster.md#4-which-writes-count). */
import { CFileError, isCFileError, isDamage } from "@cfile/bytes";
import { collect } from "../blocks/problems.js";
import type { ConsensusMetadata, RaftConfig } from "../catalog/consensus-message.js";
import type { OperationId } from "../log/log-messages.js";
import { firstSegment } from "../log/log-segments.js";
import type { KuduDir } from "../read/kudu-dir.js";
import type { KuduTablet } from "../read/kudu-tablet.js";

/** An operation in a replica's log. */
export interface ReplicaOperation extends OperationId {
  readonly timestamp: bigint;
  readonly isCommitted: boolean;
  /** Whether another operation may have replaced it where the log is damaged. Default `false`. */
  readonly mayBeReplaced?: boolean | undefined;
  /** The Raft configuration that it proposes. */
  readonly config?: RaftConfig | undefined;
}

/** A replica of a tablet on the disks of one server. */
export interface Replica {
  /** UUID of the server; empty if unknown. */
  readonly server: string;
  readonly dir: KuduDir;
  readonly tablet: KuduTablet;
  readonly consensus: ConsensusMetadata | undefined;
  /** The newest Raft configuration it knows, from its consensus metadata or its log. */
  readonly config: RaftConfig | undefined;
  /** The operations of its log that can be read, in order. */
  readonly log: readonly ReplicaOperation[];
  /** Whether `log` is complete: the log is undamaged and does not end within an entry. */
  readonly hasWholeLog: boolean;
  /** Its last operation; `undefined` without a log. */
  readonly lastOperation: OperationId | undefined;
  /** Damage of its log or consensus metadata, and missing blocks. */
  readonly problems: readonly CFileError[];
}

export async function readReplica(dir: KuduDir, tablet: KuduTablet): Promise<Replica> {
  const problems: CFileError[] = [];
  const consensus = await collect(problems, () => dir.consensus(tablet.id));
  const { operations, problems: logProblems, isWhole: hasWholeLog } = await tablet.logOutline();
  problems.push(...logProblems);
  if (operations.length === 0 && logProblems.length === 0 && tablet.state === "ready") {
    const path = await firstSegment(dir.roots.logFolders, tablet.id);
    const found =
      path === undefined
        ? `tablet ${tablet.id} has no write-ahead log`
        : `the write-ahead log of tablet ${tablet.id} has no operations`;
    const reason = `${found} on server ${dir.uuid ?? "?"}: unflushed writes are unknown`;
    problems.push(new CFileError("E_NOT_FOUND", reason, { path, field: "wals" }));
  }
  for (const rowSet of tablet.rowSets) {
    await collect(problems, async () => problems.push(...(await rowSet.missing())));
  }
  let config = consensus?.config;
  for (const { replicate, commit } of operations) {
    const { config: changed, id } = replicate;
    if (changed !== undefined && commit !== undefined && (config === undefined || id.index > config.index)) {
      config = { ...changed, index: id.index };
    }
  }
  let term = -1n;
  const log = operations.map(({ replicate: { id, timestamp, config: proposed }, commit, mayBeReplaced }) => {
    // All operations of a term share one object, since clusters have many.
    term = id.term === term ? term : id.term;
    const isCommitted = commit !== undefined;
    return { term, index: id.index, timestamp, isCommitted, mayBeReplaced, config: proposed };
  });
  const lastOperation = log.at(-1) ?? tablet.superblock.tombstoneLastLogged;
  const server = dir.uuid ?? "";
  return { server, dir, tablet, consensus, config, log, hasWholeLog, lastOperation, problems };
}

/** Orders operations by term, then by index; an unknown operation comes first. */
export function compareOperations(left: OperationId | undefined, right: OperationId | undefined): number {
  const [leftTerm, leftIndex] = [left?.term ?? -1n, left?.index ?? -1n];
  const [rightTerm, rightIndex] = [right?.term ?? -1n, right?.index ?? -1n];
  const isEqual = leftTerm === rightTerm && leftIndex === rightIndex;
  const isLess = leftTerm < rightTerm || (leftTerm === rightTerm && leftIndex < rightIndex);
  return isEqual ? 0 : isLess ? -1 : 1;
}

/** Whether an error concerns one replica, so another one may be readable. */
export function isOfReplica(error: unknown): error is CFileError {
  return (
    isDamage(error) ||
    isCFileError(error, "E_HISTORY_GONE") ||
    isCFileError(error, "E_NOT_FOUND") ||
    isCFileError(error, "E_IO")
  );
}
