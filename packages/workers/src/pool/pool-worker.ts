/** One worker of a pool, with its tasks and files. */
import { CFileError } from "@cfile/bytes";
import { MapError } from "../map-error.js";
import { type ErrorFields, errorOf } from "../messages/error-fields.js";
import type { PoolMessage, WorkerMessage } from "../messages/messages.js";
import { causeOf, type ThrownFields } from "../messages/thrown-fields.js";
import type { JobFile, RunningTask } from "./pool-task.js";
import { onFailure, onMessage, type WorkerLike } from "./worker-like.js";

export class PoolWorker {
  private readonly worker: WorkerLike;
  private readonly onRoom: () => void;
  private readonly tasks = new Map<number, RunningTask>();
  private readonly files = new Set<JobFile>();
  private end: Promise<unknown> | undefined;

  /** @param onRoom called when the worker can take another task, or is lost */
  constructor(worker: WorkerLike, onRoom: () => void) {
    this.worker = worker;
    this.onRoom = onRoom;
    onMessage(worker, (message) => {
      try {
        this.receive(message as WorkerMessage);
      } catch (error) {
        void this.stop(`invalid message from a worker: ${String(error)}`, error);
      }
    });
    onFailure(worker, (cause) => {
      void this.stop(`worker lost: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
    });
  }

  get isLost(): boolean {
    return this.end !== undefined;
  }

  get taskCount(): number {
    return this.tasks.size;
  }

  run(task: RunningTask): void {
    const { id, file, rows } = task;
    this.tasks.set(id, task);
    task.returnBuffers = (buffers) => this.send({ kind: "reuse", buffers }, buffers);
    if (!this.files.has(file)) {
      this.files.add(file);
      this.send(file.openMessage);
    }
    this.send({ kind: "scan", task: id, file: file.id, rows });
  }

  /** Cancels a task if this worker runs it. The task counts until the worker confirms. */
  cancel({ id }: RunningTask): void {
    if (this.tasks.has(id)) {
      this.send({ kind: "cancel", task: id });
    }
  }

  /** The file has no more tasks. */
  forget(file: JobFile): void {
    if (this.files.delete(file)) {
      this.send({ kind: "close", file: file.id });
    }
  }

  /** Stops the worker; its tasks fail with `E_IO`. */
  stop(reason: string, cause?: unknown): Promise<unknown> {
    if (this.end === undefined) {
      this.end = Promise.resolve(this.worker.terminate()).catch(() => undefined);
      for (const task of this.tasks.values()) {
        task.end(new CFileError("E_IO", reason, { path: task.file.path, cause }));
      }
      this.tasks.clear();
      this.onRoom();
    }
    return this.end;
  }

  private send(message: PoolMessage, transfer: readonly ArrayBuffer[] = []): void {
    if (this.isLost) {
      return;
    }
    try {
      this.worker.postMessage(message, [...transfer]);
    } catch (error) {
      void this.stop(`cannot send to a worker: ${String(error)}`, error);
    }
  }

  private receive(message: WorkerMessage): void {
    const task = this.tasks.get(message.task);
    if (task === undefined) {
      return;
    }
    if (message.kind !== "end") {
      task.deliver(message);
    }
    if (message.kind !== "batches") {
      this.tasks.delete(message.task);
      task.end(message.error && receivedError(message.error, task));
      this.onRoom();
    }
  }
}

function receivedError(error: ErrorFields | ThrownFields, { file, rows }: RunningTask): Error {
  return "thrown" in error
    ? new MapError(error.thrown, { path: file.path, rows }, causeOf(error))
    : errorOf(error);
}
