/** A replica of the model of Raft, as it is on its disk, and the bytes that choose what happens. */

/** The members of a group; from `index` on. */
export interface ModelConfig {
  readonly index: number;
  readonly voters: readonly string[];
  readonly learners: readonly string[];
}

export interface ModelEntry {
  readonly term: number;
  readonly index: number;
  readonly config: ModelConfig | undefined;
  /** The one before it in the log of its leader, and so in every log that has it. */
  readonly previous: ModelEntry | undefined;
}

/** Whether an operation writes rows: others change the members, or begin the term of a leader. */
export function isWrite({ term, config, previous }: ModelEntry): boolean {
  return config === undefined && previous?.term === term;
}

/** An operation as it was written to a log, or the commit of one. */
export interface LogRecord {
  readonly entry: ModelEntry;
  readonly isCommit: boolean;
}

/** One that can be read. */
export interface FoundRecord extends LogRecord {
  /** Whether others before it may be damaged. Default: no */
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
  /** All that was written to the log, in order; an operation replaces those from its index on. */
  readonly records: LogRecord[];
  /** How many of the records a power cut cannot take. */
  synced: number;
  /** The configuration in its consensus metadata. */
  config: ModelConfig;
  /** All that were in its consensus metadata. */
  readonly configs: ModelConfig[];
  state: "ready" | "tombstoned";
}

/** What a replica has on its disk after a restart. */
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
   * @param first index of the first operation that must stay in the log
   * @returns the index of the first one that did
   */
  flush: (log: readonly ModelEntry[], known: number, first: number) => number;
  tombstone: (last: ModelEntry | undefined) => void;
  /** The server has stopped. */
  stop: () => void;
  /** `undefined` if the replica cannot start from its files. */
  restart: () => RestartedReplica | undefined;
}

/** A server stops: its disk has failed, or the power. */
export class ServerStop extends Error {
  readonly server: string;

  constructor(server: string) {
    super(`server ${server} stops`);
    this.server = server;
  }
}

/** The bytes as choices; all are 0 after the end. */
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
