/** A server of the Raft model: its replica, its disk if simulated, and what it knows. */
import type { ModelConfig, ModelEntry, ModelReplica, ReplicaDisk } from "./raft-replica.js";

export interface Server extends ModelReplica {
  /** `undefined` if disks are not simulated. */
  readonly disk: ReplicaDisk | undefined;
  /** Whether its replica cannot start again. */
  isBroken: boolean;
  term: number;
  isUp: boolean;
  isLeader: boolean;
  /** Index up to which it knows that operations are committed. */
  known: number;
  /** For leaders: index up to which each server has the leader's log. */
  readonly matched: Map<string, number>;
}

/** A server that is up and knows only its configuration. */
export function newServer(
  name: string,
  config: ModelConfig,
  newDisk: (replica: ModelReplica) => ReplicaDisk | undefined,
): Server {
  const replica: ModelReplica = {
    name,
    config,
    log: [],
    first: 1,
    marks: new Set(),
    records: [],
    synced: 0,
    configs: [config],
    state: "ready",
  };
  const state = { isBroken: false, term: 0, isUp: true, isLeader: false, known: 0 };
  return { ...replica, ...state, disk: newDisk(replica), matched: new Map() };
}

export function stop(server: Server): void {
  server.isUp = false;
  server.isLeader = false;
  server.known = lastMarked(server);
  server.disk?.stop();
}

export function lastMarked({ first, marks, log }: ModelReplica): number {
  return Math.max(first - 1, ...[...marks].filter((index) => index <= log.length));
}

/** Writes operations to the log, which replace those from the index of the first one on. */
export function append(server: Server, ...entries: readonly ModelEntry[]): void {
  for (const entry of entries) {
    server.disk?.append(entry);
    server.log = [...server.log.slice(0, entry.index - 1), entry];
    server.records.push({ entry, isCommit: false });
  }
}

/** Writes to the log that an operation is committed. */
export function commit(server: Server, index: number): void {
  const entry = server.log[index - 1];
  if (entry !== undefined) {
    server.disk?.commit(entry);
    server.marks.add(index);
    server.records.push({ entry, isCommit: true });
  }
}

/** The server learns that operations are committed; a configuration goes into its consensus metadata. */
export function learn(server: Server, index: number): void {
  server.known = Math.max(server.known, index);
  server.disk?.apply(server.log, server.known);
  const config = server.log.findLast(
    (entry) => entry.index <= server.known && entry.config !== undefined,
  )?.config;
  if (config !== undefined && config.index > server.config.index) {
    server.disk?.configure(config, server.term);
    server.config = config;
    server.configs.push(config);
  }
}

/** Flushes committed operations and cuts the log at its beginning. */
export function flush(server: Server, first: number): void {
  const { disk, known, log, marks } = server;
  if (disk === undefined) {
    server.first = first;
  } else {
    // A server flushes after it has written the commits.
    for (let index = server.first; index <= known; index++) {
      if (!marks.has(index)) {
        commit(server, index);
      }
    }
    server.first = disk.flush(log, known, first);
  }
  server.synced = server.records.length;
}

/** The last configuration in the log is the active one, committed or not. */
export function activeConfig({ log, config }: Pick<ModelReplica, "log" | "config">): ModelConfig {
  return log.findLast((entry) => entry.config !== undefined)?.config ?? config;
}

export function majorityOf(voters: readonly string[]): number {
  return Math.floor(voters.length / 2) + 1;
}

export function compareLast(
  { log: left }: Pick<ModelReplica, "log">,
  { log: right }: Pick<ModelReplica, "log">,
): number {
  return (left.at(-1)?.term ?? 0) - (right.at(-1)?.term ?? 0) || left.length - right.length;
}
