/**
 * How long a job takes, on paper. All executors work all the time on splits of one size, reading from a store that gives each of them
 * the same; a task's reading, computing and writing follow one another, tasks overlap.
 */

/** What was measured. */
export interface Constants {
  /** Stored bytes that a worker turns into Parquet in a second on one core. */
  readonly bytesPerCore: number;
  /** Seconds from the start of a worker until it reads its split, and after the last row until it has ended. */
  readonly startSeconds: number;
  /** Data blocks that `cfile splits` plans in a second. */
  readonly plannedBlocks: number;
  /** Bytes of Parquet for a stored byte. */
  readonly written: number;
}

/** What is supposed. */
export interface Cluster {
  /** Stored bytes of the columns that are read. */
  readonly bytes: number;
  readonly executors: number;
  readonly cores: number;
  /** Bytes a second that the store gives an executor, and as many that it takes. */
  readonly throughput: number;
  readonly splitBytes: number;
  readonly blockBytes: number;
}

export type TermName = "plan" | "read" | "compute" | "write" | "start" | "end";

export interface Estimate {
  readonly splits: number;
  /** Seconds by term. Reading, computing and writing are each of all executors at work on nothing else. */
  readonly terms: Readonly<Record<TermName, number>>;
  readonly longest: TermName;
  /** Seconds when reading, computing and writing of different tasks overlap entirely. */
  readonly least: number;
  /** Seconds when they do not overlap at all. */
  readonly most: number;
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
    // On average half a split's time passes between the first executor that has nothing left and the last one.
    end: (startSeconds + (splitBytes * cores * (1 + written)) / throughput + splitBytes / bytesPerCore) / 2,
  };
  const around = terms.plan + terms.start + terms.end;
  const [longest] = Object.entries(terms).reduce((a, b) => (b[1] > a[1] ? b : a)) as [TermName, number];
  return {
    splits,
    terms,
    longest,
    least: around + Math.max(read, compute, write),
    most: around + read + compute + write,
  };
}
