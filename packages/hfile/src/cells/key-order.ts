/** Order of whole keys (docs/spec/hfile.md#6-ordering): row, family, qualifier ascending; timestamp and type descending. */
import { compareBytes, compareRange } from "@cfile/bytes";
import { type HFileCell, TIMESTAMP_AND_TYPE } from "./cell-batch.js";

/** Compares complete keys: row length, row, family length, family, qualifier, timestamp, type. */
export function compareKeys(left: Uint8Array, right: Uint8Array): number {
  const leftRow = rowEndOf(left);
  const rightRow = rowEndOf(right);
  const byRow = compareRange(left, 2, leftRow, right.subarray(2, rightRow));
  if (byRow !== 0) {
    return byRow;
  }
  const leftFamily = leftRow + 1 + (left[leftRow] as number);
  const rightFamily = rightRow + 1 + (right[rightRow] as number);
  const leftTail = left.length - TIMESTAMP_AND_TYPE;
  const rightTail = right.length - TIMESTAMP_AND_TYPE;
  return (
    compareRange(left, leftRow + 1, leftFamily, right.subarray(rightRow + 1, rightFamily)) ||
    compareRange(left, leftFamily, leftTail, right.subarray(rightFamily, rightTail)) ||
    compareSigned(right, rightTail, left, leftTail) ||
    (right[right.length - 1] as number) - (left[left.length - 1] as number)
  );
}

/** The order of cells: that of their keys, then of their MVCC numbers, descending. */
export function compareCells(left: HFileCell, right: HFileCell): number {
  // Most cells differ in their rows, which are faster to compare alone.
  const byRow = compareBytes(left.row, right.row);
  return byRow || compareKeys(left.key, right.key) || Number(right.mvcc - left.mvcc);
}

/** End of the row in a complete key. */
export function rowEndOf(key: Uint8Array): number {
  return 2 + (((key[0] as number) << 8) | (key[1] as number));
}

/** Order of two signed big-endian 64-bit integers. */
function compareSigned(left: Uint8Array, leftAt: number, right: Uint8Array, rightAt: number): number {
  const sign = ((left[leftAt] as number) ^ 0x80) - ((right[rightAt] as number) ^ 0x80);
  return sign !== 0 ? sign : compareRange(left, leftAt, leftAt + 8, right.subarray(rightAt, rightAt + 8));
}
