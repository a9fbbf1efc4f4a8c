/**
 * One scan or map of a pool: hands out tasks in order and yields their items, batches or results, in the same order. The number of tasks
 * that run or wait for the consumer is limited.
 */
import type { PoolInput } from "./file-input.js";
import type { JobOutput } from "./job-output.js";
import { type PlannedTask, type PoolReadOptions, planTasks } from "./plan-tasks.js";
import { type JobFile, type PoolTask, poolTask, type RunningTask } from "./pool-task.js";
import type { PoolWorker } from "./pool-worker.js";

/** The part of the pool that a job uses. */
interface JobHost {
  /** Maximum number of workers. */
  readonly workers: number;
  /** Called when there may be a task to hand out. */
  pump(): void;
  /** Calls `action` for each worker. */
  each(action: (worker: PoolWorker) => void): void;
}

export class PoolJob<T> {
  private readonly host: JobHost;
  private readonly signal: AbortSignal | undefined;
  private readonly tasksPerWorker: number;
  private readonly stopped = new AbortController();
  private readonly plan: AsyncGenerator<PlannedTask<T>, void, void>;
  /** The task to hand out next. */
  private planned: PlannedTask<T> | undefined;
  private planEnd: { readonly error?: unknown } | undefined;
  /** Tasks that were handed out, but whose items were not all taken, in order. */
  private readonly tasks: PoolTask<T>[] = [];
  /** Files that workers may have open. */
  private readonly files = new Set<JobFile>();
  /** The file of the last finished task. */
  private last: JobFile | undefined;
  private failure: { readonly error: unknown } | undefined;
  private wake: () => void = () => undefined;

  constructor(host: JobHost, inputs: readonly PoolInput[], options: PoolReadOptions, output: JobOutput<T>) {
    this.host = host;
    this.signal = options.signal;
    this.tasksPerWorker = output.tasksPerWorker;
    const { workers } = host;
    this.plan = planTasks(inputs, { ...options, output, workers, signal: this.stopped.signal });
  }

  /** The items in row order, file after file. */
  async *items(): AsyncGenerator<T, void, void> {
    const { signal } = this;
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
          yield taken.item;
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

  /** Whether a task can be handed out; never after a failed one. */
  get isReady(): boolean {
    return (
      this.planned !== undefined &&
      this.tasks.length < this.tasksPerWorker * this.host.workers &&
      this.tasks.every((task) => task.error() === undefined)
    );
  }

  handOut(): RunningTask | undefined {
    if (this.planned === undefined) {
      return undefined;
    }
    const { file, rows, unpack } = this.planned;
    const task = poolTask(file, rows, unpack, () => this.wake());
    this.tasks.push(task);
    this.files.add(file);
    void this.planNext();
    return task;
  }

  /** Ends the job with an error at once. */
  fail(error: unknown): void {
    this.failure ??= { error };
    this.stop();
    this.wake();
  }

  private leave(task: PoolTask<T>): void {
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
}
