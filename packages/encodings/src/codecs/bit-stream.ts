/**
 * RLE streams of width 1 (docs/spec/cfile.md#18-rle-stream) decoded directly to bitmaps: the null bitmaps before every block
 * of a nullable column. Streams that writers do not produce are left to `RleDecoder`, which reports their errors.
 */
import { bitmapByteLength, copyBits, setBitRange } from "@cfile/bytes";

/**
 * The bitmap of a stream of exactly `count` bits in its usual form; `undefined` when `bytes[start..end)` is anything else.
 * Runs are checked before the bitmap is allocated.
 */
export function readBitStream(bytes: Uint8Array, start: number, end: number, count: number) {
  const runs: Runs = { bytes, start, end, count };
  if (!walkRuns(runs, undefined)) {
    return undefined;
  }
  const bitmap = new Uint8Array(bitmapByteLength(count));
  walkRuns(runs, bitmap);
  const used = count & 7;
  if (used !== 0) {
    const last = count >>> 3;
    bitmap[last] = (bitmap[last] as number) & (0xff >>> (8 - used));
  }
  return bitmap;
}

interface Runs {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly count: number;
}

/** Whether the runs are well-formed; writes their bits to the bitmap, if given. */
function walkRuns({ bytes, start, end, count }: Runs, bitmap: Uint8Array | undefined): boolean {
  let at = start;
  let done = 0;
  while (done < count) {
    if (at >= end) {
      return false;
    }
    let header = bytes[at++] as number;
    // Headers of most runs are one byte.
    for (let shift = 7, byte = header; byte >= 0x80; shift += 7) {
      if (at >= end || shift === 28) {
        return false;
      }
      byte = bytes[at++] as number;
      header = (header & ((1 << shift) - 1)) | (byte << shift);
    }
    const length = header >>> 1;
    const left = count - done;
    if (length === 0 || at >= end) {
      return false;
    }
    if ((header & 1) === 0) {
      const bit = bytes[at++] as number;
      if (length > left || bit > 1) {
        return false;
      }
      if (bit === 1 && bitmap !== undefined) {
        setBitRange(bitmap, done, done + length);
      }
      done += length;
      continue;
    }
    // Only the last group may be short.
    const values = Math.min(8 * length, left);
    if ((values + 7) >>> 3 !== length || length > end - at) {
      return false;
    }
    if (bitmap !== undefined) {
      copyLiterals(bytes, at, bitmap, done, values);
    }
    at += length;
    done += values;
  }
  return at === end;
}

function copyLiterals(bytes: Uint8Array, from: number, bitmap: Uint8Array, at: number, bits: number): void {
  if ((at & 7) !== 0) {
    copyBits(bytes, 8 * from, bitmap, at, bits);
    return;
  }
  const length = bitmapByteLength(bits);
  for (let i = 0, to = at >>> 3; i < length; i++, to++) {
    bitmap[to] = bytes[from + i] as number;
  }
}
