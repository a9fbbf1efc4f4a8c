/**
 * Which replica of a tablet is read, and which writes count (docs/spec/kudu-cluster.md#4-which-writes-count).
 *
 * | write | condition |
 * | --- | --- |
 * | committed | a replica has its commit or a later one's, or so many voters have it in their logs that no leader can be elected without one of them |
 * | possible | it would be committed if all voters whose logs are missing or damaged had it, or if all servers knew the proposed configurations, or the voters are unknown |
 * | unconfirmed | neither: the client got no answer, and a restarted cluster may keep or lose it |
 */
import type { RaftConfig } from "../catalog/consensus-message.js";
import type { OperationId } from "../log/log-messages.js";
import { compareOperations, type Replica, type ReplicaOperation } from "./replica.js";

/** Which writes are read. Default `possible`. */
export type WriteScope = "confirmed" | "possible" | "unconfirmed";

/** The facts about a replica on which the choice depends. */
export type ReplicaLog = Pick<
  Replica,
  "server" | "config" | "log" | "hasWholeLog" | "lastOperation" | "problems"
> & { readonly tablet: Pick<Replica["tablet"], "state"> };

/** The state of a tablet's writes across its replicas. */
export interface TabletWrites<R extends ReplicaLog = Replica> {
  /** Replicas in the order in which they are preferred for reading; the first one is read. */
  readonly readable: readonly R[];
  /** The Raft configuration in force; `undefined` without consensus metadata. */
  readonly config: RaftConfig | undefined;
  /** The replica whose log holds every committed operation. */
  readonly longest: R | undefined;
  /** The operations of the tablet, in order: those of `longest`, and those that only other logs still have. */
  readonly lineage: readonly ReplicaOperation[];
  /** Index up to which operations are committed; -1 if unknown. */
  readonly committed: bigint;
  /** Possible operations of the longest log. */
  readonly possible: readonly OperationId[];
  /** Unconfirmed operations of all logs. */
  readonly unconfirmed: readonly OperationId[];
  /**
   * UUIDs of voters whose log is missing or damaged, if there are enough of them to have committed writes that are in no log here;
   * otherwise empty.
   */
  readonly unseen: readonly string[];
}

/**
 * Decides from the logs and Raft configurations of a tablet's replicas which operations count, and which replicas to read first.
 *
 * @param leader UUID of a server whose replica is preferred over equally good ones
 */
