/** The entries of one delta file in row order, in step with a scan. */
import { withErrorContext } from "@cfile/bytes";
import type { DeltaBatch, DeltaEntriesOptions } from "@cfile/deltafile/read";
import type { DeltaPart } from "../read/row-set-parts.js";

export class DeltaCursor {
  readonly part: DeltaPart;
  private readonly batches: AsyncGenerator<DeltaBatch, void, void>;
  private batch: DeltaBatch | undefined;
  private index = 0;
  private isAtEnd = false;

  constructor(part: DeltaPart, options: DeltaEntriesOptions) {
    this.part = part;
    this.batches = part.reader.entries(options);
  }

  /** The row of the next entry; `Infinity` after the last one. */
  async nextRow(): Promise<number> {
    const batch = await this.load();
    return batch === undefined ? Number.POSITIVE_INFINITY : (batch.rows[this.index] as number);
  }

  /** Passes each entry of rows `from` to `to` (exclusive), as a batch and an index in it; skips entries of earlier rows. */
  takeRows(from: number, to: number, take: (batch: DeltaBatch, index: number) => void): Promise<void> {
    return this.takeRanges(from, to, (batch, first, end) => {
      for (let index = first; index < end; index++) {
        take(batch, index);
      }
    });
  }

  /** {@link takeRows} in ranges of entries, `first` to `end` (exclusive) of a batch. */
  async takeRanges(
    from: number,
    to: number,
    take: (batch: DeltaBatch, first: number, end: number) => void,
  ): Promise<void> {
    for (;;) {
      const batch = await this.load();
      if (batch === undefined || (batch.rows[this.index] as number) >= to) {
        return;
      }
      const start = indexOfRow(batch, this.index, from);
      const stop = indexOfRow(batch, start, to);
      withErrorContext({ path: this.part.reader.path }, () => take(batch, start, stop));
      this.index = stop;
    }
  }

  async close(): Promise<void> {
    await this.batches.return();
  }

  private async load(): Promise<DeltaBatch | undefined> {
    if (!this.isAtEnd && (this.batch === undefined || this.index >= this.batch.length)) {
      const next = await this.batches.next();
      this.isAtEnd = next.done === true;
      this.batch = next.done === true ? undefined : next.value;
      this.index = 0;
    }
    return this.batch;
  }
}

/** The first entry from `index` on whose row is at least `row`; the number of entries without one. */
function indexOfRow({ length, rows }: DeltaBatch, index: number, row: number): number {
  let found = index;
  while (found < length && (rows[found] as number) < row) {
    found++;
  }
  return found;
}
