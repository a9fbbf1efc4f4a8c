import { CFileError, invalidArgument, isCFileError } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import type { PoolInput } from "./file-input.js";
import { batchOutput, type JobOutput, type MapFunctionOptions, resultOutput } from "./job-output.js";
import type { MapArgument, MapFunction } from "./map-function.js";
import type { PoolReadOptions } from "./plan-tasks.js";
import { PoolJob } from "./pool-job.js";
import { PoolWorker } from "./pool-worker.js";
import { availableCores, startWorker, type WorkerLike } from "./worker-like.js";

const CLOSED = "the pool was closed";

/** The number of workers of a pool, and how they are started. */
export interface WorkerPoolOptions {
  /** Maximum number of workers. Default: the number of cores. */
  readonly workers?: number | undefined;
  /**
   * Starts a worker whose script is `@cfile/workers/worker`, or calls `serveScans`. Default: a web worker or a Node thread that
   * runs this package's own `worker.js`.
   */
  readonly createWorker?: (() => WorkerLike) | undefined;
}

/** How files are opened and scanned. `rows` and `where` apply to each file. */
export interface PoolScanOptions extends PoolReadOptions {
  /** Whether workers reuse the memory of a batch once the next one is requested. The batch is valid until then. Default `false`. */
  readonly reuseMemory?: boolean | undefined;
}

/** How files are opened and scanned, and the function for their batches. `rows` and `where` apply to each file. */
export interface PoolMapOptions<Argument = unknown> extends PoolReadOptions, MapFunctionOptions<Argument> {}

/**
 * A pool of workers, which start when there is work.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` unless `workers` is an integer >= 1
 */
export function createWorkerPool(options: WorkerPoolOptions = {}): WorkerPool {
  return new WorkerPool(options);
}

/** Workers that scan files in parallel. They start when there is work and stay for the next scan, until `close`. */
export class WorkerPool {
  /** Maximum number of workers. */
  readonly size: number;
  private readonly createWorker: () => WorkerLike;
  private workers: PoolWorker[] = [];
  /** Scans and maps in progress; the first one is served next. */
  private readonly jobs: PoolJob<unknown>[] = [];
  private closing: Promise<unknown> | undefined;

  constructor({ workers = availableCores(), createWorker = startWorker }: WorkerPoolOptions = {}) {
    if (!(Number.isSafeInteger(workers) && workers >= 1)) {
      const details = { field: "workers", actual: workers };
      throw invalidArgument(`invalid workers: ${workers} (must be an integer >= 1)`, details);
    }
    this.size = workers;
    this.createWorker = createWorker;
  }

  /**
   * The rows of one file, or of several one after the other, as column batches in order: the same cells as `CFileReader.scan`. `firstRow`
   * counts within each file. Stopping the iteration stops the workers; concurrent jobs share them evenly.
   *
   * @throws {CFileError} like `openCFile` and `CFileReader.scan`, after the batches before the error; `E_UNSUPPORTED` for an
   *   input that cannot be sent to a worker, and where there are no workers; `E_IO` when a worker is lost or the pool is
   *   closed. An aborted scan throws the signal's reason at once
   */
  scan(
    input: PoolInput | readonly PoolInput[],
    options: PoolScanOptions = {},
  ): AsyncGenerator<ColumnBatch, void, void> {
    return this.run(input, options, () => batchOutput(options.reuseMemory ?? false));
  }

  /**
   * Calls a function in the workers with the batches of each task, and yields its results, in row order. The batches stay in
   * the worker, in reused memory; only results are sent, as structured clones. Where a file is cut into tasks depends on its blocks
   * and the number of workers, so combine the results; a file without candidate rows has none. At most eight tasks per worker run
   * or have results that wait for the consumer. Stopping the iteration cancels them.
   *
   * @throws {MapError} what the function throws, and when its result cannot be cloned, after the results before it
   * @throws {CFileError} like `scan`, after the results before the error. If the function returns despite an error of the file,
   *   its result comes first. `E_INVALID_ARGUMENT` for a module that cannot be imported, a name that is not a function in it, and
   *   an argument that cannot be cloned
   */
  map<F extends MapFunction = MapFunction>(
    input: PoolInput | readonly PoolInput[],
    options: PoolMapOptions<MapArgument<F>>,
  ): AsyncGenerator<Awaited<ReturnType<F>>, void, void> {
    return this.run(input, options, () => resultOutput<Awaited<ReturnType<F>>>(options));
  }

  /** Stops all workers; scans and maps in progress fail with `E_IO`. */
  async close(): Promise<void> {
    if (this.closing === undefined) {
      for (const job of this.jobs) {
        job.fail(new CFileError("E_IO", CLOSED));
      }
      this.closing = Promise.all(this.workers.map((worker) => worker.stop(CLOSED)));
    }
    await this.closing;
  }

  /** Calls `close` at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @param output called when the iteration starts */
  private async *run<T>(
    input: PoolInput | readonly PoolInput[],
    options: PoolReadOptions,
    output: () => JobOutput<T>,
  ): AsyncGenerator<T, void, void> {
    if (this.closing !== undefined) {
      throw new CFileError("E_IO", CLOSED);
    }
    const host = {
      workers: this.size,
      pump: () => this.pump(),
      each: (action: (worker: PoolWorker) => void) => this.workers.forEach(action),
    };
    const job = new PoolJob(host, Array.isArray(input) ? input : [input as PoolInput], options, output());
    this.jobs.push(job);
    try {
      yield* job.items();
    } finally {
      this.jobs.splice(this.jobs.indexOf(job), 1);
    }
  }

  /** Hands out tasks, to each job in turn, while there are tasks and free workers. */
  private pump(): void {
    for (;;) {
      const job = this.jobs.find(({ isReady }) => isReady);
      if (job === undefined) {
        return;
      }
      const worker = this.freeWorker(job);
      const task = worker && job.handOut();
      if (worker !== undefined && task !== undefined) {
        this.jobs.push(...this.jobs.splice(this.jobs.indexOf(job), 1));
        worker.run(task);
      } else if (job.isReady) {
        return;
      }
    }
  }

  /** An idle worker, a new one, or one with room. */
  private freeWorker(job: PoolJob<unknown>): PoolWorker | undefined {
    this.workers = this.workers.filter(({ isLost }) => !isLost);
    const idle = this.workers.find(({ taskCount }) => taskCount === 0);
    if (idle !== undefined || this.closing !== undefined) {
      return idle;
    }
    if (this.workers.length === this.size) {
      // Two tasks per worker: one is decoded while the other waits for its bytes.
      return this.workers.find(({ taskCount }) => taskCount < 2);
    }
    try {
      const worker = new PoolWorker(this.createWorker(), () => this.pump());
      this.workers.push(worker);
      return worker;
    } catch (cause) {
      const reason = `cannot start a worker: ${String(cause)}`;
      job.fail(isCFileError(cause) ? cause : new CFileError("E_IO", reason, { cause }));
      return undefined;
    }
  }
}
