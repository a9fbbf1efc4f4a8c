/**
 * Merges sorted rows with the cells of a block. A cell that shares more bytes with the previous cell than that cell shares with the row
 * to find also precedes this row. So most cells are skipped by comparing two lengths, one of which the check of the order has computed.
 */
import type { CellBatch } from "./cell-batch.js";
import type { CellWalk } from "./cell-parser.js";
import { rowDescends, sharedByAll, sharedRows } from "./cell-search.js";
import type { SortedRows } from "./sorted-rows.js";

/** A cell's position in the body of its block. */
export interface CellPosition {
  readonly body: Uint8Array;
  readonly rowStart: number;
  readonly rowEnd: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** Called with the first cell of a row; the cell is valid during the call. */
export type FoundRow = (row: number, cell: CellPosition) => void;

export class RowMerge {
  readonly rows: SortedRows;
  /** The first undecided row. */
  next = 0;
  private readonly found: FoundRow;

  constructor(rows: SortedRows, found: FoundRow) {
    this.rows = rows;
    this.found = found;
  }

  get done(): boolean {
    return this.next >= this.rows.length;
  }

  /**
   * Decides all rows up to the last one of a block whose order has not been checked.
   * @param cells positioned at the first cell
   * @throws {CFileError} `E_CORRUPT` when a row of the block precedes that of the previous cell, and as `CellWalk.next`
   */
  mergeUnchecked(cells: CellWalk): void {
    const { body, view } = cells;
    // The length of the prefix that the row to find shares with the previous cell, and its next byte, which is greater than the cell's.
    let common = this.decide(cells, 0, false);
    let byte = this.byteAt(common);
    let left = cells.rowStart;
    let leftEnd = cells.rowEnd;
    for (let i = 1; cells.next(); i++) {
      const right = cells.rowStart;
      const rightEnd = cells.rowEnd;
      const shared = sharedRows(view, left, leftEnd, right, rightEnd);
      if (shared < 0) {
        throw rowDescends(i, right);
      }
      left = right;
      leftEnd = rightEnd;
      if (shared > common) {
        continue;
      }
      const at = right + shared;
      if (shared === common && at < rightEnd && (body[at] as number) < byte) {
        continue;
      }
      common = this.decide(cells, shared, shared < common);
      byte = this.byteAt(common);
    }
  }

  /** Decides all rows up to the last one of a block whose order was checked; skips the cells between them. */
  mergeChecked(batch: CellBatch): void {
    const last = batch.length - 1;
    const shared = sharedByAll(batch);
    let cell = 0;
    while (!this.done && this.compare(batch, last, 0) >= 0) {
      if (this.compare(batch, cell, 0) < 0) {
        // The row lies between two cells of the block, so it shares their common prefix.
        cell = this.firstNotBefore(batch, cell, shared);
      }
      this.decide(cellAt(batch, cell), 0, false);
    }
  }

  /**
   * Decides the next rows that are not after a cell.
   * @param common length of the prefix that the next row is known to share with the cell
   * @param isAfter whether the cell is known to be after that row
   * @returns length of the prefix that the first row after the cell shares with it; -1 after the last row
   */
  private decide(cell: CellPosition, common: number, isAfter: boolean): number {
    const { data, offsets, shared, length } = this.rows;
    const cells = cell.body;
    const start = cell.rowStart;
    const size = cell.rowEnd - start;
    let same = common;
    let isDecided = isAfter;
    while (this.next < length) {
      if (!isDecided) {
        const from = offsets[this.next] as number;
        const rowSize = (offsets[this.next + 1] as number) - from;
        const end = Math.min(size, rowSize);
        while (same < end && cells[start + same] === data[from + same]) {
          same++;
        }
        if (
          same < rowSize &&
          (same === size || (cells[start + same] as number) < (data[from + same] as number))
        ) {
          return same;
        }
        if (same === size && same === rowSize) {
          this.found(this.next, cell);
        }
      }
      this.next++;
      same = Math.min(same, shared[this.next] ?? 0);
      isDecided = false;
    }
    return -1;
  }

  /** The first cell that is not before the next row. Cell `from` must be before it, the last cell must not. */
  private firstNotBefore(batch: CellBatch, from: number, shared: number): number {
    let low = from;
    let step = 1;
    while (low + step < batch.length && this.compare(batch, low + step, shared) < 0) {
      low += step;
      step *= 2;
    }
    let high = Math.min(batch.length - 1, low + step);
    low++;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(batch, middle, shared) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private byteAt(position: number): number {
    const { data, offsets } = this.rows;
    return this.done ? 0 : (data[(offsets[this.next] as number) + position] as number);
  }

  /** Order of a cell against the next row; they share a prefix of `shared` bytes. */
  private compare(batch: CellBatch, cell: number, shared: number): number {
    const { data, offsets } = this.rows;
    const cells = batch.data;
    const end = batch.rowEnd(cell);
    const rowEnd = offsets[this.next + 1] as number;
    let at = (batch.rowStarts[cell] as number) + shared;
    let row = (offsets[this.next] as number) + shared;
    while (at < end && row < rowEnd) {
      const difference = (cells[at++] as number) - (data[row++] as number);
      if (difference !== 0) {
        return difference;
      }
    }
    return end - at - (rowEnd - row);
  }
}

function cellAt(batch: CellBatch, cell: number): CellPosition {
  return {
    body: batch.data,
    rowStart: batch.rowStarts[cell] as number,
    rowEnd: batch.rowEnd(cell),
    valueStart: batch.valueStart(cell),
    valueEnd: batch.valueEnd(cell),
  };
}
