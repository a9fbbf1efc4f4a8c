/**
 * LZ4 block decompression (docs/spec/cfile.md#6-compression-wrapper; `lz4-encode.ts` shows the layout of a sequence) in one
 * pass, with every length and distance checked before it is used.
 *
 * Blocks that break LZ4's end rules are also decoded; `checkLz4Block` reports them.
 */
import { copyLiterals, copyMatch, LONG_LITERALS } from "../sequence-copy.js";
import { badDistance, requireRange, requireSize, tooLong, truncated } from "./lz4-errors.js";

const MIN_MATCH = 4;
/** The nibble of a length that continues after the token. */
const LONG = 15;

/** A short sequence reads at most a token and 16 bytes, and writes at most 14 literals and 20 bytes of a match. */
const MAX_SHORT_READ = 17;
const MAX_SHORT_WRITE = 34;

/**
 * Decompresses the block `input[start..end)` into exactly `output`, whose content is undefined after an error. The two must
 * not overlap.
 *
 * @throws {CFileError} `E_TRUNCATED` when the block ends inside a sequence or after a match; `E_CORRUPT` for a distance that
 *   is 0 or reaches before the output, and for any other size; `E_INVALID_ARGUMENT` when the range is outside `input`
 */
export function lz4DecompressBlock(input: Uint8Array, start: number, end: number, output: Uint8Array): void {
  requireRange(input, start, end);
  const inputView = new DataView(input.buffer, input.byteOffset, input.byteLength);
  const outputView = new DataView(output.buffer, output.byteOffset, output.byteLength);
  const { length: size } = output;
  let from = start;
  let to = 0;
  for (;;) {
    // The common case, few literals and a short match away from both ends: copies whole words. Later output overwrites the
    // excess bytes.
    while (from <= end - MAX_SHORT_READ && to <= size - MAX_SHORT_WRITE) {
      const token = input[from] as number;
      const literals = token >>> 4;
      const length = token & 15;
      if (literals === LONG || length === LONG) {
        break;
      }
      outputView.setInt32(to, inputView.getInt32(from + 1, true), true);
      if (literals > 4) {
        outputView.setInt32(to + 4, inputView.getInt32(from + 5, true), true);
        if (literals > 8) {
          outputView.setInt32(to + 8, inputView.getInt32(from + 9, true), true);
          outputView.setInt32(to + 12, inputView.getInt32(from + 13, true), true);
        }
      }
      const target = to + literals;
      const distance = inputView.getUint16(from + 1 + literals, true);
      if (distance === 0 || distance === 3 || distance > target) {
        break;
      }
      copyShortMatch(outputView, target, distance, length);
      from += 3 + literals;
      to = target + MIN_MATCH + length;
    }
    if (from >= end) {
      throw truncated("LZ4 token", from);
    }
    const token = input[from++] as number;
    let literals = token >>> 4;
    if (literals === LONG) {
      const after = lengthEnd(input, from, end, "LZ4 literal length");
      literals += 255 * (after - from - 1) + (input[after - 1] as number);
      from = after;
    }
    if (literals > end - from || literals > size - to) {
      throw tooLong(literals, end - from, size - to, "LZ4 literals", from);
    }
    if (literals < LONG_LITERALS) {
      copyLiterals(inputView, from, outputView, to, literals);
    } else {
      output.set(input.subarray(from, from + literals), to);
    }
    from += literals;
    to += literals;
    if (from === end) {
      break;
    }
    if (end - from < 2) {
      throw truncated("LZ4 distance", from);
    }
    const distance = inputView.getUint16(from, true);
    if (distance === 0 || distance > to) {
      throw badDistance(distance, to, from);
    }
    from += 2;
    let length = token & 15;
    if (length === LONG) {
      const after = lengthEnd(input, from, end, "LZ4 match length");
      length += 255 * (after - from - 1) + (input[after - 1] as number);
      from = after;
    }
    length += MIN_MATCH;
    if (length > size - to) {
      throw tooLong(length, length, size - to, "LZ4 match length", from);
    }
    copyMatch(output, outputView, to, distance, length);
    to += length;
  }
  requireSize(to, size, start);
}

/** Decompresses all of `input` into exactly `output`, like {@link lz4DecompressBlock}. */
export function lz4Decompress(input: Uint8Array, output: Uint8Array): void {
  lz4DecompressBlock(input, 0, input.length, output);
}

/** Copies a match of up to 18 bytes in whole words; `length` lacks the minimum of 4, `distance` is not 3. */
function copyShortMatch(output: DataView, to: number, distance: number, length: number): void {
  if (distance < 3) {
    // A run of one byte, or of two alternating bytes.
    const word =
      distance === 1 ? output.getUint8(to - 1) * 0x01010101 : output.getUint16(to - 2, true) * 0x00010001;
    output.setInt32(to, word, true);
    output.setInt32(to + 4, word, true);
    output.setInt32(to + 8, word, true);
    output.setInt32(to + 12, word, true);
    output.setInt32(to + 16, word, true);
    return;
  }
  const match = to - distance;
  output.setInt32(to, output.getInt32(match, true), true);
  output.setInt32(to + 4, output.getInt32(match + 4, true), true);
  if (length > 4) {
    output.setInt32(to + 8, output.getInt32(match + 8, true), true);
    if (length > 8) {
      output.setInt32(to + 12, output.getInt32(match + 12, true), true);
      output.setInt32(to + 16, output.getInt32(match + 16, true), true);
    }
  }
}

/** The end of a length that continues at `from`: after bytes of 255 and one byte below 255. */
function lengthEnd(input: Uint8Array, from: number, end: number, field: string): number {
  while (from < end && input[from] === 255) {
    from++;
  }
  if (from >= end) {
    throw truncated(field, from);
  }
  return from + 1;
}
