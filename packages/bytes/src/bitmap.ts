/**
 * Bitmaps, least significant bit first: bit `i` stands in byte `i >> 3` under the mask `1 << (i & 7)`.
 * The layout of CFile bitmaps (docs/spec/cfile.md#17-bit-packing) and of Arrow's validity bitmaps.
 */

/** Bytes that `bits` bits take. */
export function bitmapByteLength(bits: number): number {
  return Math.ceil(bits / 8);
}

/** Whether a bit is 1. The index is not checked: bits beyond the bitmap read as 0. */
export function getBit(bitmap: Uint8Array, index: number): boolean {
  return (((bitmap[index >>> 3] as number) >>> (index & 7)) & 1) === 1;
}

/** Sets a bit to 1. The index is not checked. */
export function setBit(bitmap: Uint8Array, index: number): void {
  bitmap[index >>> 3] = (bitmap[index >>> 3] as number) | (1 << (index & 7));
}

/** Sets a bit to 0. The index is not checked. */
export function clearBit(bitmap: Uint8Array, index: number): void {
  bitmap[index >>> 3] = (bitmap[index >>> 3] as number) & ~(1 << (index & 7));
}

/** Sets bits `from` (inclusive) to `to` (exclusive). */
export function setBitRange(bitmap: Uint8Array, from: number, to: number): void {
  while (from < to && (from & 7) !== 0) {
    setBit(bitmap, from++);
  }
  const wholeBytes = (to - from) >>> 3;
  if (wholeBytes > 0) {
    bitmap.fill(0xff, from >>> 3, (from >>> 3) + wholeBytes);
    from += wholeBytes * 8;
  }
  while (from < to) {
    setBit(bitmap, from++);
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

/** How many of the bits `from` (inclusive) to `to` (exclusive) are one. */
export function countBits(bitmap: Uint8Array, from: number, to: number): number {
  let count = 0;
  while (from < to && (from & 7) !== 0) {
    count += ((bitmap[from >>> 3] as number) >>> (from & 7)) & 1;
    from++;
  }
  let byte = from >>> 3;
  const lastByte = byte + ((to - from) >>> 3);
  for (; byte + 4 <= lastByte; byte += 4) {
    count += popcount32(
      (bitmap[byte] as number) |
        ((bitmap[byte + 1] as number) << 8) |
        ((bitmap[byte + 2] as number) << 16) |
        ((bitmap[byte + 3] as number) << 24),
    );
  }
  for (; byte < lastByte; byte++) {
    count += popcount32(bitmap[byte] as number);
  }
  for (from = Math.max(from, lastByte * 8); from < to; from++) {
    count += ((bitmap[from >>> 3] as number) >>> (from & 7)) & 1;
  }
  return count;
}

/** Copies `length` bits from `source` at bit `sourceStart` to `target` at bit `targetStart`. No overlap. */
export function copyBits(
  source: Uint8Array,
  sourceStart: number,
  target: Uint8Array,
  targetStart: number,
  length: number,
): void {
  let done = 0;
  while (done < length && ((targetStart + done) & 7) !== 0) {
    copyBit(source, sourceStart + done, target, targetStart + done);
    done++;
  }
  const shift = (sourceStart + done) & 7;
  let from = (sourceStart + done) >>> 3;
  let to = (targetStart + done) >>> 3;
  const wholeBytes = (length - done) >>> 3;
  if (shift === 0) {
    target.set(source.subarray(from, from + wholeBytes), to);
  } else {
    for (let i = 0; i < wholeBytes; i++, from++, to++) {
      target[to] = ((source[from] as number) >>> shift) | ((source[from + 1] as number) << (8 - shift));
    }
  }
  for (done += wholeBytes * 8; done < length; done++) {
    copyBit(source, sourceStart + done, target, targetStart + done);
  }
}

function copyBit(source: Uint8Array, from: number, target: Uint8Array, to: number): void {
  if (getBit(source, from)) {
    setBit(target, to);
  } else {
    clearBit(target, to);
  }
}

/** The first index in `from..to` whose bit is `value`, or `to` when there is none. */
export function findBit(bitmap: Uint8Array, value: boolean, from: number, to: number): number {
  const skip = value ? 0x00 : 0xff;
  while (from < to) {
    if ((from & 7) === 0 && from + 8 <= to && bitmap[from >>> 3] === skip) {
      from += 8;
    } else if (getBit(bitmap, from) === value) {
      return from;
    } else {
      from++;
    }
  }
  return to;
}
