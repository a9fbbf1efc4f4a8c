/**
 * One scan of a pool: its files are cut into tasks, handed out in order; their batches are given out in the same order. No
 * more than `tasksAhead` tasks are at the workers or wait for the consumer.
 */
import type { ColumnBatch } from "@cfile/encodings";
import { type OpenOptions, openCFile, type ScanOptions } from "@cfile/format";
import { identityOf } from "./file-identity.js";
import { fileInput, openInput, type PoolInput } from "./file-input.js";
import { cutRows, type RowTask } from "./row-tasks.js";
import { type ScannedFile, ScanTask } from "./scan-task.js";

/** How files are opened and scanned. `rows` and `where` are about each file. */
export interface PoolScanOptions
  extends Pick<ScanOptions, "rows" | "where" | "batchRows" | "signal">,
    Pick<OpenOptions, "limits" | "kernels" | "verifyChecksums"> {
  /**
   * Whether the workers' arenas get the memory of a batch back when the next one is asked for; the batch is valid only until then.
   * Default `false`: each batch has memory of its own.
   */
  readonly reuseMemory?: boolean | undefined;
}

/** What a scan needs of its pool. */
export interface JobHost {
  readonly workers: number;
  readonly tasksAhead: number;
  /** A number that no other file or task of the pool has. */
  nextId(): number;
  /** Told when there may be something to hand out. */
  pump(): void;
  /** Stops tasks, and lets files go. */
  release(tasks: readonly ScanTask[], files: Iterable<ScannedFile>): void;
}

interface PlannedTask {
  readonly file: ScannedFile;
  readonly rows: RowTask;
}

export class ScanJob {
  private readonly host: JobHost;
  private readonly options: PoolScanOptions;
  private readonly stopped = new AbortController();
  private readonly plan: AsyncGenerator<PlannedTask, void, void>;
  /** The task to be handed out next. */
  private planned: PlannedTask | undefined;
  private planEnd: { readonly error?: unknown } | undefined;
  /** Handed out and not taken completely, in order. */
  private readonly tasks: ScanTask[] = [];
  /** Files that workers may have open. */
  private readonly files = new Set<ScannedFile>();
  /** The file of the task that was taken last. */
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
      this.planNext();
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
            head.giveBack(buffers);
          }
        } else if (head?.finished) {
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

  /** Whether a task can be handed out. After one that failed there is no use in more. */
  get ready(): boolean {
    return (
      this.planned !== undefined &&
      this.tasks.length < this.host.tasksAhead &&
      this.tasks.every(({ error }) => error === undefined)
    );
  }

  handOut(): ScanTask | undefined {
    if (this.planned === undefined) {
      return undefined;
    }
    const { file, rows } = this.planned;
    const task = new ScanTask(this.host.nextId(), file, rows, () => this.wake());
    this.tasks.push(task);
    this.files.add(file);
    this.planNext();
    return task;
  }

  /** Ends the scan with an error, at once. */
  fail(error: unknown): void {
    this.failure ??= { error };
    this.stop();
    this.wake();
  }

  private leave(task: ScanTask): void {
    if (task.error !== undefined) {
      throw task.error;
    }
    this.tasks.shift();
    const { file } = task;
    if (this.last !== undefined && this.last !== file) {
      this.files.delete(this.last);
      this.host.release([], [this.last]);
    }
    this.last = file;
    this.host.pump();
  }

  private stop(): void {
    if (this.stopped.signal.aborted) {
      return;
    }
    this.stopped.abort();
    this.planned = undefined;
    this.plan.return().catch(() => undefined);
    for (const task of this.tasks) {
      task.drop();
    }
    this.host.release(this.tasks, this.files);
    this.tasks.length = 0;
    this.files.clear();
  }

  private planNext(): void {
    this.planned = undefined;
    this.plan
      .next()
      .then(
        (step) => {
          if (step.done) {
            this.planEnd = {};
          } else if (!this.stopped.signal.aborted) {
            this.planned = step.value;
          }
        },
        (error: unknown) => {
          this.planEnd = { error };
        },
      )
      .then(() => {
        this.host.pump();
        this.wake();
      });
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
        const id = this.host.nextId();
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
