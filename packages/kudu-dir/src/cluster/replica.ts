/** One replica of a tablet: what its superblock, consensus metadata and log say (docs/spec/kudu-cluster.md#4-which-writes-count). */
import type { CFileError } from "@cfile/bytes";
import { collect } from "../blocks/problems.js";
import type { ConsensusMetadata, RaftConfig } from "../catalog/consensus-message.js";
import type { OperationId } from "../log/log-messages.js";
import type { KuduDir } from "../read/kudu-dir.js";
import type { KuduTablet } from "../read/kudu-tablet.js";

/** An operation in a replica's log. */
export interface ReplicaOperation extends OperationId {
  readonly isCommitted: boolean;
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
  /** The operations of its log in order, up to the first problem. */
  readonly log: readonly ReplicaOperation[];
  /** Its last operation; `undefined` without a log. */
  readonly lastOperation: OperationId | undefined;
  /** Damage of its log or consensus metadata, and missing blocks. */
  readonly problems: readonly CFileError[];
}

export async function readReplica(dir: KuduDir, tablet: KuduTablet): Promise<Replica> {
  const problems: CFileError[] = [];
  const consensus = await collect(problems, () => dir.consensus(tablet.id));
  const { operations, problems: logProblems } = await tablet.logOperations();
  problems.push(...logProblems);
  for (const rowSet of tablet.rowSets) {
    problems.push(...((await collect(problems, () => rowSet.missing())) ?? []));
  }
  let config = consensus?.config;
  for (const { replicate, commit } of operations) {
    const { config: changed, id } = replicate;
    if (changed !== undefined && commit !== undefined && (config === undefined || id.index > config.index)) {
      config = { ...changed, index: id.index };
    }
  }
  const log = operations.map(({ replicate: { id }, commit }) => ({
    term: id.term,
    index: id.index,
    isCommitted: commit !== undefined,
  }));
  const lastOperation = log.at(-1) ?? tablet.superblock.tombstoneLastLogged;
  return { server: dir.uuid ?? "", dir, tablet, consensus, config, log, lastOperation, problems };
}

/** Orders operations by term, then by index; an unknown one comes first. */
export function compareOperations(left: OperationId | undefined, right: OperationId | undefined): number {
  const [leftTerm, leftIndex] = [left?.term ?? -1n, left?.index ?? -1n];
  const [rightTerm, rightIndex] = [right?.term ?? -1n, right?.index ?? -1n];
  const isEqual = leftTerm === rightTerm && leftIndex === rightIndex;
  const isLess = leftTerm < rightTerm || (leftTerm === rightTerm && leftIndex < rightIndex);
  return isEqual ? 0 : isLess ? -1 : 1;
}
