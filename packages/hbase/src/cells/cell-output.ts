/** Cells that a scan returns, as positions in the blocks they come from. */
import type { CellBatch } from "@cfile/hfile";

/** Collects cells during a merge. */
export class CellOutput {
  readonly batches: CellBatch[] = [];
  readonly indexes: number[] = [];
  readonly families: number[] = [];
  /** Positions of the first cells of rows. */
  readonly rowStarts: number[] = [];

  get length(): number {
    return this.indexes.length;
  }

  add(batch: CellBatch, index: number, family: number): void {
    this.batches.push(batch);
    this.indexes.push(index);
    this.families.push(family);
  }
}
