/** Looking for rows in a block, whose rows do not descend. */
import { compareRange, corrupt } from "@cfile/bytes";
import type { CellBatch } from "./cell-batch.js";

/** The first cell from `from` on whose row is not before `row`; the batch's length when there is none. */
export function lowerBound(batch: CellBatch, row: Uint8Array, from = 0, to = batch.length): number {
  const { data, rowStarts, rowEnds } = batch;
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareRange(data, rowStarts[middle] as number, rowEnds[middle] as number, row) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** {@link lowerBound}, quick when the cell is not far from `from`. */
export function gallop(batch: CellBatch, row: Uint8Array, from: number): number {
  let low = from;
  let step = 1;
  while (low + step < batch.length && compareRow(batch, low + step, row) < 0) {
    low += step;
    step *= 2;
  }
  return lowerBound(batch, row, low, Math.min(batch.length, low + step + 1));
}

/** Order of the row of cell `index` against `row`. */
export function compareRow(batch: CellBatch, index: number, row: Uint8Array): number {
  return compareRange(batch.data, batch.rowStarts[index] as number, batch.rowEnds[index] as number, row);
}

/** Whether cell `index` is there and has this row. */
export function hasRow(batch: CellBatch, index: number, row: Uint8Array): boolean {
  return index < batch.length && compareRow(batch, index, row) === 0;
}

/**
 * Searching relies on it, so no block is searched or given out before.
 *
 * @throws CFileError `E_CORRUPT` when a row is before the row of the cell before it
 */
export function checkRowOrder(batch: CellBatch): void {
  const { data, rowStarts, rowEnds, length } = batch;
  for (let i = 1; i < length; i++) {
    let left = rowStarts[i - 1] as number;
    let right = rowStarts[i] as number;
    const leftEnd = rowEnds[i - 1] as number;
    const rightEnd = rowEnds[i] as number;
    while (left < leftEnd && right < rightEnd && data[left] === data[right]) {
      left++;
      right++;
    }
    if (left < leftEnd && (right === rightEnd || (data[left] as number) > (data[right] as number))) {
      throw corrupt(`the row of cell ${i} is before the row of the cell before it`, {
        offset: rowStarts[i],
        field: "row",
      });
    }
  }
}

/** The smallest row after all that begin with `prefix`, `undefined` when there is none. */
export function afterPrefix(prefix: Uint8Array): Uint8Array | undefined {
  let length = prefix.length;
  while (length > 0 && prefix[length - 1] === 0xff) {
    length--;
  }
  if (length === 0) {
    return undefined;
  }
  const end = prefix.slice(0, length);
  end[length - 1] = (end[length - 1] as number) + 1;
  return end;
}

/** A row as bytes: text is taken as UTF-8. */
export function rowBytes(row: Uint8Array | string): Uint8Array {
  return typeof row === "string" ? new TextEncoder().encode(row) : row;
}
