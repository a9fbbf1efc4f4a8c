/** The operations of a tablet from the logs of all its replicas, for a replica whose own log may be damaged. */

import { LATEST_TIMESTAMP } from "@cfile/deltafile";
import type { OperationId, Replicate } from "../log/log-messages.js";
import type { LoggedOperation } from "../log/operation-list.js";
import type { ReadableLog } from "../log/readable-log.js";
import type { RecoveredLog } from "../log/tablet-log.js";
import type { Replica, ReplicaOperation } from "./replica.js";
import { completeUntil, isRead, type TabletWrites, type WriteScope } from "./replica-choice.js";

/** The operations that one log lacks, from the others. */
export async function replicatesOf(
  replicas: readonly Replica[],
  operations: readonly OperationId[],
): Promise<readonly Replicate[]> {
  const missing = new Set(operations.map(nameOf));
  const found: Replicate[] = [];
  for (const { tablet, log } of replicas) {
    if (log.some((operation) => missing.has(nameOf(operation)))) {
      for (const { replicate } of (await tablet.logOperations()).operations) {
        if (missing.delete(nameOf(replicate.id))) {
          found.push(replicate);
        }
      }
    }
  }
  return found.sort((left, right) => (left.id.index < right.id.index ? -1 : 1));
}

/** All logs of a tablet's replicas. */
export interface TabletLogs {
  readonly writes: TabletWrites;
  readonly byReplica: ReadonlyMap<Replica, ReadableLog>;
}

export async function readLogs(replicas: readonly Replica[], writes: TabletWrites): Promise<TabletLogs> {
  const byReplica = new Map<Replica, ReadableLog>();
  for (const replica of replicas) {
    byReplica.set(replica, await replica.tablet.logOperations());
  }
  return { writes, byReplica };
}

/** The operations of all logs, as one replica needs them. */
export interface ReplicaLog extends RecoveredLog {
  /** The first timestamp after which a snapshot may lack operations; 0 if nothing is known. */
  readonly completeUntil: bigint;
}

/**
 * The operations for a replica, each with its own commit if that can be read. An operation without one may
 * still be flushed if the replica's log is damaged.
 */
export function logOf(replica: Replica, { writes, byReplica }: TabletLogs, scope: WriteScope): ReplicaLog {
  const { lineage } = writes;
  // The logs of all replicas were read.
  const own = byReplica.get(replica) as ReadableLog;
  const ownById = new Map(own.operations.map((one) => [nameOf(one.replicate.id), one]));
  const begins = own.isBegun;
  const first = begins ? (own.operations[0]?.replicate.id.index ?? 1n) : 1n;
  const byId = new Map<string, LoggedOperation>();
  const failed = new Map<string, ReadonlySet<number>>();
  for (const { operations } of byReplica.values()) {
    for (const one of operations) {
      const name = nameOf(one.replicate.id);
      byId.set(name, byId.get(name) ?? one);
      if (one.commit !== undefined) {
        failed.set(name, new Set(one.commit.results.flatMap((result, i) => (result.failed ? [i] : []))));
      }
    }
  }
  const isKnown = begins || lineage[0]?.index === 1n;
  const until = isKnown ? (completeUntil(first, lineage) ?? LATEST_TIMESTAMP) : 0n;
  const operations = lineage.flatMap((operation): LoggedOperation[] => {
    const name = nameOf(operation);
    const known = byId.get(name);
    if (known === undefined || operation.index < first || operation.timestamp >= until) {
      return [];
    }
    const commit = ownById.get(name)?.commit;
    const mayBeFlushed = commit === undefined && !own.isWhole;
    return [{ ...known, commit, mayBeFlushed, failed: failed.get(name) ?? new Set() }];
  });
  const schema = own.schema ?? schemaAt(first, lineage, byReplica) ?? replica.tablet.schema;
  const counts = (id: OperationId): boolean => isRead(id, writes, scope);
  return { operations, schema, counts, completeUntil: until };
}

/** The schema of the log that begins with the first operation. */
function schemaAt(
  first: bigint,
  [start]: readonly ReplicaOperation[],
  byReplica: TabletLogs["byReplica"],
): ReadableLog["schema"] {
  const begin = [...byReplica.values()].find(
    ({ operations, schema }) => schema !== undefined && operations[0]?.replicate.id.index === first,
  );
  return start?.index === first ? begin?.schema : undefined;
}

/** All operations, for an empty table; `undefined` unless the logs go back to the first one. */
export function wholeLog(
  replicas: readonly Replica[],
  logs: TabletLogs,
  scope: WriteScope,
): ReplicaLog | undefined {
  const [first] = logs.writes.lineage;
  const begin = replicas.find((replica) => {
    const { isBegun, schema, operations } = logs.byReplica.get(replica) as ReadableLog;
    return isBegun && schema !== undefined && operations[0]?.replicate.id.index === 1n;
  });
  if (first?.index !== 1n || begin === undefined) {
    return undefined;
  }
  const log = logOf(begin, logs, scope);
  // Without commits, the keys decide.
  const operations = log.operations.map((one) => ({ ...one, commit: undefined, mayBeFlushed: false }));
  return { ...log, operations };
}

function nameOf({ term, index }: OperationId): string {
  return `${term}.${index}`;
}
