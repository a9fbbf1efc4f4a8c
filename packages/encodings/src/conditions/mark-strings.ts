/** Marks of the strings that are a string, or begin with it, over whole columns. Marks of others are cleared. */
import type { BinaryVector } from "../types/vector.js";

/** Bytes that are compared at once. */
const HEAD = 4;

/** Of strings equal to `wanted`. */
export function markEqual(strings: BinaryVector, wanted: Uint8Array, marks: Uint8Array): void {
  const { offsets, length } = strings;
  const size = wanted.length;
  for (let i = 0; i < length; i++) {
    const isLong = (offsets[i + 1] as number) - (offsets[i] as number) === size;
    marks[i] = (marks[i] as number) & (isLong ? 1 : 0);
  }
  markPrefixed(strings, wanted, marks);
}

/** Of strings that begin with `prefix`. */
export function markPrefixed(
  { data, length, offsets }: BinaryVector,
  prefix: Uint8Array,
  marks: Uint8Array,
): void {
  const size = prefix.length;
  const bytes = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const mask = size < HEAD ? (1 << (8 * size)) - 1 : -1;
  let head = 0;
  for (let i = 0; i < Math.min(size, HEAD); i++) {
    head |= (prefix[i] as number) << (8 * i);
  }
  // A head is read where four bytes are left, whatever string they are of.
  const lastHead = data.length - HEAD;
  for (let i = 0; i < length; i++) {
    const start = offsets[i] as number;
    let isLike = start + size <= (offsets[i + 1] as number);
    if (isLike) {
      isLike =
        start <= lastHead
          ? (bytes.getInt32(start, true) & mask) === head &&
            (size <= HEAD || endsLike(data, start, prefix, HEAD))
          : endsLike(data, start, prefix, 0);
    }
    marks[i] = (marks[i] as number) & (isLike ? 1 : 0);
  }
}

/** Whether `bytes` have at `start` what `prefix` has, from its byte `from` on. */
function endsLike(bytes: Uint8Array, start: number, prefix: Uint8Array, from: number): boolean {
  for (let i = from; i < prefix.length; i++) {
    if (bytes[start + i] !== prefix[i]) {
      return false;
    }
  }
  return true;
}
