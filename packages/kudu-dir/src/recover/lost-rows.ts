/** The lost rows of a row set. */
import { rowNumbers } from "@cfile/encodings";
import { type TableBatch, takeTable } from "@cfile/encodings/batches";

/** Rows `from` (inclusive) to `to` (exclusive). */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

export class LostRows {
  readonly rows: number;
  count = 0;
  private readonly marks: Uint8Array;

  /** @param rows number of rows of the row set */
  constructor(rows: number) {
    this.rows = rows;
    this.marks = new Uint8Array(rows);
  }

  has(row: number): boolean {
    return this.marks[row] === 1;
  }

  add(from: number, to: number): void {
    for (let row = from; row < Math.min(to, this.rows); row++) {
      this.count += this.has(row) ? 0 : 1;
      this.marks[row] = 1;
    }
  }

  addAll(other: LostRows): void {
    for (const { from, to } of other.ranges) {
      this.add(from, to);
    }
  }

  get ranges(): RowRange[] {
    const ranges: RowRange[] = [];
    let from = this.marks.indexOf(1);
    while (from >= 0) {
      const end = this.marks.indexOf(0, from);
      const to = end < 0 ? this.rows : end;
      ranges.push({ from, to });
      from = this.marks.indexOf(1, to);
    }
    return ranges;
  }

  /** The batch without lost rows; `undefined` if all are lost. */
  without(batch: TableBatch): TableBatch | undefined {
    if (this.count === 0) {
      return batch;
    }
    const kept = [...rowNumbers(batch)].flatMap((row, i) => (this.has(row) ? [] : [i]));
    if (kept.length === 0) {
      return undefined;
    }
    return kept.length === batch.length ? batch : takeTable(batch, Uint32Array.from(kept));
  }
}
