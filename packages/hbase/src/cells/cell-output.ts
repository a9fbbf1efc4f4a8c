/** Cells that a scan returns, as runs of consecutive cells of the blocks they come from. */
import type { CellBatch } from "@cfile/hfile";

/** Collects cells during a merge. */
export class CellOutput {
  /** Number of cells. */
  length = 0;
  /** The block of each run. */
  readonly batches: CellBatch[] = [];
  /** Position of the first cell of each run in its block. */
  readonly firsts: number[] = [];
  /** Rank of the family of each run. */
  readonly families: number[] = [];
  /** Position of the first cell of each run in the output. */
  readonly starts: number[] = [];
  /** Positions of the first cells of rows. */
  readonly rowStarts: number[] = [];
  /** The block and the cell that would continue the last run. */
  private batch: CellBatch | undefined;
  private next = 0;

  add(batch: CellBatch, index: number, family: number): void {
    this.addRun(batch, index, index + 1, family);
  }

  /** Adds the cells from `first` to `end`. */
  addRun(batch: CellBatch, first: number, end: number, family: number): void {
    if (batch !== this.batch || first !== this.next) {
      this.batches.push(batch);
      this.firsts.push(first);
      this.families.push(family);
      this.starts.push(this.length);
      this.batch = batch;
    }
    this.next = end;
    this.length += end - first;
  }
}