export function tabletWrites<R extends ReplicaLog>(
  replicas: readonly R[],
  leader?: string | undefined,
): TabletWrites<R> {
  const config = newestConfig(replicas);
  const voters = config === undefined ? [] : votersOf(config);
  const isMember = ({ server }: ReplicaLog): boolean => voters.length === 0 || voters.includes(server);
  const complete = replicas.filter(({ tablet }) => tablet.state === "ready");
  const known = lastKnown(complete);
  const isOnBranch = ({ log }: ReplicaLog): boolean => known === undefined || follows(log, known.operation);
  const byOperation = [...complete].sort(
    (left, right) =>
      Number(isOnBranch(right)) - Number(isOnBranch(left)) ||
      compareOperations(right.lastOperation, left.lastOperation) ||
      Number(isMember(right)) - Number(isMember(left)),
  );
  const [longest] = byOperation;
  const readable = [...complete].sort(
    (left, right) =>
      Number(left.problems.length > 0) - Number(right.problems.length > 0) ||
      Number(isOnBranch(right)) - Number(isOnBranch(left)) ||
      compareOperations(right.lastOperation, left.lastOperation) ||
      Number(isMember(right)) - Number(isMember(left)) ||
      Number(right.server === leader) - Number(left.server === leader) ||
      left.log.length - right.log.length,
  );
  const lineage = lineageOf(byOperation);
  let committed = known?.committed ?? -1n;
  const possible: OperationId[] = [];
  const unconfirmed: OperationId[] = [];
  const whole = new Set(complete.filter(isWhole).map(({ server }) => server));
  const logs = complete.map(({ log }) => log);
  const quorumOf = (all: readonly string[]) => ({
    voters: all,
    unknown: all.filter((uuid) => !whole.has(uuid)),
    // Half of an even number is enough: no leader is elected without it. A leader that proposed to remove one of the others did not
    // count that one, although its proposal may be in no log anymore.
    decisive: Math.ceil(Math.max(all.length, 1) / 2),
  });
  const quorums = quorumsInForce(config, lineage, logs).map(quorumOf);
  for (const operation of lineage) {
    if (operation.index <= committed) {
      continue;
    }
    const holders = new Set(complete.filter(({ log }) => had(log, operation)).map(({ server }) => server));
    const isDecided = quorums.some(
      ({ voters: all, decisive }) => all.filter((uuid) => holders.has(uuid)).length >= decisive,
    );
    // A server that lacks it may also lack the configuration by which its holders are enough.
    const isCommitted =
      isDecided && !complete.some((one) => !holders.has(one.server) && mayLead(one, replicas));
    const isPossible =
      config === undefined ||
      quorums.some(
        ({ voters: all, unknown, decisive }) =>
          new Set([...all.filter((uuid) => holders.has(uuid)), ...unknown]).size >= decisive,
      );
    if (isCommitted && possible.length === 0 && unconfirmed.length === 0) {
      committed = operation.index;
    } else if (isPossible && unconfirmed.length === 0) {
      possible.push(operation);
    } else {
      unconfirmed.push(operation);
    }
  }
  for (const { log } of complete) {
    const overwritten = log.filter(
      (one) => one.index > committed && !has(lineage, one) && !includes(unconfirmed, one),
    );
    unconfirmed.push(...overwritten);
  }
  // Without consensus metadata, the replicas here may be all there are, unless a log has a configuration.
  const here = config === undefined ? [quorumOf(complete.map(({ server }) => server))] : [];
  const possibleQuorums = [...quorums, ...here];
  const unseen = possibleQuorums.find(({ unknown, decisive }) => unknown.length >= decisive)?.unknown ?? [];
  return { readable, config, longest, lineage, committed, possible, unconfirmed, unseen };
}

/**
 * The last operation that is committed according to a log, by its commit or because the log lacks the earlier ones: they are flushed.
 * All logs with the operation are equal up to it; others end before it, or have an operation that was overwritten.
 */
function lastKnown(
  replicas: readonly ReplicaLog[],
): { readonly operation: OperationId; readonly committed: bigint } | undefined {
  const all = replicas.flatMap(({ log, hasWholeLog }) => {
    // Damage may hide earlier operations.
    const first = hasWholeLog ? log[0] : undefined;
    const last = log.findLast(({ isCommitted }) => isCommitted);
    return [
      ...(last === undefined ? [] : [{ operation: last, committed: last.index }]),
      ...(first === undefined || first.index <= 1n
        ? []
        : [{ operation: first, committed: first.index - 1n }]),
    ];
  });
  return all.reduce<(typeof all)[number] | undefined>(
    (left, right) => (left && left.committed >= right.committed ? left : right),
    undefined,
  );
}

/**
 * The voters of the committed configuration and of each one proposed since, because a leader counts by the last one in its log. A
 * configuration is committed before the next one is proposed.
 */
function quorumsInForce(
  newest: RaftConfig | undefined,
  lineage: readonly ReplicaOperation[],
  logs: readonly (readonly ReplicaOperation[])[],
): readonly (readonly string[])[] {
  const after = (index: bigint, log: readonly ReplicaOperation[]): readonly RaftConfig[] =>
    log.flatMap((operation) =>
      operation.config !== undefined && operation.index > index
        ? [{ ...operation.config, index: operation.index }]
        : [],
    );
  const committed = after(newest?.index ?? -1n, lineage).at(-2) ?? newest;
  const proposed = logs.flatMap((log) => after(committed?.index ?? -1n, log));
  return [...(committed === undefined ? [] : [committed]), ...proposed].map(votersOf);
}

