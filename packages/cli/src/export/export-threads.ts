/** The threads of an export other than the main one. They load their code while the export is planned. */
import { expectLongRun } from "../program/engine-limits.js";
import { WorkerThread } from "../program/worker-thread.js";
import type { PartReport } from "./export-parts.js";
import type { PartSettings } from "./part-source.js";
import type { PartTask } from "./write-part.js";

const SCRIPT = new URL("./export-worker.js", import.meta.url);

export type ExportThread = WorkerThread<PartSettings, PartTask | "finish", PartReport | undefined, number>;

export class ExportThreads {
  private readonly threads: ExportThread[] = [];
  private readonly signal: AbortSignal | undefined;
  private settings: PartSettings | undefined;

  /** @param count threads to start at once */
  constructor(count: number, signal: AbortSignal | undefined) {
    this.signal = signal;
    expectLongRun();
    for (let i = 0; i < count; i++) {
      this.start();
    }
  }

  /** Sends the settings of all parts. */
  begin(settings: PartSettings): void {
    this.settings = settings;
    for (const thread of this.threads) {
      thread.begin(settings);
    }
  }

  /** Returns `count` threads, the same ones at each call; starts those that are missing. */
  some(count: number): readonly ExportThread[] {
    while (this.threads.length < count) {
      const thread = this.start();
      if (this.settings !== undefined) {
        thread.begin(this.settings);
      }
    }
    return this.threads.slice(0, count);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.threads.map((thread) => thread.close()));
  }

  private start(): ExportThread {
    const thread: ExportThread = new WorkerThread(SCRIPT, this.signal);
    this.threads.push(thread);
    return thread;
  }
}
