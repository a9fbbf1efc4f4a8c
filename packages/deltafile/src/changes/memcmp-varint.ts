/**
 * memcmp varint (docs/spec/deltafile.md#31-comparable-varint): the memcmp-able varint64 of `@cfile/varint` as two 32-bit words,
 * without a bigint per key.
 *
 * | first byte `f` | length | value |
 * | --- | --- | --- |
 * | 0 … 240 | 1 | `f` |
 * | 241 … 248 | 2 | 240 + 256 · (`f` - 241) + next byte |
 * | 249 | 3 | 2288 + next two bytes, big-endian |
 * | 250 … 255 | 4 … 9 | next `f` - 247 bytes, big-endian |
 */
import { memcmpableVarint64LengthAt } from "@cfile/varint";

/**
 * Reads the value at `position` into `words[at]` (low) and `words[at + 1]` (high) and returns the position after it; -1 if it
 * extends beyond `end`. Forms longer than necessary are accepted, as in Kudu.
 */
export function readMemcmpVarint(
  bytes: Uint8Array,
  position: number,
  end: number,
  words: Uint32Array,
  at: number,
): number {
  if (position >= end) {
    return -1;
  }
  const first = bytes[position] as number;
  const after = position + memcmpableVarint64LengthAt(first);
  if (after > end) {
    return -1;
  }
  let low = first;
  let high = 0;
  if (first > 249) {
    low = 0;
    for (let i = position + 1; i < after; i++) {
      high = (high << 8) | (low >>> 24);
      low = (low << 8) | (bytes[i] as number);
    }
  } else if (first === 249) {
    low = 2288 + 256 * (bytes[position + 1] as number) + (bytes[position + 2] as number);
  } else if (first > 240) {
    low = 240 + 256 * (first - 241) + (bytes[position + 1] as number);
  }
  words[at] = low;
  words[at + 1] = high;
  return after;
}

/** Bytes of the shortest form, the only one that writers use. */
export function memcmpVarintLength(low: number, high: number): number {
  if (high !== 0) {
    return high < 0x100 ? 6 : high < 0x10000 ? 7 : high < 0x1000000 ? 8 : 9;
  }
  return low < 241 ? 1 : low < 2288 ? 2 : low < 67824 ? 3 : low < 0x1000000 ? 4 : 5;
}

/**
 * Writes the shortest form to `bytes` at `position`, where 9 bytes must be free, and returns the position after it. Both words
 * are unsigned.
 */
export function writeMemcmpVarint(bytes: Uint8Array, position: number, low: number, high: number): number {
  const length = memcmpVarintLength(low, high);
  const after = position + length;
  if (length === 1) {
    bytes[position] = low;
  } else if (length === 2) {
    bytes[position] = 241 + ((low - 240) >>> 8);
    bytes[position + 1] = low - 240;
  } else if (length === 3) {
    bytes[position] = 249;
    bytes[position + 1] = (low - 2288) >>> 8;
    bytes[position + 2] = low - 2288;
  } else {
    bytes[position] = 246 + length;
    for (let i = after - 1; i > position; i--) {
      bytes[i] = low;
      low = (low >>> 8) | (high << 24);
      high >>>= 8;
    }
  }
  return after;
}
