/**
 * Walks the sequences of an LZ4 block without decompressing it (`lz4-encode.ts` shows the layout of a sequence) and checks
 * every length and distance, and LZ4's end rules. A block that passes is safe for a decoder that checks nothing; a block that
 * breaks the end rules makes Kudu's reader abort (docs/spec/cfile.md#12-verification-status).
 */
import { ByteReader } from "@cfile/bytes";
import { badDistance, requireSize, tooLong } from "./lz4-errors.js";

const MIN_MATCH = 4;
/** No match starts closer to the end of the output than this. */
const MATCH_START_MARGIN = 12;
/** This many bytes at the end of the output are literals. */
const LAST_LITERALS = 5;

/** The result of `checkLz4Block` for a valid block. */
export interface Lz4BlockCheck {
  /** Whether the last 5 bytes are literals and no match starts within the last 12, as Kudu's decoder requires. */
  readonly endRulesHold: boolean;
}

/**
 * Checks that `src[start..end)` is an LZ4 block of exactly `size` bytes.
 *
 * @throws {CFileError} `E_TRUNCATED` when the block ends inside a sequence; `E_CORRUPT` for a distance that is 0 or reaches
 *   before the output, and for any other size
 */
export function checkLz4Block(src: Uint8Array, start: number, end: number, size: number): Lz4BlockCheck {
  const reader = new ByteReader(src, start, end);
  let written = 0;
  let endRulesHold = true;
  let lastLiterals = 0;
  for (;;) {
    const token = reader.u8("LZ4 token");
    lastLiterals = readLength(reader, token >>> 4, "LZ4 literal length");
    reader.skip(lastLiterals, "LZ4 literals");
    written = addLength(written, lastLiterals, size, reader.position);
    if (reader.remaining === 0) {
      break;
    }
    const offset = reader.position;
    const distance = reader.u16le("LZ4 distance");
    if (distance === 0 || distance > written) {
      throw badDistance(distance, written, offset);
    }
    endRulesHold = endRulesHold && size - written >= MATCH_START_MARGIN;
    const length = readLength(reader, token & 15, "LZ4 match length") + MIN_MATCH;
    written = addLength(written, length, size, reader.position);
  }
  requireSize(written, size, start);
  const onlyLiterals = lastLiterals === size;
  return { endRulesHold: onlyLiterals || (endRulesHold && lastLiterals >= LAST_LITERALS) };
}

function readLength(reader: ByteReader, nibble: number, field: string): number {
  let length = nibble;
  for (let more = nibble === 15 ? 255 : 0; more === 255; ) {
    more = reader.u8(field);
    length += more;
  }
  return length;
}

function addLength(written: number, length: number, size: number, offset: number): number {
  if (length > size - written) {
    throw tooLong(length, length, size - written, "LZ4 block", offset);
  }
  return written + length;
}
