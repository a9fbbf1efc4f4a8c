/**
 * Cuts a stream of batches into the units that are handed to the encoder: exactly `unitRows` rows each but for
 * the last, however the rows arrive.
 */
import { type BatchRange, type ColumnBatch, concatBatches } from "@cfile/encodings";

export class RowUnits {
  private readonly unitRows: number;
  private readonly handOver: (batch: ColumnBatch, from: number, to: number) => void;
  private readonly pending: BatchRange[] = [];
  private pendingRows = 0;

  constructor(unitRows: number, handOver: (batch: ColumnBatch, from: number, to: number) => void) {
    this.unitRows = unitRows;
    this.handOver = handOver;
  }

  push(batch: ColumnBatch): void {
    if (this.unitRows === Number.POSITIVE_INFINITY) {
      this.handOver(batch, 0, batch.length);
      return;
    }
    let from = 0;
    if (this.pendingRows > 0) {
      from = Math.min(batch.length, this.unitRows - this.pendingRows);
      this.keep(batch, 0, from);
      if (this.pendingRows === this.unitRows) {
        this.flush();
      }
    }
    for (; batch.length - from >= this.unitRows; from += this.unitRows) {
      this.handOver(batch, from, from + this.unitRows);
    }
    this.keep(batch, from, batch.length);
  }

  /** Hands over what is left as a shorter unit. */
  flush(): void {
    const [first, ...rest] = this.pending;
    if (first !== undefined) {
      const unit = rest.length === 0 ? first.batch : concatBatches([first, ...rest]);
      this.pending.length = 0;
      this.pendingRows = 0;
      this.handOver(unit, 0, unit.length);
    }
  }

  /** Copies the rows: the caller may use its arrays again once `append` is done. */
  private keep(batch: ColumnBatch, from: number, to: number): void {
    if (from < to) {
      const copy = concatBatches([{ batch, from, to }]);
      this.pending.push({ batch: copy, from: 0, to: copy.length });
      this.pendingRows += copy.length;
    }
  }
}
