/** What a worker is given to do, and what has come of it. */
import type { CFileError } from "@cfile/bytes";
import type { BinaryVector, ColumnBatch } from "@cfile/encodings";
import type { OpenMessage, SentScanOptions } from "../messages/messages.js";
import type { RowTask } from "./row-tasks.js";

/** A file of a scan, as pool and workers know it. */
export interface ScannedFile {
  readonly id: number;
  readonly path: string;
  readonly dictionary: BinaryVector | undefined;
  readonly openMessage: OpenMessage;
  readonly scanOptions: SentScanOptions;
  readonly reuseMemory: boolean;
}

/** A batch, and the memory that nobody looks at any more once the batch after it is asked for. */
export interface TakenBatch {
  readonly batch: ColumnBatch;
  /** What its message came in, with the last batch of the message. */
  readonly buffers: readonly ArrayBuffer[];
}

/** Some rows of a file; their batches wait here for their turn. */
export class ScanTask {
  readonly id: number;
  readonly file: ScannedFile;
  readonly rows: RowTask;
  private readonly onNews: () => void;
  /** Sends memory back to the worker that has the task. */
  giveBack: (buffers: readonly ArrayBuffer[]) => void = () => undefined;
  private readonly waiting: TakenBatch[] = [];
  private failure: CFileError | undefined;
  private ended = false;
  private dropped = false;

  /** @param onNews called when there are batches, and when there will be no more */
  constructor(id: number, file: ScannedFile, rows: RowTask, onNews: () => void) {
    this.id = id;
    this.file = file;
    this.rows = rows;
    this.onNews = onNews;
  }

  /** Whether all batches have been taken. */
  get finished(): boolean {
    return this.ended && this.waiting.length === 0;
  }

  /** Why rows are missing after the last batch. */
  get error(): CFileError | undefined {
    return this.failure;
  }

  deliver(batches: readonly ColumnBatch[], buffers: readonly ArrayBuffer[]): void {
    if (!this.dropped) {
      for (const [i, batch] of batches.entries()) {
        this.waiting.push({ batch, buffers: i === batches.length - 1 ? buffers : [] });
      }
      this.onNews();
    }
  }

  end(failure: CFileError | undefined): void {
    this.ended = true;
    this.failure = failure;
    this.onNews();
  }

  /** The next batch; `undefined` when there is none yet, or none any more. */
  take(): TakenBatch | undefined {
    return this.waiting.shift();
  }

  /** Nobody wants the batches. */
  drop(): void {
    this.dropped = true;
    this.waiting.length = 0;
  }
}
