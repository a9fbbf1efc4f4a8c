/**
 * Which replica of a tablet is read, and which writes count (docs/spec/kudu-cluster.md#4-which-writes-count).
 *
 * | write | condition |
 * | --- | --- |
 * | committed | a replica has its commit or a later one's, or a majority of the voters has it in their logs |
 * | possible | it would be committed if all voters whose logs are missing or damaged had it, or the voters are unknown |
 * | unconfirmed | neither: the client got no answer, and a restarted cluster may keep or lose it |
 */
import type { RaftConfig } from "../catalog/consensus-message.js";
import type { OperationId } from "../log/log-messages.js";
import { compareOperations, type Replica, type ReplicaOperation } from "./replica.js";

/** Which writes are read. Default `possible`. */
export type WriteScope = "confirmed" | "possible" | "unconfirmed";

/** The state of a tablet's writes across its replicas. */
export interface TabletWrites {
  /** Replicas in the order in which they are preferred for reading; the first one is read. */
  readonly readable: readonly Replica[];
  /** The Raft configuration in force; `undefined` without consensus metadata. */
  readonly config: RaftConfig | undefined;
  /** The replica whose log holds every committed operation. */
  readonly longest: Replica | undefined;
  /** The operations of the tablet, in order: those of `longest`, and those that only other logs still have. */
  readonly lineage: readonly ReplicaOperation[];
  /** Index up to which operations are committed; -1 if unknown. */
  readonly committed: bigint;
  /** Operations of the longest log that are possible, and those that are unconfirmed in any log. */
  readonly possible: readonly OperationId[];
  readonly unconfirmed: readonly OperationId[];
  /**
   * UUIDs of voters whose log is missing or damaged, if they are so many that together they may have committed writes that no log
   * here has; otherwise empty.
   */
  readonly unseen: readonly string[];
}

export function tabletWrites(replicas: readonly Replica[]): TabletWrites {
  const config = newestConfig(replicas);
  const voters = config?.peers.filter(({ isVoter }) => isVoter).map(({ uuid }) => uuid) ?? [];
  const isMember = ({ server }: Replica): boolean => voters.length === 0 || voters.includes(server);
  const complete = replicas.filter(({ tablet }) => tablet.state === "ready");
  const members = complete.some(isMember) ? complete.filter(isMember) : complete;
  const byOperation = [...members].sort((left, right) =>
    compareOperations(right.lastOperation, left.lastOperation),
  );
  const [longest] = byOperation;
  const readable = [...complete].sort(
    (left, right) =>
      Number(left.problems.length > 0) - Number(right.problems.length > 0) ||
      Number(isMember(right)) - Number(isMember(left)) ||
      compareOperations(right.lastOperation, left.lastOperation) ||
      left.log.length - right.log.length,
  );
  const lineage = lineageOf(byOperation);
  let committed = -1n;
  for (const { log } of members) {
    for (const { index, term, isCommitted } of log) {
      // A commit counts for this history only if the lineage has the same operation.
      committed = isCommitted && index > committed && termAt(lineage, index) === term ? index : committed;
    }
  }
  const possible: OperationId[] = [];
  const unconfirmed: OperationId[] = [];
  const whole = new Set(members.filter(({ hasWholeLog }) => hasWholeLog).map(({ server }) => server));
  const unknown = voters.filter((uuid) => !whole.has(uuid));
  const majority = Math.floor(Math.max(voters.length, 1) / 2) + 1;
  for (const operation of lineage) {
    if (operation.index <= committed) {
      continue;
    }
    const holders = members.filter(({ log }) => has(log, operation)).map(({ server }) => server);
    const missing = unknown.filter((uuid) => !holders.includes(uuid)).length;
    const isCommitted = config !== undefined && holders.length >= majority;
    if (isCommitted && possible.length === 0 && unconfirmed.length === 0) {
      committed = operation.index;
    } else if ((config === undefined || holders.length + missing >= majority) && unconfirmed.length === 0) {
      possible.push(operation);
    } else {
      unconfirmed.push(operation);
    }
  }
  for (const { log } of members) {
    const overwritten = log.filter(
      (one) => one.index > committed && !has(lineage, one) && !includes(unconfirmed, one),
    );
    unconfirmed.push(...overwritten);
  }
  const unseen = unknown.length >= majority ? unknown : [];
  return { readable, config, longest, lineage, committed, possible, unconfirmed, unseen };
}

/**
 * The log of the first replica, with operations that it lacks from the others. Two logs that have the same operation at an index are
 * equal up to it.
 *
 * @param members ordered by their last operations, newest first
 */
function lineageOf(members: readonly Replica[]): readonly ReplicaOperation[] {
  const [longest, ...others] = members;
  let lineage = longest?.log ?? [];
  for (let isGrowing = others.length > 0; isGrowing; ) {
    const before = lineage.length;
    for (const { log } of others) {
      const shared = log.findLast((operation) => has(lineage, operation))?.index ?? -1n;
      const own = log.filter(
        ({ index, isCommitted }) => (index <= shared || isCommitted) && termAt(lineage, index) === undefined,
      );
      if (own.length > 0) {
        lineage = [...lineage, ...own].sort((left, right) => (left.index < right.index ? -1 : 1));
      }
    }
    isGrowing = lineage.length > before;
  }
  return lineage;
}

/**
 * The first timestamp whose snapshot may lack operations that a replica and all logs have lost; `undefined` if no snapshot does.
 *
 * @param from index of the first operation that the replica may not have flushed
 */
export function completeUntil(from: bigint, lineage: readonly ReplicaOperation[]): bigint | undefined {
  let next = from;
  let before = 0n;
  for (const { index, timestamp } of lineage) {
    if (index > next) {
      return before + 1n;
    }
    next = index === next ? next + 1n : next;
    before = timestamp;
  }
  return undefined;
}

/** Whether an operation is read. */
export function isRead(id: OperationId, writes: TabletWrites, scope: WriteScope): boolean {
  const { committed, lineage, possible, unconfirmed } = writes;
  if (id.index <= committed) {
    const term = termAt(lineage, id.index);
    return term === undefined || term === id.term;
  }
  return (
    (scope !== "confirmed" && includes(possible, id)) ||
    (scope === "unconfirmed" && includes(unconfirmed, id))
  );
}

function newestConfig(replicas: readonly Replica[]): RaftConfig | undefined {
  return replicas
    .flatMap(({ config }) => config ?? [])
    .reduce<RaftConfig | undefined>(
      (left, right) => (left && left.index >= right.index ? left : right),
      undefined,
    );
}

/** Whether a log, in order of index, has the operation. */
function has(log: readonly OperationId[], { term, index }: OperationId): boolean {
  return termAt(log, index) === term;
}

function includes(operations: readonly OperationId[], { term, index }: OperationId): boolean {
  return operations.some((one) => one.term === term && one.index === index);
}

/** The term of the operation at an index; indexes ascend. */
function termAt(log: readonly OperationId[], index: bigint): bigint | undefined {
  let from = 0;
  let to = log.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((log[middle]?.index ?? 0n) < index) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  const found = log[from];
  return found?.index === index ? found.term : undefined;
}
