/** Finds rows in a block, whose rows are in ascending order and may repeat. */
import { type CFileError, compareRange, corrupt, utf8Bytes } from "@cfile/bytes";
import type { CellBatch } from "./cell-batch.js";

/** The first cell from `from` on whose row is not before `row`, or else the batch's length. */
export function lowerBound(batch: CellBatch, row: Uint8Array, from = 0): number {
  const { data, rowStarts } = batch;
  let low = from;
  let high = batch.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareRange(data, rowStarts[middle] as number, batch.rowEnd(middle), row) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/** Order of the row of cell `index` against `row`. */
export function compareRow(batch: CellBatch, index: number, row: Uint8Array): number {
  return compareRange(batch.data, batch.rowStarts[index] as number, batch.rowEnd(index), row);
}

/** Whether cell `index` exists and has this row. */
export function hasRow(batch: CellBatch, index: number, row: Uint8Array): boolean {
  return index < batch.length && compareRow(batch, index, row) === 0;
}

/**
 * Checks the order that searching relies on; every block is checked before it is searched or returned.
 * @throws {CFileError} `E_CORRUPT` when a row precedes that of the previous cell
 */
export function checkRowOrder({ data, rowStarts, length }: CellBatch): void {
  const view = viewOf(data);
  let left = rowStarts[0] as number;
  let leftEnd = left + view.getUint16(left - 2);
  for (let i = 1; i < length; i++) {
    const right = rowStarts[i] as number;
    const rightEnd = right + view.getUint16(right - 2);
    if (sharedRows(view, left, leftEnd, right, rightEnd) < 0) {
      throw rowDescends(i, right);
    }
    left = right;
    leftEnd = rightEnd;
  }
}

/** Length of the common prefix of two rows; -1 if the second precedes the first. */
export function sharedRows(
  view: DataView,
  left: number,
  leftEnd: number,
  right: number,
  rightEnd: number,
): number {
  const limit = Math.min(leftEnd - left, rightEnd - right);
  let shared = 0;
  while (shared + 4 <= limit) {
    const one = view.getUint32(left + shared);
    const other = view.getUint32(right + shared);
    if (one !== other) {
      return one > other ? -1 : shared + (Math.clz32(one ^ other) >>> 3);
    }
    shared += 4;
  }
  while (shared < limit) {
    const difference = view.getUint8(right + shared) - view.getUint8(left + shared);
    if (difference !== 0) {
      return difference < 0 ? -1 : shared;
    }
    shared++;
  }
  return right + shared === rightEnd && left + shared < leftEnd ? -1 : shared;
}

export function rowDescends(index: number, offset: number): CFileError {
  return corrupt(`row of cell ${index} precedes that of the previous cell`, { offset, field: "row" });
}

/** Length of the common prefix of all rows of a block. */
export function sharedByAll(batch: CellBatch): number {
  const { data, rowStarts, length } = batch;
  const first = rowStarts[0] as number;
  const last = rowStarts[length - 1] as number;
  const limit = Math.min(batch.rowEnd(0), batch.rowEnd(length - 1) - last + first);
  let at = first;
  while (at < limit && data[at] === data[at - first + last]) {
    at++;
  }
  return at - first;
}

export function viewOf(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength);
}

/** The smallest row after all rows with this prefix; `undefined` when all bytes are 0xFF. */
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

/** A row as bytes: text is encoded as UTF-8. */
export function rowBytes(row: Uint8Array | string): Uint8Array {
  return typeof row === "string" ? utf8Bytes(row) : row;
}
