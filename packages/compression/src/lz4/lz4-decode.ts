/**
 * LZ4 block decompression (docs/spec/cfile.md#6-compression-wrapper; the layout of a sequence stands in `lz4-encode.ts`). One
 * pass, every length and distance checked before it is used.
 *
 * What the format allows is decoded, also where an encoder broke LZ4's end rules; `checkLz4Block` tells.
 */
import { CFileError, corrupt, invalidArgument } from "@cfile/bytes";
import { copyLiterals } from "../literal-copy.js";
import { copyMatch } from "../match-copy.js";

const MIN_MATCH = 4;

/** A short sequence reads at most a token and 16 bytes, and writes at most 14 literals and 20 bytes of a match. */
const MOST_SHORT_READ = 17;
const MOST_SHORT_WRITE = 34;

/**
 * Decompresses the block `src[srcStart..srcEnd)` into exactly `dst[dstStart..dstEnd)`. Nothing outside that range
 * is written; after an error its content is undefined. The two ranges must not overlap.
 *
 * @throws CFileError `E_TRUNCATED` when the block ends inside a sequence or after a match, `E_CORRUPT` for a
 *   distance of 0 or to before the output and for an output of another size; `E_INVALID_ARGUMENT` when a range is
 *   outside its buffer
 */
export function lz4DecompressBlock(
  src: Uint8Array,
  srcStart: number,
  srcEnd: number,
  dst: Uint8Array,
  dstStart: number,
  dstEnd: number,
): void {
  requireRange(src, srcStart, srcEnd, "LZ4 input");
  requireRange(dst, dstStart, dstEnd, "LZ4 output");
  const input = new DataView(src.buffer, src.byteOffset, src.byteLength);
  const output = new DataView(dst.buffer, dst.byteOffset, dst.byteLength);
  let from = srcStart;
  let to = dstStart;
  const fastFrom = srcEnd - MOST_SHORT_READ;
  const fastTo = dstEnd - MOST_SHORT_WRITE;
  for (;;) {
    // Short literals with a short match, the common case, away from both ends: whole words are copied, and what
    // is too much is overwritten by the next sequence.
    while (from <= fastFrom && to <= fastTo) {
      const token = src[from] as number;
      const literals = token >>> 4;
      const length = token & 15;
      if (literals === 15 || length === 15) {
        break;
      }
      output.setInt32(to, input.getInt32(from + 1, true), true);
      if (literals > 4) {
        output.setInt32(to + 4, input.getInt32(from + 5, true), true);
        if (literals > 8) {
          output.setInt32(to + 8, input.getInt32(from + 9, true), true);
          output.setInt32(to + 12, input.getInt32(from + 13, true), true);
        }
      }
      const target = to + literals;
      const distance = input.getUint16(from + 1 + literals, true);
      if (distance === 0 || distance === 3 || distance > target - dstStart) {
        break;
      }
      if (distance < 3) {
        // A run, or two bytes in turn.
        const word =
          distance === 1
            ? output.getUint8(target - 1) * 0x01010101
            : output.getUint16(target - 2, true) * 0x00010001;
        output.setInt32(target, word, true);
        output.setInt32(target + 4, word, true);
        output.setInt32(target + 8, word, true);
        output.setInt32(target + 12, word, true);
        output.setInt32(target + 16, word, true);
      } else {
        const match = target - distance;
        output.setInt32(target, output.getInt32(match, true), true);
        output.setInt32(target + 4, output.getInt32(match + 4, true), true);
        if (length > 4) {
          output.setInt32(target + 8, output.getInt32(match + 8, true), true);
          if (length > 8) {
            output.setInt32(target + 12, output.getInt32(match + 12, true), true);
            output.setInt32(target + 16, output.getInt32(match + 16, true), true);
          }
        }
      }
      from += 3 + literals;
      to = target + MIN_MATCH + length;
    }

    if (from >= srcEnd) {
      throw truncated("LZ4 token", from);
    }
    const token = src[from++] as number;

    let literals = token >>> 4;
    if (literals === 15) {
      let more = 255;
      while (more === 255) {
        if (from >= srcEnd) {
          throw truncated("LZ4 literal length", from);
        }
        more = src[from++] as number;
        literals += more;
      }
    }
    if (literals > srcEnd - from) {
      throw truncated("LZ4 literals", from);
    }
    if (literals > dstEnd - to) {
      throw tooLong("LZ4 literals", from, literals, dstEnd - to);
    }
    copyLiterals(src, input, from, dst, output, to, literals);
    from += literals;
    to += literals;
    if (from === srcEnd) {
      break;
    }

    if (srcEnd - from < 2) {
      throw truncated("LZ4 distance", from);
    }
    const distance = (src[from] as number) | ((src[from + 1] as number) << 8);
    if (distance === 0 || distance > to - dstStart) {
      throw corrupt(`an LZ4 match reaches ${distance} bytes back, ${to - dstStart} are there`, {
        offset: from,
        field: "LZ4 distance",
        actual: distance,
      });
    }
    from += 2;

    let length = token & 15;
    if (length === 15) {
      let more = 255;
      while (more === 255) {
        if (from >= srcEnd) {
          throw truncated("LZ4 match length", from);
        }
        more = src[from++] as number;
        length += more;
      }
    }
    length += MIN_MATCH;
    if (length > dstEnd - to) {
      throw tooLong("LZ4 match length", from, length, dstEnd - to);
    }
    copyMatch(dst, output, to, distance, length);
    to += length;
  }
  if (to !== dstEnd) {
    throw corrupt(`an LZ4 block expands to ${to - dstStart} bytes, ${dstEnd - dstStart} are expected`, {
      offset: srcStart,
      field: "LZ4 block",
      expected: dstEnd - dstStart,
      actual: to - dstStart,
    });
  }
}

function requireRange(bytes: Uint8Array, start: number, end: number, field: string): void {
  if (!(start >= 0 && start <= end && end <= bytes.length)) {
    throw invalidArgument(`range ${start}..${end} is outside ${bytes.length} bytes`, { field });
  }
}

function truncated(field: string, offset: number): CFileError {
  return new CFileError("E_TRUNCATED", "an LZ4 block ends inside a sequence", { field, offset });
}

function tooLong(field: string, offset: number, length: number, room: number): CFileError {
  return corrupt(`an LZ4 sequence writes ${length} bytes, the output has room for ${room}`, {
    offset,
    field,
    expected: room,
    actual: length,
  });
}
