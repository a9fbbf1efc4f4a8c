/** Decodes ranges of an RLE stream (docs/spec/cfile.md#18-rle-stream) into new memory. */
import { freshMemory } from "@cfile/bytes";
import type { RleDecode } from "@cfile/kernels";
import { integersIn } from "./integer-words.js";
import { RleDecoder } from "./rle-decoder.js";

/** Minimum count at which runs are checked before values are allocated: a few bytes can claim any number of values. */
const MIN_TO_CHECK_FIRST = 65_536;

/** Decodes a range of a stream: integers of 8, 16, 32 or 64 bits, or a bitmap for width 1. */
export const decodeRuns: RleDecode = (runs, from, count, memory) => {
  runs.seek(from);
  if (count >= MIN_TO_CHECK_FIRST) {
    runs.seek(from + count);
    runs.seek(from);
  }
  return runs.read(count, memory);
};

/**
 * Decodes the first `count` values of a stream into the narrowest unsigned array that holds `width` bits.
 *
 * @throws {CFileError} `E_TRUNCATED` or `E_CORRUPT`, before anything is allocated, when the stream is malformed or
 *   holds fewer values; `E_INVALID_ARGUMENT` unless `width` is an integer from 1 to 64 and `count` an integer >= 0
 *
 * @example
 * ```js
 * import { rleDecode, rleEncode } from "@cfile/encodings/rle";
 *
 * const stream = rleEncode([7, 7, 7, 7, 7, 7, 7, 7, 1], 16);
 * console.log(stream.length, rleDecode(stream, 16, 9).join(" "));
 * ```
 *
 * ```text
 * 6 7 7 7 7 7 7 7 7 1
 * ```
 */
export function rleDecode(
  bytes: Uint8Array,
  width: number,
  count: number,
): Uint8Array | Uint16Array | Uint32Array | BigUint64Array {
  const decoder = new RleDecoder(bytes, 0, bytes.length, width);
  decoder.skip(count);
  const bits = width <= 8 ? 8 : width <= 16 ? 16 : width <= 32 ? 32 : 64;
  const output = integersIn(freshMemory.take((bits / 8) * count), bits, count);
  decoder.seek(0);
  decoder.decodeInto(output, 0, count);
  return output;
}
