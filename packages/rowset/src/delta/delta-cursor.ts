/** The entries of one delta file, row after row, as a scan comes by. */
import { isCFileError } from "@cfile/bytes";
import type { DeltaBatch, DeltaEntriesOptions } from "@cfile/deltafile/read";
import type { DeltaPart } from "../read/row-set-parts.js";

/** Takes one entry: its batch and its place in it. */
export type TakeEntry = (batch: DeltaBatch, index: number) => void;

/** Takes entries `from` to `to` of a batch. */
export type TakeEntries = (batch: DeltaBatch, from: number, to: number) => void;

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

  /** The row of the next entry; `Infinity` behind the last one. */
  async nextRow(): Promise<number> {
    const batch = await this.load();
    return batch === undefined ? Number.POSITIVE_INFINITY : (batch.rows[this.index] as number);
  }

  /** Hands over the entries of rows `from` to `to`; those of earlier rows are left out. */
  takeRows(from: number, to: number, take: TakeEntry): Promise<void> {
    return this.takeRanges(from, to, (batch, first, end) => {
      for (let index = first; index < end; index++) {
        take(batch, index);
      }
    });
  }

  /** {@link takeRows}, of each batch together. */
  async takeRanges(from: number, to: number, take: TakeEntries): Promise<void> {
    for (;;) {
      const batch = await this.load();
      if (batch === undefined || (batch.rows[this.index] as number) >= to) {
        return;
      }
      this.takeOf(batch, from, to, take);
    }
  }

  async close(): Promise<void> {
    await this.batches.return();
  }

  private takeOf(batch: DeltaBatch, from: number, to: number, take: TakeEntries): void {
    const { length, rows } = batch;
    let first = this.index;
    while (first < length && (rows[first] as number) < from) {
      first++;
    }
    let end = first;
    while (end < length && (rows[end] as number) < to) {
      end++;
    }
    try {
      take(batch, first, end);
    } catch (error) {
      throw isCFileError(error) ? error.within({ path: this.part.reader.path }) : error;
    }
    this.index = end;
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
