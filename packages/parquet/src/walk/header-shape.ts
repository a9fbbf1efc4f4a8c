/**
 * Recognizes page headers (docs/spec/parquet.md#2-page-header) in arbitrary bytes. All writers write the fields in order:
 *
 * | bytes | meaning |
 * | --- | --- |
 * | `15`, varint | page type: 0 data v1, 2 dictionary, 3 data v2 |
 * | `15`, varint; `15`, varint | uncompressed and stored size |
 * | `15`, varint | CRC, optional |
 * | `1c` to `5c` | struct of details: field 5, 7 or 8, less the number of the previous field |
 * | `15`, varint, … | number of values and the other integers of the details |
 */

const I32 = 0x15;
const STRUCT = 12;
/** Number of integers at the start of the details, and the field number of the details, by zigzag-encoded page type. */
const DETAILS: Readonly<Record<number, { readonly field: number; readonly integers: number }>> =
  /* @__PURE__ */ Object.freeze({
    0: { field: 5, integers: 4 },
    4: { field: 7, integers: 2 },
    6: { field: 8, integers: 6 },
  });
/** Maximum bytes of the fixed part of a header. */
export const SHAPE_BYTES = 64;

/** Whether a page header may start at `at`; statistics after it are not checked. */
export function hasHeaderShape(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] !== I32) {
    return false;
  }
  const details = DETAILS[bytes[at + 1] ?? -1];
  if (details === undefined) {
    return false;
  }
  let next = skipIntegers(bytes, at + 2, 2);
  if (next === undefined) {
    return false;
  }
  let before = 3;
  if (bytes[next] === I32) {
    next = skipIntegers(bytes, next, 1);
    before = 4;
  }
  const head = next === undefined ? undefined : bytes[next];
  return (
    next !== undefined &&
    head === (((details.field - before) << 4) | STRUCT) &&
    skipIntegers(bytes, next + 1, details.integers) !== undefined
  );
}

/** The first offset in `bytes` from `from` to `to` where a page header may start; -1 if not found. */
export function findHeaderShape(bytes: Uint8Array, from: number, to: number): number {
  for (let at = bytes.indexOf(I32, from); at >= 0 && at < to; at = bytes.indexOf(I32, at + 1)) {
    if (hasHeaderShape(bytes, at)) {
      return at;
    }
  }
  return -1;
}

/** Skips 32-bit integers in fields with consecutive numbers, including the heads of the fields. */
function skipIntegers(bytes: Uint8Array, from: number, count: number): number | undefined {
  let at = from;
  for (let i = 0; i < count; i++) {
    if (bytes[at++] !== I32) {
      return undefined;
    }
    for (let length = 1; (bytes[at++] ?? 0) >= 0x80; length++) {
      if (length === 5) {
        return undefined;
      }
    }
  }
  return at;
}
