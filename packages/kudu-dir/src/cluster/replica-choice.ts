/**
 * Which replica of a tablet is read, and which writes count (docs/spec/kudu-cluster.md#4-which-writes-count).
 *
 * | write | condition |
 * | --- | --- |
 * | committed | a replica has its commit or a later one's, or a majority of the voters has it in their logs |
 * | possible | it would be committed if all voters whose disks are missing had it |
 * | unconfirmed | neither: the client got no answer, and a restarted cluster may keep or lose it |
 */
import type { RaftConfig } from "../catalog/consensus-message.js";
import type { OperationId } from "../log/log-messages.js";
import { compareOperations, type Replica } from "./replica.js";

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
  /** Index up to which operations are committed; -1 if unknown. */
  readonly committed: bigint;
  /** Operations of the longest log that are possible, and those that are unconfirmed in any log. */
  readonly possible: readonly OperationId[];
  readonly unconfirmed: readonly OperationId[];
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
  const lineage = longest?.log ?? [];
  let committed = -1n;
  for (const { log } of members) {
    for (const { index, term, isCommitted } of log) {
      // A commit counts for this history only if the longest log has the same operation.
      committed = isCommitted && index > committed && termAt(lineage, index) === term ? index : committed;
    }
  }
  const possible: OperationId[] = [];
  const unconfirmed: OperationId[] = [];
  const missing = voters.filter((uuid) => members.every(({ server }) => server !== uuid)).length;
  const majority = Math.floor(Math.max(voters.length, 1) / 2) + 1;
  for (const operation of lineage) {
    if (operation.index <= committed) {
      continue;
    }
    const holders = members.filter(({ log }) => has(log, operation)).length;
    if (holders >= majority && possible.length === 0 && unconfirmed.length === 0) {
      committed = operation.index;
    } else if (holders + missing >= majority && unconfirmed.length === 0) {
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
  return { readable, config, longest, committed, possible, unconfirmed };
}

/** Whether an operation is read. */
export function isRead(id: OperationId, writes: TabletWrites, scope: WriteScope): boolean {
  const { committed, longest, possible, unconfirmed } = writes;
  if (id.index <= committed) {
    const term = termAt(longest?.log ?? [], id.index);
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