/**
 * Whether a replica may be elected, by the configuration it knows. Voters with a later last operation refuse, and so do tombstones.
 * Voters whose directories are missing may vote for it.
 */
function mayLead(
  { server, log, config, lastOperation }: ReplicaLog,
  replicas: readonly ReplicaLog[],
): boolean {
  const own = log.findLast((operation) => operation.config !== undefined)?.config ?? config;
  const voters = own === undefined ? [] : votersOf(own);
  const refusing = replicas.filter(
    (one) =>
      voters.includes(one.server) &&
      (one.tablet.state !== "ready" || compareOperations(one.lastOperation, lastOperation) > 0),
  );
  return voters.includes(server) && 2 * (voters.length - refusing.length) > voters.length;
}

function votersOf({ peers }: RaftConfig): readonly string[] {
  return peers.filter(({ isVoter }) => isVoter).map(({ uuid }) => uuid);
}

/**
 * The log of the first replica, with operations that it lacks from the others. Two logs that have the same operation at an index are
 * equal up to it.
 *
 * @param members ordered by their last operations, newest first
 */
function lineageOf(members: readonly ReplicaLog[]): readonly ReplicaOperation[] {
  const [longest, ...others] = members.map(({ log }) => ({
    log: log.filter(({ mayBeReplaced }) => !mayBeReplaced),
  }));
  let lineage: readonly ReplicaOperation[] = longest?.log ?? [];
  for (let isGrowing = others.length > 0; isGrowing; ) {
    const before = lineage.length;
    for (const { log } of others) {
      const shared = log.findLast((operation) => had(lineage, operation))?.index ?? -1n;
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
export function isRead(
  id: OperationId,
  writes: Pick<TabletWrites, "committed" | "lineage" | "possible" | "unconfirmed">,
  scope: WriteScope,
): boolean {
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

function newestConfig(replicas: readonly ReplicaLog[]): RaftConfig | undefined {
  return replicas
    .flatMap(({ config }) => config ?? [])
    .reduce<RaftConfig | undefined>(
      (left, right) => (left && left.index >= right.index ? left : right),
      undefined,
    );
}

/** Whether the log is complete. A log that ends before the Raft configuration of the consensus metadata has lost its end. */
function isWhole({ hasWholeLog, log, config }: ReplicaLog): boolean {
  return hasWholeLog && (config === undefined || (log.at(-1)?.index ?? -1n) >= config.index);
}

/** Whether a log, in order of index, has the operation. */
function has(log: readonly OperationId[], { term, index }: OperationId): boolean {
  return termAt(log, index) === term;
}

/**
 * Whether a log has the committed operation, or had it before the log was damaged or its beginning was deleted: leaders of the same
 * and later terms have it.
 */
function follows(log: readonly OperationId[], { term, index }: OperationId): boolean {
  const found = log[positionOf(log, index)];
  return found !== undefined && (found.term === term || (found.index > index && found.term > term));
}

/**
 * Whether a log has the operation, or had it before the log was damaged: one leader makes all operations of a term, so a log with
 * a later one had the earlier ones.
 */
function had(log: readonly OperationId[], { term, index }: OperationId): boolean {
  return log[positionOf(log, index)]?.term === term;
}

function includes(operations: readonly OperationId[], { term, index }: OperationId): boolean {
  return operations.some((one) => one.term === term && one.index === index);
}

/** The term of the operation at an index. */
function termAt(log: readonly OperationId[], index: bigint): bigint | undefined {
  const found = log[positionOf(log, index)];
  return found?.index === index ? found.term : undefined;
}

/** The position of the first operation at an index or after it; indexes ascend. */
function positionOf(log: readonly OperationId[], index: bigint): number {
  let from = 0;
  let to = log.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((log[middle] as OperationId).index < index) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}
