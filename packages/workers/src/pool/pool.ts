import { CFileError, invalidArgument, isCFileError } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import type { PoolInput } from "./file-input.js";
import { PoolWorker } from "./pool-worker.js";
import { type JobHost, type PoolScanOptions, ScanJob } from "./scan-job.js";
import type { ScannedFile, ScanTask } from "./scan-task.js";
import { availableCores, startWorker, type WorkerLike } from "./worker-like.js";

/** How many workers a pool has, and how one is started. */
export interface WorkerPoolOptions {
  /** Workers at most; they are started when there is work for them. Default: as many as there are cores. */
  readonly workers?: number | undefined;
  /**
   * Starts a worker whose script is `@cfile/workers/worker`, or calls `serveScans`. Default: a web worker or a thread of Node
   * that runs this package's own `worker.js`.
   */
  readonly createWorker?: (() => WorkerLike) | undefined;
}

/**
 * A pool of workers. None is started yet.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` unless `workers` is a whole number from 1 on
 */
export function createWorkerPool(options: WorkerPoolOptions = {}): WorkerPool {
  return new WorkerPool(options);
}

/** Workers that scan files in parallel. They start when there is work and stay for the next scan, until `close`. */
export class WorkerPool {
  /** Workers at most. */
  readonly size: number;
  private readonly createWorker: () => WorkerLike;
  private workers: PoolWorker[] = [];
  /** Scans in progress; the first in line is served next. */
  private readonly jobs: ScanJob[] = [];
  private closing: Promise<void> | undefined;
  private lastId = 0;

  constructor({ workers = availableCores(), createWorker = startWorker }: WorkerPoolOptions = {}) {
    if (!(Number.isSafeInteger(workers) && workers >= 1)) {
      throw invalidArgument(`workers is ${workers}, a whole number from 1 on is expected`, {
        field: "workers",
        actual: workers,
      });
    }
    this.size = workers;
    this.createWorker = createWorker;
  }

  /**
   * The rows of one file, or of several one after the other, as column batches in order: the same cells as
   * `CFileReader.scan` gives. `firstRow` counts within each file. Stopping the iteration stops the workers; scans that run
   * at the same time share them evenly.
   *
   * @throws CFileError as `openCFile` and `CFileReader.scan` do, after the batches before the error; `E_UNSUPPORTED` for an
   *   input that cannot be sent to a worker, and where there are no workers; `E_IO` when a worker is lost or the pool is
   *   closed; the reason of `signal` when that is aborted, at once
   */
  async *scan(
    input: PoolInput | readonly PoolInput[],
    options: PoolScanOptions = {},
  ): AsyncGenerator<ColumnBatch, void, void> {
    if (this.closing !== undefined) {
      throw closed();
    }
    const host: JobHost = {
      workers: this.size,
      tasksAhead: 2 * this.size,
      nextId: () => ++this.lastId,
      pump: () => this.pump(),
      release: (tasks, files) => this.release(tasks, files),
    };
    const job = new ScanJob(host, Array.isArray(input) ? input : [input as PoolInput], options);
    this.jobs.push(job);
    try {
      yield* job.batches();
    } finally {
      this.jobs.splice(this.jobs.indexOf(job), 1);
    }
  }

  /** Ends all workers; scans in progress fail with `E_IO`. */
  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  /** Stops the workers at the end of an `await using` block, as `close` does. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private async end(): Promise<void> {
    for (const job of this.jobs) {
      job.fail(closed());
    }
    await Promise.all(this.workers.map((worker) => worker.lose("the pool was closed")));
  }

  private release(tasks: readonly ScanTask[], files: Iterable<ScannedFile>): void {
    for (const worker of this.workers) {
      for (const task of tasks) {
        worker.cancel(task);
      }
      for (const file of files) {
        worker.forget(file);
      }
    }
  }

  /** Hands out tasks, to each scan in turn, while there are any and somebody to do them. */
  private pump(): void {
    for (;;) {
      const job = this.jobs.find(({ ready }) => ready);
      if (job === undefined) {
        return;
      }
      const worker = this.freeWorker(job);
      const task = worker && job.handOut();
      if (worker !== undefined && task !== undefined) {
        this.jobs.push(...this.jobs.splice(this.jobs.indexOf(job), 1));
        worker.run(task);
      } else if (job.ready) {
        return;
      }
    }
  }

  /** Somebody idle, somebody new, or the least busy of those with room. */
  private freeWorker(job: ScanJob): PoolWorker | undefined {
    this.workers = this.workers.filter(({ lost }) => !lost);
    const idle = this.workers.find((worker) => worker.idle);
    if (idle !== undefined || this.closing !== undefined) {
      return idle;
    }
    if (this.workers.length < this.size) {
      try {
        const worker = new PoolWorker(this.createWorker(), () => this.pump());
        this.workers.push(worker);
        return worker;
      } catch (error) {
        job.fail(
          isCFileError(error)
            ? error
            : new CFileError("E_IO", `no worker can be started: ${String(error)}`, { cause: error }),
        );
        return undefined;
      }
    }
    return this.workers.find(({ room }) => room > 0);
  }
}

function closed(): CFileError {
  return new CFileError("E_IO", "the pool was closed");
}
