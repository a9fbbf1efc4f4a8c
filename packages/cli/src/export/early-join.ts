/**
 * Joins the parts of a Parquet file while later parts are still being written. A thread of its own does this, because the threads that
 * write parts rarely have time for their event loops: most of the copying would be left for the end.
 */
import type { Split } from "@cfile/splits";
import { WorkerThread } from "../program/worker-thread.js";
import type { ExportParts } from "./export-parts.js";

const SCRIPT = new URL("./join-worker.js", import.meta.url);

/** The next part of the file, or, after the last one, whether the file is kept. */
export type JoinTask = { readonly part: string } | { readonly isKept: boolean };

export class EarlyJoin {
  private readonly stored: ExportParts;
  private readonly splits: readonly Split[];
  private readonly thread: WorkerThread<string, JoinTask, void>;
  /** Number of parts whose paths the thread has. */
  private sent = 0;

  /** @param splits whose parts become the file, in order, unless some are replaced */
  constructor(target: string, stored: ExportParts, splits: readonly Split[]) {
    this.stored = stored;
    this.splits = splits;
    // Without a signal: also after an interruption, the thread must remove what it has written.
    this.thread = new WorkerThread(SCRIPT, undefined);
    this.thread.begin(target);
    stored.onComplete = () => this.sendComplete();
    this.sendComplete();
  }

  /**
   * Completes the file if `written` are the splits that it was started with.
   *
   * @returns whether the file was written
   * @throws {CFileError} as `joinParquet`
   */
  async finish(written: readonly Split[]): Promise<boolean> {
    const { splits } = this;
    if (written.length !== splits.length || written.some(({ id }, i) => id !== splits[i]?.id)) {
      await this.abandon();
      return false;
    }
    await this.end(true);
    return true;
  }

  /** Removes what has been written. */
  async abandon(): Promise<void> {
    // Callers have an error already, or do not need the file.
    await this.end(false).catch(() => undefined);
  }

  private sendComplete(): void {
    const { splits, stored, thread } = this;
    for (let next = splits[this.sent]; next !== undefined && stored.reports.has(next.id); ) {
      // The last task has the error of any part.
      thread.ask({ part: stored.path(next) }).catch(() => undefined);
      next = splits[++this.sent];
    }
  }

  private async end(isKept: boolean): Promise<void> {
    try {
      await this.thread.ask({ isKept });
    } finally {
      await this.thread.close();
    }
  }
}
