/** A task of a worker, and its result. */
import type { CFileError } from "@cfile/bytes";
import type { BinaryVector, ColumnBatch } from "@cfile/encodings";
import type { OpenMessage, SentScanOptions } from "../messages/messages.js";
import type { RowTask } from "./row-tasks.js";

/** A file of a scan. */
export interface ScannedFile {
  readonly id: number;
  readonly path: string;
  readonly dictionary: BinaryVector | undefined;
  readonly openMessage: OpenMessage;
  readonly scanOptions: SentScanOptions;
  readonly reuseMemory: boolean;
}

interface WaitingBatch {
  readonly batch: ColumnBatch;
  /** Memory of the message, with its last batch; free once the next batch is requested. */
  readonly buffers: readonly ArrayBuffer[];
}

export type ScanTask = ReturnType<typeof scanTask>;

let lastId = 0;

/** A number that no other file or task has. */
export const nextId = () => ++lastId;

/**
 * Some rows of a file; their batches wait here for their turn.
 *
 * @param onNews called when there are batches, and when there will be no more
 */
export function scanTask(file: ScannedFile, rows: RowTask, onNews: () => void) {
  const waiting: WaitingBatch[] = [];
  let state: "running" | "ended" | "dropped" = "running";
  let failure: CFileError | undefined;
  return {
    id: nextId(),
    file,
    rows,
    /** Returns memory to the worker that runs the task. */
    returnBuffers: (_buffers: readonly ArrayBuffer[]): void => undefined,
    /** Whether all batches have been taken. */
    isFinished: () => state === "ended" && waiting.length === 0,
    /** Why rows are missing after the last batch. */
    error: () => failure,
    deliver: (batches: readonly ColumnBatch[], buffers: readonly ArrayBuffer[]): void => {
      if (state === "running") {
        for (const [i, batch] of batches.entries()) {
          waiting.push({ batch, buffers: i === batches.length - 1 ? buffers : [] });
        }
        onNews();
      }
    },
    end: (error: CFileError | undefined): void => {
      state = "ended";
      failure = error;
      onNews();
    },
    /** The next batch, if one has arrived. */
    take: () => waiting.shift(),
    /** Discards the batches. */
    drop: (): void => {
      state = "dropped";
      waiting.length = 0;
    },
  };
}
