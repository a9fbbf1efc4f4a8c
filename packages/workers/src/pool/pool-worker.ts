/** One worker of a pool, with its tasks and files. */
import { CFileError } from "@cfile/bytes";
import { unpackBatch } from "../messages/batch-message.js";
import { errorOf } from "../messages/error-fields.js";
import type { PoolMessage, WorkerMessage } from "../messages/messages.js";
import type { ScannedFile, ScanTask } from "./scan-task.js";
import { onFailure, onMessage, type WorkerLike } from "./worker-like.js";

export class PoolWorker {
  private readonly worker: WorkerLike;
  private readonly onRoom: () => void;
  private readonly tasks = new Map<number, ScanTask>();
  private readonly files = new Set<ScannedFile>();
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

  run(task: ScanTask): void {
    const { id, file, rows } = task;
    this.tasks.set(id, task);
    task.returnBuffers = (buffers) => this.send({ kind: "reuse", buffers }, buffers);
    if (!this.files.has(file)) {
      this.files.add(file);
      this.send(file.openMessage);
    }
    const { scanOptions: options, reuseMemory } = file;
    this.send({ kind: "scan", task: id, file: file.id, rows, options, reuseMemory });
  }

  /** Cancels a task if it is here. It takes room until the worker confirms. */
  cancel({ id }: ScanTask): void {
    if (this.tasks.has(id)) {
      this.send({ kind: "cancel", task: id });
    }
  }

  /** The file has no more tasks. */
  forget(file: ScannedFile): void {
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
    if (message.kind === "end") {
      this.tasks.delete(message.task);
      task.end(message.error && errorOf(message.error));
      this.onRoom();
      return;
    }
    // V8 collects unused young buffers only when it allocates one. Without this, full collections cost a fifth of a scan.
    new ArrayBuffer(1);
    const { dictionary } = task.file;
    task.deliver(
      message.batches.map((batch) => unpackBatch(batch, dictionary)),
      message.buffers,
    );
  }
}
