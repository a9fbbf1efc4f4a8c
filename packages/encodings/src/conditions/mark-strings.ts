/** Clears the marks of strings that do not equal, or do not start with, a given string, over whole columns. */
import type { BinaryVector } from "../types/vector.js";

/** Bytes compared at once. */
const HEAD = 4;

/** Keeps the marks of strings equal to `wanted`. */
export function markEqual(strings: BinaryVector, wanted: Uint8Array, marks: Uint8Array): void {
  const { offsets, length } = strings;
  const size = wanted.length;
  for (let i = 0; i < length; i++) {
    const hasLength = (offsets[i + 1] as number) - (offsets[i] as number) === size;
    marks[i] = (marks[i] as number) & (hasLength ? 1 : 0);
  }
  markPrefixed(strings, wanted, marks);
}

/** Keeps the marks of strings with this prefix. */
export function markPrefixed(strings: BinaryVector, prefix: Uint8Array, marks: Uint8Array): void {
  const { data, length, offsets } = strings;
  const size = prefix.length;
  const bytes = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const mask = size < HEAD ? (1 << (8 * size)) - 1 : -1;
  let head = 0;
  for (let i = 0; i < Math.min(size, HEAD); i++) {
    head |= (prefix[i] as number) << (8 * i);
  }
  // A head is read wherever four bytes are left, even if they belong to the next string.
  const lastHead = data.length - HEAD;
  for (let i = 0; i < length; i++) {
    const start = offsets[i] as number;
    let matches = start + size <= (offsets[i + 1] as number);
    if (matches) {
      matches =
        start <= lastHead
          ? (bytes.getInt32(start, true) & mask) === head &&
            (size <= HEAD || restMatches(data, start, prefix, HEAD))
          : restMatches(data, start, prefix, 0);
    }
    marks[i] = (marks[i] as number) & (matches ? 1 : 0);
  }
}

/** Whether `bytes` at `start` equal `prefix`; compares only the bytes after the first `from`. */
function restMatches(bytes: Uint8Array, start: number, prefix: Uint8Array, from: number): boolean {
  for (let i = from; i < prefix.length; i++) {
    if (bytes[start + i] !== prefix[i]) {
      return false;
    }
  }
  return true;
}
