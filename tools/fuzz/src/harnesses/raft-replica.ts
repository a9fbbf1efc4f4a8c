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
}

/** An operation as it was written to a log, or the commit of one. */
export interface LogRecord {
  readonly entry: ModelEntry;
  readonly isCommit: boolean;
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
