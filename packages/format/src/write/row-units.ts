/**
 * Splits a stream of batches into the units that are passed to the encoder: exactly `unitRows` rows each, except the last one,
 * regardless of the sizes of the batches. Where it makes no difference, several units are passed at once, or a unit in parts.
 */
import type { ColumnBatch } from "@cfile/encodings";
import { type BatchRange, concatBatches } from "@cfile/encodings/batches";

export interface UnitTarget {
  /** Number of rows, starting at `from`, that can be added at once with the same result as in units. */
  unitFree(batch: ColumnBatch, from: number, to: number): number;
  add(batch: ColumnBatch, from: number, to: number): void;
}

export class RowUnits {
  private readonly unitRows: number;
  private readonly target: UnitTarget;
  private readonly pending: BatchRange[] = [];
  private pendingRows = 0;
  /** Rows of the current unit already passed on. */
  private phase = 0;

  constructor(unitRows: number, target: UnitTarget) {
    this.unitRows = unitRows;
    this.target = target;
  }

  push(batch: ColumnBatch): void {
    if (this.unitRows === Number.POSITIVE_INFINITY) {
      this.target.add(batch, 0, batch.length);
      return;
    }
    for (let from = 0; from < batch.length; ) {
      from += this.pendingRows > 0 ? this.completeUnit(batch, from) : this.handOver(batch, from);
    }
  }

  /** Passes the remaining rows on as a shorter unit. */
  flush(): void {
    const [first, ...rest] = this.pending;
    if (first !== undefined) {
      const unit = rest.length === 0 ? first.batch : concatBatches([first, ...rest]);
      this.pending.length = 0;
      this.pendingRows = 0;
      this.give(unit, 0, unit.length);
    }
  }

  private handOver(batch: ColumnBatch, from: number): number {
    const free = this.target.unitFree(batch, from, batch.length);
    if (free > 0) {
      this.give(batch, from, from + free);
      return free;
    }
    const left = this.unitRows - this.phase;
    if (batch.length - from >= left) {
      this.give(batch, from, from + left);
      return left;
    }
    this.keep(batch, from, batch.length);
    return batch.length - from;
  }

  private completeUnit(batch: ColumnBatch, from: number): number {
    const rows = Math.min(batch.length - from, this.unitRows - this.phase - this.pendingRows);
    this.keep(batch, from, from + rows);
    if (this.phase + this.pendingRows === this.unitRows) {
      this.flush();
    }
    return rows;
  }

  private give(batch: ColumnBatch, from: number, to: number): void {
    this.target.add(batch, from, to);
    this.phase = (this.phase + to - from) % this.unitRows;
  }

  /** Copies the rows: the caller may reuse its arrays after `append`. */
  private keep(batch: ColumnBatch, from: number, to: number): void {
    const copy = concatBatches([{ batch, from, to }]);
    this.pending.push({ batch: copy, from: 0, to: copy.length });
    this.pendingRows += copy.length;
  }
}
