/** A replica of the Raft model, as stored on its disk, and the bytes that determine the history. */

/** The members of a group, from `index` on. */
export interface ModelConfig {
  readonly index: number;
  readonly voters: readonly string[];
  readonly learners: readonly string[];
}

export interface ModelEntry {
  readonly term: number;
  readonly index: number;
  readonly config: ModelConfig | undefined;
  /** The previous entry in the log of its leader, and therefore in every log that has this one. */
  readonly previous: ModelEntry | undefined;
}

/** Whether an operation writes rows. Others change the members or begin the term of a leader. */
export function isWrite({ term, config, previous }: ModelEntry): boolean {
  return config === undefined && previous?.term === term;
}

/** An operation as it was written to a log, or the commit of one. */
export interface LogRecord {
  readonly entry: ModelEntry;
  readonly isCommit: boolean;
}

/** A readable record. */
export interface FoundRecord extends LogRecord {
  /** Whether records before it may be damaged. Default: no */
  readonly isBehindDamage?: boolean;
}

/** A replica on its disk. */
export interface ModelReplica {
  readonly name: string;
  /** Entry `i` has index `i + 1`; those before `first` are no longer in the log, but flushed. */
  log: readonly ModelEntry[];
  first: number;
  /** Indexes of operations whose commit is in the log. */
  readonly marks: Set<number>;
  /** All records written to the log, in order; an operation replaces those from its index on. */
  readonly records: LogRecord[];
  /** Number of records that survive any power cut. */
  synced: number;
  /** The configuration in its consensus metadata. */
  config: ModelConfig;
  /** All configurations that its consensus metadata has had. */
  readonly configs: ModelConfig[];
  state: "ready" | "tombstoned";
}

/** The content of a replica's disk after a restart. */
export type RestartedReplica = Pick<ModelReplica, "log" | "first" | "config"> & {
  readonly marks: readonly number[];
};

/** The disk of a replica, if it is simulated. Every change may stop the server: it throws a {@link ServerStop}. */
export interface ReplicaDisk {
  append: (entry: ModelEntry) => void;
  commit: (entry: ModelEntry) => void;
  configure: (config: ModelConfig, term: number) => void;
  /** The rows of operations up to an index are in memory. */
  apply: (log: readonly ModelEntry[], known: number) => void;
  /**
   * Writes the rows of operations up to `known`, and deletes segments of the log.
   *
   * @param first index of the first operation that must remain in the log
   * @returns the index of the first operation that did remain
   */
  flush: (log: readonly ModelEntry[], known: number, first: number) => number;
  tombstone: (last: ModelEntry | undefined) => void;
  /** The server has stopped. */
  stop: () => void;
  /** `undefined` if the replica cannot start from its files. */
  restart: () => RestartedReplica | undefined;
}

/** A server stops because its disk or the power has failed. */
export class ServerStop extends Error {
  readonly server: string;

  constructor(server: string) {
    super(`server ${server} stops`);
    this.server = server;
  }
}

/** Reads bytes as choices; after the end, every choice is 0. */
export class Choices {
  private position = 0;
  private readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  get isDone(): boolean {
    return this.position >= this.bytes.length;
  }

  below(limit: number): number {
    return (this.bytes[this.position++] ?? 0) % limit;
  }

  of<T>(list: readonly T[]): T | undefined {
    return list[this.below(Math.max(1, list.length))];
  }
}
