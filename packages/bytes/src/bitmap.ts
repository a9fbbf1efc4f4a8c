/**
 * Bitmaps, least significant bit first: bit `i` is `1 << (i & 7)` in byte `i >> 3`. The layout of CFile bitmaps
 * (docs/spec/cfile.md#17-bit-packing) and of Arrow's validity bitmaps. No function checks its indexes.
 */

/** Length of a bitmap in bytes. */
export function bitmapByteLength(bits: number): number {
  return Math.ceil(bits / 8);
}

/** Whether a bit is 1; bits beyond the bitmap are 0. */
export function getBit(bitmap: Uint8Array, index: number): boolean {
  return (((bitmap[index >>> 3] as number) >>> (index & 7)) & 1) === 1;
}

/** Sets a bit to 1. */
export function setBit(bitmap: Uint8Array, index: number): void {
  bitmap[index >>> 3] = (bitmap[index >>> 3] as number) | (1 << (index & 7));
}

/** Sets a bit to 0. */
export function clearBit(bitmap: Uint8Array, index: number): void {
  bitmap[index >>> 3] = (bitmap[index >>> 3] as number) & ~(1 << (index & 7));
}

/** Ranges of fewer bits are set faster in a loop than with `TypedArray.fill`. */
const SHORT_RANGE = 256;

/** Sets bits `from` (inclusive) to `to` (exclusive) to 1. */
export function setBitRange(bitmap: Uint8Array, from: number, to: number): void {
  for (; from < to && (from & 7) !== 0; from++) {
    setBit(bitmap, from);
  }
  for (; from + 8 <= to && to - from < SHORT_RANGE; from += 8) {
    bitmap[from >>> 3] = 0xff;
  }
  if (from + 8 <= to) {
    bitmap.fill(0xff, from >>> 3, to >>> 3);
    from = to - (to & 7);
  }
  for (; from < to; from++) {
    setBit(bitmap, from);
  }
}

/** A bitmap of `bits` ones; the unused bits of the last byte are zero. */
export function onesBitmap(bits: number): Uint8Array {
  const bitmap = new Uint8Array(bitmapByteLength(bits));
  setBitRange(bitmap, 0, bits);
  return bitmap;
}

function popcount32(word: number): number {
  word -= (word >>> 1) & 0x55555555;
  word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
  return Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** Counts the ones among bits `from` (inclusive) to `to` (exclusive). */
export function countBits(bitmap: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (; from < to && (from & 7) !== 0; from++) {
    count += Number(getBit(bitmap, from));
  }
  let byte = from >>> 3;
  const lastByte = byte + ((to - from) >>> 3);
  for (; byte + 4 <= lastByte; byte += 4) {
    const word =
      (bitmap[byte] as number) |
      ((bitmap[byte + 1] as number) << 8) |
      ((bitmap[byte + 2] as number) << 16) |
      ((bitmap[byte + 3] as number) << 24);
    // Most words of a null bitmap are ones.
    count += word === -1 ? 32 : popcount32(word);
  }
  for (; byte < lastByte; byte++) {
    count += popcount32(bitmap[byte] as number);
  }
  for (from = Math.max(from, lastByte * 8); from < to; from++) {
    count += Number(getBit(bitmap, from));
  }
  return count;
}

/** Copies `length` bits from bit `from` of `source` to bit `to` of `target`, which must not overlap. */
export function copyBits(
  source: Uint8Array,
  from: number,
  target: Uint8Array,
  to: number,
  length: number,
): void {
  const end = to + length;
  for (; to < end && (to & 7) !== 0; from++, to++) {
    copyBit(source, from, target, to);
  }
  const shift = from & 7;
  const start = from >>> 3;
  const bytes = (end - to) >>> 3;
  if (shift === 0) {
    target.set(source.subarray(start, start + bytes), to >>> 3);
  } else {
    for (let i = start, out = to >>> 3; i < start + bytes; i++, out++) {
      target[out] = ((source[i] as number) >>> shift) | ((source[i + 1] as number) << (8 - shift));
    }
  }
  for (from += 8 * bytes, to += 8 * bytes; to < end; from++, to++) {
    copyBit(source, from, target, to);
  }
}

function copyBit(source: Uint8Array, from: number, target: Uint8Array, to: number): void {
  if (getBit(source, from)) {
    setBit(target, to);
  } else {
    clearBit(target, to);
  }
}

/** The first index in `from..to` whose bit is `value`, or `to`. */
export function findBit(bitmap: Uint8Array, value: boolean, from: number, to: number): number {
  const flip = value ? 0 : 0xff;
  while (from < to) {
    const bits = ((bitmap[from >>> 3] as number) ^ flip) >>> (from & 7);
    if (bits !== 0) {
      return Math.min(to, from + 31 - Math.clz32(bits & -bits));
    }
    from = (from | 7) + 1;
  }
  return to;
}
