/**
 * One scan of a pool: cuts its files into tasks, hands them out in order and yields their batches in the same order. At most two tasks per
 * worker run or wait for the consumer.
 */
import type { ColumnBatch } from "@cfile/encodings";
import { openCFile, type ScanOptions } from "@cfile/format";
import type { SentOpenOptions } from "../messages/messages.js";
import { identityOf } from "./file-identity.js";
import { fileInput, openInput, type PoolInput } from "./file-input.js";
import type { PoolWorker } from "./pool-worker.js";
import { cutRows } from "./row-tasks.js";
import { nextId, type ScannedFile, type ScanTask, scanTask } from "./scan-task.js";

/** How files are opened and scanned. `rows` and `where` apply to each file. */
export interface PoolScanOptions
  extends Pick<ScanOptions, "rows" | "where" | "batchRows" | "signal">,
    SentOpenOptions {
  /** Whether workers reuse the memory of a batch once the next one is requested. The batch is valid until then. Default `false`. */
  readonly reuseMemory?: boolean | undefined;
}

/** The part of the pool that a scan uses. */
interface JobHost {
  /** Maximum number of workers. */
  readonly workers: number;
  /** Called when there may be a task to hand out. */
  pump(): void;
  /** Calls `action` for each worker. */
  each(action: (worker: PoolWorker) => void): void;
}

type PlannedTask = Pick<ScanTask, "file" | "rows">;

export class ScanJob {
  private readonly host: JobHost;
  private readonly options: PoolScanOptions;
  private readonly stopped = new AbortController();
  private readonly plan: AsyncGenerator<PlannedTask, void, void>;
  /** The task to hand out next. */
  private planned: PlannedTask | undefined;
  private planEnd: { readonly error?: unknown } | undefined;
  /** Handed out and not completely taken, in order. */
  private readonly tasks: ScanTask[] = [];
  /** Files that workers may have open. */
  private readonly files = new Set<ScannedFile>();
  /** The file of the last finished task. */
  private last: ScannedFile | undefined;
  private failure: { readonly error: unknown } | undefined;
  private wake: () => void = () => undefined;

  constructor(host: JobHost, inputs: readonly PoolInput[], options: PoolScanOptions) {
    this.host = host;
    this.options = options;
    this.plan = this.planFiles(inputs);
  }

  /** The batches in row order, file after file. */
  async *batches(): AsyncGenerator<ColumnBatch, void, void> {
    const { signal } = this.options;
    const onAbort = (): void => this.fail(signal?.reason);
    signal?.throwIfAborted();
    signal?.addEventListener("abort", onAbort);
    try {
      void this.planNext();
      for (;;) {
        if (this.failure !== undefined) {
          throw this.failure.error;
        }
        const head = this.tasks[0];
        const taken = head?.take();
        if (head !== undefined && taken !== undefined) {
          yield taken.batch;
          const buffers = taken.buffers.filter(({ byteLength }) => byteLength > 0);
          if (buffers.length > 0) {
            head.returnBuffers(buffers);
          }
        } else if (head?.isFinished()) {
          this.leave(head);
        } else if (head !== undefined || this.planEnd === undefined) {
          await new Promise<void>((resolve) => {
            this.wake = resolve;
          });
        } else if ("error" in this.planEnd) {
          throw this.planEnd.error;
        } else {
          return;
        }
      }
    } finally {
      signal?.removeEventListener("abort", onAbort);
      this.stop();
    }
  }

  /** Whether a task can be handed out: none after a failed one. */
  get isReady(): boolean {
    return (
      this.planned !== undefined &&
      this.tasks.length < 2 * this.host.workers &&
      this.tasks.every((task) => task.error() === undefined)
    );
  }

  handOut(): ScanTask | undefined {
    if (this.planned === undefined) {
      return undefined;
    }
    const { file, rows } = this.planned;
    const task = scanTask(file, rows, () => this.wake());
    this.tasks.push(task);
    this.files.add(file);
    void this.planNext();
    return task;
  }

  /** Ends the scan with an error at once. */
  fail(error: unknown): void {
    this.failure ??= { error };
    this.stop();
    this.wake();
  }

  private leave(task: ScanTask): void {
    const error = task.error();
    if (error !== undefined) {
      throw error;
    }
    this.tasks.shift();
    const { last } = this;
    if (last !== undefined && last !== task.file) {
      this.files.delete(last);
      this.host.each((worker) => worker.forget(last));
    }
    this.last = task.file;
    this.host.pump();
  }

  private stop(): void {
    if (this.stopped.signal.aborted) {
      return;
    }
    this.stopped.abort();
    this.planned = undefined;
    this.plan.return().catch(() => undefined);
    for (const task of this.tasks.splice(0)) {
      task.drop();
      this.host.each((worker) => worker.cancel(task));
    }
    for (const file of this.files) {
      this.host.each((worker) => worker.forget(file));
    }
    this.files.clear();
  }

  private async planNext(): Promise<void> {
    this.planned = undefined;
    try {
      const step = await this.plan.next();
      if (step.done) {
        this.planEnd = {};
      } else if (!this.stopped.signal.aborted) {
        this.planned = step.value;
      }
    } catch (error) {
      this.planEnd = { error };
    }
    this.host.pump();
    this.wake();
  }

  private async *planFiles(inputs: readonly PoolInput[]): AsyncGenerator<PlannedTask, void, void> {
    const { rows: rowRange, where, batchRows, reuseMemory, limits, kernels, verifyChecksums } = this.options;
    const { signal } = this.stopped;
    const openOptions = { limits, kernels, verifyChecksums };
    for (const given of inputs) {
      const input = fileInput(given);
      const source = await openInput(input);
      try {
        const reader = await openCFile(source, { ...openOptions, signal });
        const range = await reader.candidateRows({ rows: rowRange, where, signal });
        if (range.from >= range.to) {
          continue;
        }
        const id = nextId();
        const file: ScannedFile = {
          id,
          path: reader.path,
          dictionary: await reader.readDictionary({ signal }),
          openMessage: { kind: "open", file: id, input, identity: identityOf(reader), options: openOptions },
          scanOptions: { batchRows, where },
          reuseMemory: reuseMemory ?? false,
        };
        const cutOptions = { ...openOptions, signal, workers: this.host.workers };
        for await (const rows of cutRows(source, reader, range, cutOptions)) {
          yield { file, rows };
        }
      } finally {
        await source.close?.();
      }
    }
  }
}
