/** One worker of a pool: the tasks that it has, and the files that it knows. */
import { CFileError } from "@cfile/bytes";
import { unpackBatch } from "../messages/batch-message.js";
import { errorOf } from "../messages/error-fields.js";
import type { PoolMessage, WorkerMessage } from "../messages/messages.js";
import type { ScannedFile, ScanTask } from "./scan-task.js";
import { onFailure, onMessage, type WorkerLike } from "./worker-like.js";

/** Tasks that a worker has at a time: one is decoded while the other waits for its bytes. */
const TASKS_AT_A_TIME = 2;

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
        void this.lose(`a worker sent what is no answer: ${String(error)}`, error);
      }
    });
    onFailure(worker, (cause) => {
      void this.lose(`a worker was lost: ${cause instanceof Error ? cause.message : String(cause)}`, cause);
    });
  }

  get lost(): boolean {
    return this.end !== undefined;
  }

  /** How many more tasks it can take. */
  get room(): number {
    return this.lost ? 0 : TASKS_AT_A_TIME - this.tasks.size;
  }

  get idle(): boolean {
    return this.tasks.size === 0;
  }

  run(task: ScanTask): void {
    const { id, file, rows } = task;
    this.tasks.set(id, task);
    task.giveBack = (buffers) => this.send({ kind: "reuse", buffers }, buffers);
    if (!this.files.has(file)) {
      this.files.add(file);
      this.send(file.openMessage);
    }
    const { scanOptions: options, reuseMemory } = file;
    this.send({ kind: "scan", task: id, file: file.id, rows, options, reuseMemory });
  }

  /** Gives up a task, if it is here; it takes room until the worker has said that it stopped. */
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

  /** Ends the worker; its tasks fail with `E_IO`. */
  lose(reason: string, cause?: unknown): Promise<unknown> {
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
    if (this.lost) {
      return;
    }
    try {
      this.worker.postMessage(message, [...transfer]);
    } catch (error) {
      void this.lose(`a worker cannot be reached: ${String(error)}`, error);
    }
  }

  private receive(message: WorkerMessage): void {
    const task = this.tasks.get(message.task);
    if (task === undefined) {
      return;
    }
    if (message.kind === "batches") {
      const { batches, buffers } = message;
      // V8 looks for young arrays that nobody uses when it makes one, not when it is given one: without this the batches
      // are left to the full collections, which cost a fifth of a scan.
      new ArrayBuffer(1);
      task.deliver(
        batches.map((batch) => unpackBatch(batch, task.file.dictionary)),
        buffers,
      );
      return;
    }
    this.tasks.delete(message.task);
    task.end(message.error && errorOf(message.error));
    this.onRoom();
  }
}
