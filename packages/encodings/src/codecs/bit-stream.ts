/**
 * RLE streams of width 1 (docs/spec/cfile.md#18-rle-stream) straight to bitmaps: the null bitmaps that stand before every block
 * of a nullable column. Streams that are in any way unusual are left to `RleDecoder`, which knows what is wrong with them.
 */
import { copyBits, setBitRange } from "@cfile/bytes";

/** Header of the run at `at`: its value, and where its body starts. */
interface RunHeader {
  value: number;
  next: number;
}

/**
 * Whether `bytes[start..end)` is exactly a stream of `count` bits, in the form that writers give it. Nothing is allocated
 * before that is known.
 */
export function isBitStream(bytes: Uint8Array, start: number, end: number, count: number): boolean {
  return walkRuns(bytes, start, end, count, undefined);
}

/** Writes the bits of a stream for which {@link isBitStream} holds to `bitmap`, which is zero. */
export function decodeBitStream(
  bytes: Uint8Array,
  start: number,
  end: number,
  count: number,
  bitmap: Uint8Array,
): void {
  walkRuns(bytes, start, end, count, bitmap);
  const used = count & 7;
  if (used !== 0) {
    const last = count >>> 3;
    bitmap[last] = (bitmap[last] as number) & (0xff >>> (8 - used));
  }
}

function walkRuns(
  bytes: Uint8Array,
  start: number,
  end: number,
  count: number,
  bitmap: Uint8Array | undefined,
): boolean {
  const header: RunHeader = { value: 0, next: start };
  let done = 0;
  while (done < count) {
    if (!readHeader(bytes, end, header)) {
      return false;
    }
    const { value, next } = header;
    const length = value >>> 1;
    if ((value & 1) === 0) {
      const bit = bytes[next];
      if (next >= end || length === 0 || length > count - done || bit === undefined || bit > 1) {
        return false;
      }
      if (bitmap !== undefined && bit === 1) {
        setBitRange(bitmap, done, done + length);
      }
      done += length;
      header.next = next + 1;
      continue;
    }
    const values = Math.min(8 * length, count - done);
    const body = (values + 7) >>> 3;
    // The last group alone may be short.
    if (length === 0 || body !== length || body > end - next) {
      return false;
    }
    if (bitmap !== undefined) {
      copyLiterals(bytes, next, bitmap, done, values);
    }
    done += values;
    header.next = next + body;
  }
  return header.next === end;
}

function readHeader(bytes: Uint8Array, end: number, header: RunHeader): boolean {
  let at = header.next;
  let value = 0;
  for (let shift = 0; shift < 28; shift += 7) {
    if (at >= end) {
      return false;
    }
    const byte = bytes[at++] as number;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      header.value = value;
      header.next = at;
      return true;
    }
  }
  return false;
}

function copyLiterals(bytes: Uint8Array, from: number, bitmap: Uint8Array, at: number, bits: number): void {
  if ((at & 7) !== 0) {
    copyBits(bytes, 8 * from, bitmap, at, bits);
    return;
  }
  const length = (bits + 7) >>> 3;
  for (let i = 0, to = at >>> 3; i < length; i++, to++) {
    bitmap[to] = bytes[from + i] as number;
  }
}
