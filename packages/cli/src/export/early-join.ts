/**
 * Joins the parts of a Parquet file while later parts are still being written: copying waits for the disk, which leaves the processor to
 * the threads that write parts.
 */
import { type ByteSource, openSource } from "@cfile/io";
import type { Split } from "@cfile/splits";
import type { ExportParts } from "./export-parts.js";

/** Thrown to stop joining; never reaches callers. */
class Abandoned extends Error {}

export class EarlyJoin {
  private readonly stored: ExportParts;
  private readonly splits: readonly Split[];
  private readonly joining: Promise<unknown>;
  /** `undefined` while parts are being written. */
  private isWanted: boolean | undefined;
  private wake: () => void = () => undefined;

  /** @param splits whose parts become the file, in order, unless some are replaced */
  constructor(target: string, stored: ExportParts, splits: readonly Split[]) {
    this.stored = stored;
    this.splits = splits;
    stored.onComplete = () => this.wake();
    this.joining = this.join(target);
    // An error is thrown by `finish`.
    this.joining.catch(() => undefined);
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
    this.end(true);
    await this.joining;
    return true;
  }

  /** Removes what has been written. */
  async abandon(): Promise<void> {
    this.end(false);
    await this.joining.catch(() => undefined);
  }

  private end(isWanted: boolean): void {
    this.isWanted = isWanted;
    this.wake();
  }

  private async join(target: string): Promise<void> {
    const { joinParquet } = await import("@cfile/parquet/write");
    await joinParquet(target, this.sources());
  }

  private async *sources(): AsyncGenerator<ByteSource, void, void> {
    for (const split of this.splits) {
      await this.until(() => this.stored.reports.has(split.id));
      const source = await openSource(this.stored.path(split));
      try {
        yield source;
      } finally {
        await source.close?.();
      }
    }
    await this.until(() => this.isWanted === true);
  }

  private async until(isReached: () => boolean): Promise<void> {
    while (this.isWanted === false || !isReached()) {
      if (this.isWanted === false) {
        throw new Abandoned();
      }
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }
}
