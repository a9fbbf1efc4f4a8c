/**
 * Keys of Bloom filters (docs/spec/hbase-table.md#82-keys): a row, a prefix of a row, or row and column as
 * `u16 row length, row, 0, qualifier, 2^63 - 1, 255`.
 */
import { compareRange } from "@cfile/bytes";

/** Bytes of a key with row and column, except for row and qualifier. */
const OVERHEAD = 12;
const TAIL = 9;

/** The key of a row and a column. */
export function rowColumnKey(row: Uint8Array, qualifier: Uint8Array): Uint8Array {
  const key = new Uint8Array(OVERHEAD + row.length + qualifier.length);
  key[0] = row.length >>> 8;
  key[1] = row.length;
  key.set(row, 2);
  key.set(qualifier, row.length + 3);
  key.fill(0xff, key.length - TAIL);
  key[key.length - TAIL] = 0x7f;
  return key;
}

/** Order of keys with row and column: by row, then by qualifier. */
export function compareRowColumnKeys(left: Uint8Array, right: Uint8Array): number {
  const leftRow = rowEnd(left);
  const rightRow = rowEnd(right);
  return (
    compareRange(left, 2, leftRow, right.subarray(2, rightRow)) ||
    compareRange(left, leftRow + 1, left.length - TAIL, right.subarray(rightRow + 1, right.length - TAIL))
  );
}

/** The end of the row in a key with row and column; always within the key, even if it is malformed. */
export function rowEnd(key: Uint8Array): number {
  const length = ((key[0] ?? 0) << 8) | (key[1] ?? 0);
  return Math.min(2 + length, Math.max(2, key.length - TAIL - 1));
}
