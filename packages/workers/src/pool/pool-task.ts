/** A task of a worker, and its output. */
import type { OpenMessage, OutputMessage } from "../messages/messages.js";
import type { RowTask } from "./row-tasks.js";

/** A file of a job. */
export interface JobFile {
  readonly id: number;
  readonly path: string;
  readonly openMessage: OpenMessage;
}

/** A task as its worker sees it. */
export interface RunningTask {
  readonly id: number;
  readonly file: JobFile;
  readonly rows: RowTask;
  /** Returns memory to the worker that runs the task. */
  returnBuffers: (buffers: readonly ArrayBuffer[]) => void;
  deliver(message: OutputMessage): void;
  end(error: Error | undefined): void;
}

interface WaitingItem<T> {
  readonly item: T;
  /** Memory of the message, with its last item; free once the next item is requested. */
  readonly buffers: readonly ArrayBuffer[];
}

export type PoolTask<T> = ReturnType<typeof poolTask<T>>;

let lastId = 0;

/** An ID that is unique among files and tasks. */
export const nextId = () => ++lastId;

/**
 * Some rows of a file, and the output of the worker that waits for its turn.
 *
 * @param unpack the items in a message
 * @param onNews called when there are items, and when there will be no more
 */
export function poolTask<T>(
  file: JobFile,
  rows: RowTask,
  unpack: (message: OutputMessage) => readonly T[],
  onNews: () => void,
) {
  const waiting: WaitingItem<T>[] = [];
  let state: "running" | "ended" | "dropped" = "running";
  let failure: Error | undefined;
  return {
    id: nextId(),
    file,
    rows,
    returnBuffers: (_buffers: readonly ArrayBuffer[]): void => undefined,
    /** Whether all items have been taken. */
    isFinished: () => state === "ended" && waiting.length === 0,
    /** Why items are missing after the last one. */
    error: () => failure,
    deliver: (message: OutputMessage): void => {
      const items = unpack(message);
      const buffers = message.kind === "batches" ? message.buffers : [];
      if (state === "running") {
        for (const [i, item] of items.entries()) {
          waiting.push({ item, buffers: i === items.length - 1 ? buffers : [] });
        }
        onNews();
      }
    },
    end: (error: Error | undefined): void => {
      state = "ended";
      failure = error;
      onNews();
    },
    /** The next item, if one has arrived. */
    take: () => waiting.shift(),
    /** Discards the items. */
    drop: (): void => {
      state = "dropped";
      waiting.length = 0;
    },
  } satisfies RunningTask & Record<string, unknown>;
}
