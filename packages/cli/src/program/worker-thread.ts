/** Threads that run tasks. */
import { availableParallelism } from "node:os";
import { type MessagePort, Worker } from "node:worker_threads";
import { CFileError, type CFileErrorCode, isCFileError } from "@cfile/bytes";

/** `number` identifies the task. */
type Answer<Result, Progress> = { readonly number: number } & (
  | { readonly kind: "progress"; readonly progress: Progress }
  | { readonly kind: "done"; readonly result: Result }
  | { readonly kind: "failed"; readonly error: Readonly<Record<string, unknown>> }
);

const MAX_DEFAULT_THREADS = 8;

/**
 * @param given `--jobs`; default: one per core, at most eight, as more bring no speedup
 * @param pieces into which the work can be divided
 */
export function threadCount(given: number | undefined, pieces: number): number {
  return given ?? Math.max(1, Math.min(pieces, availableParallelism(), MAX_DEFAULT_THREADS));
}

/** A message to a thread: its settings, once, then tasks. */
type Message<Settings, Task> =
  | { readonly kind: "settings"; readonly settings: Settings }
  | { readonly kind: "task"; readonly number: number; readonly task: Task };

/** A task that has no result yet. */
interface Pending<Result, Progress> {
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** A thread that loads its code while the caller is still preparing its tasks. */
export class WorkerThread<Settings, Task, Result, Progress = never> {
  private readonly worker: Worker;
  private readonly signal: AbortSignal | undefined;
  /** By number. */
  private readonly pending = new Map<number, Pending<Result, Progress>>();
  /** The error of later tasks: the thread may end while it has no task. */
  private end: CFileError | undefined;
  private tasks = 0;

  /** @param script of the thread; it calls {@link answerTasks} */
  constructor(script: URL, signal: AbortSignal | undefined) {
    this.worker = new Worker(script);
    this.signal = signal;
    this.worker.on("message", this.hear);
    for (const event of ["error", "exit"]) {
      this.worker.once(event, (cause: unknown) => {
        const reason = `worker thread ended unexpectedly: ${String(cause)}`;
        this.end ??= new CFileError("E_IO", reason, { cause });
        this.rejectAll(this.end);
      });
    }
    signal?.addEventListener("abort", this.stop);
  }

  /** Sends the settings of all tasks; called once, before the first task. */
  begin(settings: Settings): void {
    this.send({ kind: "settings", settings });
  }

  /**
   * Runs a task concurrently with unfinished ones.
   *
   * @throws {CFileError} the task's error; `E_IO` when the thread has ended; the signal's reason when aborted
   */
  ask(task: Task, onProgress?: (progress: Progress) => void): Promise<Result> {
    if (this.end !== undefined) {
      return Promise.reject(this.end);
    }
    const number = this.tasks++;
    return new Promise((resolve, reject) => {
      this.pending.set(number, { resolve, reject, onProgress });
      this.send({ kind: "task", number, task });
    });
  }

  async close(): Promise<void> {
    this.signal?.removeEventListener("abort", this.stop);
    await this.worker.terminate();
  }

  private readonly hear = (answer: Answer<Result, Progress>): void => {
    const { number } = answer;
    const task = this.pending.get(number);
    if (answer.kind === "progress") {
      task?.onProgress?.(answer.progress);
      return;
    }
    this.pending.delete(number);
    if (answer.kind === "done") {
      task?.resolve(answer.result);
    } else {
      const { code, reason, ...details } = answer.error;
      task?.reject(new CFileError(code as CFileErrorCode, String(reason), details));
    }
  };

  private readonly stop = (): void => this.rejectAll(this.signal?.reason);

  private rejectAll(reason: unknown): void {
    for (const { reject } of this.pending.values()) {
      reject(reason);
    }
    this.pending.clear();
  }

  private send(message: Message<Settings, Task>): void {
    this.worker.postMessage(message);
  }
}

/** Runs a task in a thread. */
type RunTask<Task, Result, Progress> = (
  task: Task,
  onProgress: (progress: Progress) => void,
) => Promise<Result>;

/**
 * Answers tasks until the thread is ended; any error but a `CFileError` ends it.
 *
 * @param open calls `use` with the function that runs tasks, and keeps its resources open until the promise of `use` settles, which never
 *   happens
 */
export function answerTasks<Settings, Task, Result, Progress = never>(
  port: MessagePort,
  open: (
    settings: Settings,
    use: (run: RunTask<Task, Result, Progress>) => Promise<never>,
  ) => Promise<unknown>,
): Promise<never> {
  return new Promise((_, fail) => {
    const answer = (message: Answer<Result, Progress>): void => port.postMessage(message);
    let runner: Promise<RunTask<Task, Result, Progress>> | undefined;
    const begin = (settings: Settings): Promise<RunTask<Task, Result, Progress>> =>
      new Promise((resolve, reject) => {
        const use = (run: RunTask<Task, Result, Progress>): Promise<never> => {
          resolve(run);
          return new Promise(() => undefined);
        };
        open(settings, use).catch(reject);
      });
    port.on("message", (message: Message<Settings, Task>) => {
      if (message.kind === "settings") {
        runner = begin(message.settings);
        // The first task reports the error.
        runner.catch(() => undefined);
        return;
      }
      const { number, task } = message;
      const run = async (): Promise<Result> => {
        if (runner === undefined) {
          throw new Error("the thread has no settings");
        }
        return (await runner)(task, (progress) => answer({ number, kind: "progress", progress }));
      };
      run().then(
        (result) => answer({ number, kind: "done", result }),
        (error: unknown) => {
          if (isCFileError(error)) {
            answer({ number, kind: "failed", error: { ...error.toJSON(), reason: error.reason } });
          } else {
            fail(error);
          }
        },
      );
    });
  });
}

/** Runs tasks one after the other. */
export function inTurn<Task, Result, Progress>(
  run: RunTask<Task, Result, Progress>,
): RunTask<Task, Result, Progress> {
  let last: Promise<unknown> = Promise.resolve();
  return (task, onProgress) => {
    const result = last.then(() => run(task, onProgress));
    last = result.catch(() => undefined);
    return result;
  };
}
