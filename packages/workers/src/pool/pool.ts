import { CFileError, invalidArgument, isCFileError } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import type { PoolInput } from "./file-input.js";
import { PoolWorker } from "./pool-worker.js";
import { type PoolScanOptions, ScanJob } from "./scan-job.js";
import { availableCores, startWorker, type WorkerLike } from "./worker-like.js";

const CLOSED = "the pool was closed";

/** How many workers a pool has, and how they are started. */
export interface WorkerPoolOptions {
  /** Maximum number of workers. Default: the number of cores. */
  readonly workers?: number | undefined;
  /**
   * Starts a worker whose script is `@cfile/workers/worker`, or calls `serveScans`. Default: a web worker or a Node thread that
   * runs this package's own `worker.js`.
   */
  readonly createWorker?: (() => WorkerLike) | undefined;
}

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
  /** Scans in progress; the first one is served next. */
  private readonly jobs: ScanJob[] = [];
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
   * The rows of one file, or of several in turn, as column batches in order: the same cells as `CFileReader.scan`. `firstRow`
   * counts within each file. Stopping the iteration stops the workers; concurrent scans share them evenly.
   *
   * @throws {CFileError} like `openCFile` and `CFileReader.scan`, after the batches before the error; `E_UNSUPPORTED` for an
   *   input that cannot be sent to a worker, and where there are no workers; `E_IO` when a worker is lost or the pool is
   *   closed. An aborted scan throws the signal's reason at once
   */
  async *scan(
    input: PoolInput | readonly PoolInput[],
    options: PoolScanOptions = {},
  ): AsyncGenerator<ColumnBatch, void, void> {
    if (this.closing !== undefined) {
      throw new CFileError("E_IO", CLOSED);
    }
    const host = {
      workers: this.size,
      pump: () => this.pump(),
      each: (action: (worker: PoolWorker) => void) => this.workers.forEach(action),
    };
    const job = new ScanJob(host, Array.isArray(input) ? input : [input as PoolInput], options);
    this.jobs.push(job);
    try {
      yield* job.batches();
    } finally {
      this.jobs.splice(this.jobs.indexOf(job), 1);
    }
  }

  /** Stops all workers; scans in progress fail with `E_IO`. */
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

  /** Hands out tasks, to each scan in turn, while there are tasks and free workers. */
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
  private freeWorker(job: ScanJob): PoolWorker | undefined {
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
