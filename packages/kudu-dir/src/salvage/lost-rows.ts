/** Which rows of a row set are lost. */
import { takeRows } from "@cfile/encodings/batches";
import type { RowBatch } from "@cfile/rowset";

/** Rows `from` (inclusive) to `to` (exclusive). */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

export class LostRows {
  readonly rows: number;
  count = 0;
  private readonly marks: Uint8Array;

  /** @param rows of the row set */
  constructor(rows: number) {
    this.rows = rows;
    this.marks = new Uint8Array(rows);
  }

  has(row: number): boolean {
    return this.marks[row] === 1;
  }

  add(from: number, to: number): void {
    for (let row = from; row < Math.min(to, this.rows); row++) {
      this.count += 1 - (this.marks[row] as number);
      this.marks[row] = 1;
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

  /** A batch without them; `undefined` when none is left. */
  without(batch: RowBatch): RowBatch | undefined {
    if (this.count === 0) {
      return batch;
    }
    const kept: number[] = [];
    batch.rows.forEach((row, i) => {
      if (!this.has(row)) {
        kept.push(i);
      }
    });
    if (kept.length === batch.length) {
      return batch;
    }
    if (kept.length === 0) {
      return undefined;
    }
    const positions = Uint32Array.from(kept);
    return {
      length: kept.length,
      rows: takeNumbers(batch.rows, positions),
      columns: batch.columns.map((column) => takeRows(column, positions)),
      names: batch.names,
    };
  }
}

function takeNumbers(rows: Uint32Array, positions: Uint32Array): Uint32Array {
  return positions.map((position) => rows[position] as number);
}
