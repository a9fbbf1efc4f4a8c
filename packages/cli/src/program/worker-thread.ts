/** Threads that run one task after the other. */
import { availableParallelism } from "node:os";
import { type MessagePort, Worker } from "node:worker_threads";
import { CFileError, type CFileErrorCode, isCFileError } from "@cfile/bytes";

type Answer<Result, Progress> =
  | { readonly kind: "progress"; readonly progress: Progress }
  | { readonly kind: "done"; readonly result: Result }
  | { readonly kind: "failed"; readonly error: Readonly<Record<string, unknown>> };

const MAX_DEFAULT_THREADS = 8;

/**
 * @param given `--jobs`; default: one per core, at most eight, as more bring no speedup
 * @param pieces into which the work can be divided
 */
export function threadCount(given: number | undefined, pieces: number): number {
  return given ?? Math.max(1, Math.min(pieces, availableParallelism(), MAX_DEFAULT_THREADS));
}

export class WorkerThread<Task, Result, Progress = never> {
  private readonly worker: Worker;
  private readonly signal: AbortSignal | undefined;

  /**
   * @param script of the thread; it calls {@link answerTasks}
   * @param settings `workerData` of the thread
   */
  constructor(script: URL, settings: unknown, signal: AbortSignal | undefined) {
    this.worker = new Worker(script, { workerData: settings });
    this.signal = signal;
  }

  /**
   * Runs a task; the previous one must have ended.
   *
   * @throws {CFileError} the task's error; `E_IO` when the thread has ended; the signal's reason when aborted
   */
  ask(task: Task, onProgress?: (progress: Progress) => void): Promise<Result> {
    const { signal, worker } = this;
    return new Promise((resolve, reject) => {
      const stop = (): void => settle(() => reject(signal?.reason));
      const fail = (cause: unknown): void => {
        const reason = `worker thread ended unexpectedly: ${String(cause)}`;
        settle(() => reject(new CFileError("E_IO", reason, { cause })));
      };
      const hear = (answer: Answer<Result, Progress>): void => {
        if (answer.kind === "progress") {
          onProgress?.(answer.progress);
        } else if (answer.kind === "done") {
          settle(() => resolve(answer.result));
        } else {
          const { code, reason, ...details } = answer.error;
          settle(() => reject(new CFileError(code as CFileErrorCode, String(reason), details)));
        }
      };
      const settle = (action: () => void): void => {
        worker.off("message", hear);
        worker.off("error", fail);
        worker.off("exit", fail);
        signal?.removeEventListener("abort", stop);
        action();
      };
      worker.on("message", hear);
      worker.on("error", fail);
      worker.on("exit", fail);
      signal?.addEventListener("abort", stop);
      worker.postMessage(task);
    });
  }

  async close(): Promise<void> {
    await this.worker.terminate();
  }
}

/** Answers tasks until the thread is ended; any error but a `CFileError` ends it. */
export function answerTasks<Task, Result, Progress = never>(
  port: MessagePort,
  run: (task: Task, onProgress: (progress: Progress) => void) => Promise<Result>,
): Promise<never> {
  return new Promise((_, fail) => {
    const answer = (message: Answer<Result, Progress>): void => port.postMessage(message);
    port.on("message", (task: Task) => {
      run(task, (progress) => answer({ kind: "progress", progress })).then(
        (result) => answer({ kind: "done", result }),
        (error: unknown) => {
          if (isCFileError(error)) {
            answer({ kind: "failed", error: { ...error.toJSON(), reason: error.reason } });
          } else {
            fail(error);
          }
        },
      );
    });
  });
}
