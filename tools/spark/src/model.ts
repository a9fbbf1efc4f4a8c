/**
 * Estimates how long a job takes. It assumes that all executors are always busy with splits of one size, and
 * read from a store with the same throughput for each. Reading, computing and writing of one task do not
 * overlap; tasks do.
 */

/** Measured values. */
export interface Constants {
  /** Stored bytes per second that a worker converts to Parquet on one core. */
  readonly bytesPerCore: number;
  /**
   * Seconds from the start of a worker until it reads its split, plus the time from the last row until it
   * exits.
   */
  readonly startSeconds: number;
  /** Data blocks per second that `cfile splits` plans. */
  readonly plannedBlocks: number;
  /** Bytes of Parquet per stored byte. */
  readonly written: number;
}

/** Assumed values. */
export interface Cluster {
  /** Stored bytes of the columns to read. */
  readonly bytes: number;
  readonly executors: number;
  readonly cores: number;
  /** Bytes per second between the store and an executor, in each direction. */
  readonly throughput: number;
  readonly splitBytes: number;
  readonly blockBytes: number;
}

export const TERM_NAMES = ["plan", "read", "compute", "write", "start", "end"] as const;
export type TermName = (typeof TERM_NAMES)[number];

export interface Estimate {
  readonly splits: number;
  /** Seconds by term. Reading, computing and writing each assume that all executors do nothing else. */
  readonly terms: Readonly<Record<TermName, number>>;
  readonly longest: TermName;
  /** Seconds when reading, computing and writing of different tasks overlap completely. */
  readonly minimum: number;
  /** Seconds without any overlap. */
  readonly maximum: number;
}

export function estimate(cluster: Cluster, constants: Constants): Estimate {
  const { bytes, executors, cores, throughput, splitBytes, blockBytes } = cluster;
  const { bytesPerCore, startSeconds, plannedBlocks, written } = constants;
  const splits = Math.ceil(bytes / splitBytes);
  const tasks = executors * cores;
  const read = bytes / (executors * throughput);
  const compute = bytes / (tasks * bytesPerCore);
  const write = (bytes * written) / (executors * throughput);
  const terms = {
    // One process, before the job.
    plan: bytes / blockBytes / plannedBlocks,
    read,
    compute,
    write,
    start: (splits * startSeconds) / tasks,
    // From the first idle executor until the last one finishes takes half a split's time on average.
    end: (startSeconds + (splitBytes * cores * (1 + written)) / throughput + splitBytes / bytesPerCore) / 2,
  };
  const around = terms.plan + terms.start + terms.end;
  return {
    splits,
    terms,
    longest: TERM_NAMES.reduce((a, b) => (terms[b] > terms[a] ? b : a)),
    minimum: around + Math.max(read, compute, write),
    maximum: around + read + compute + write,
  };
}
