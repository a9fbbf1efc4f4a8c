/**
 * LZ4 block compression, byte-identical to LZ4 1.10.0 at acceleration 1 on 64-bit little-endian machines
 * (docs/spec/cfile.md#appendix-a-lz4-compressor).
 *
 * | part of a sequence | width | content |
 * | --- | --- | --- |
 * | token | 1 | literal length (high nibble), match length - 4 (low nibble), 15 = extended |
 * | literal length, continued | 0.. | bytes of 255, then one below 255 |
 * | literals | | |
 * | distance | 2 | u16le, 1..65535 |
 * | match length, continued | 0.. | as above |
 *
 * The last sequence ends after its literals. Matches end at least 5 bytes before the end of the input and start at least
 * 12 before it; Kudu's decoder requires both.
 */
import { invalidArgument } from "@cfile/bytes";
import { matchEnd, putLiterals } from "../sequence-copy.js";
import { requireRange } from "./lz4-errors.js";

const MIN_MATCH = 4;
const LAST_LITERALS = 5;
/** Number of bytes at the end in which no match is searched for. */
const SEARCH_MARGIN = 11;
const MIN_LENGTH_WITH_MATCH = 13;
const MAX_DISTANCE = 65535;

/** Minimum size at which the hash covers 5 bytes and the table is smaller. */
const LARGE_INPUT = 65547;
const SMALL_TABLE_SIZE = 8192;
const LARGE_TABLE_SIZE = 4096;

const SMALL_PRIME = 2654435761 | 0;
/**
 * The large hash is bits 28..39 of the 40-bit word times 0xcf1bbcdcbb. Split into its lowest byte and the four above it, the
 * word gives bits 8..39 exactly with 32-bit products.
 */
const LARGE_PRIME_LOW32 = 0x1bbcdcbb;
const LARGE_PRIME_ABOVE_8 = 0xcf1bbcdc | 0;
const LARGE_PRIME_LOW8 = 0xbb;

/** Positions by hash, relative to the start of the input; all zero at the start of each block. */
let hashTable: Int32Array | undefined;

/** The maximum number of bytes that `lz4CompressBlock` writes for `length` bytes of input. */
export function lz4CompressBound(length: number): number {
  return length + Math.floor(length / 255) + 16;
}

/**
 * Compresses `src[srcStart..srcEnd)` into `dst`, starting at `dstStart`.
 *
 * @returns the number of bytes written
 * @throws {CFileError} `E_INVALID_ARGUMENT` when the input range is outside `src`, or `dst` has no room for
 *   {@link lz4CompressBound} bytes
 */
export function lz4CompressBlock(
  src: Uint8Array,
  srcStart: number,
  srcEnd: number,
  dst: Uint8Array,
  dstStart: number,
): number {
  requireRange(src, srcStart, srcEnd);
  const bound = lz4CompressBound(srcEnd - srcStart);
  if (!(dstStart >= 0 && bound <= dst.length - dstStart)) {
    const reason = `LZ4 output too small: ${dst.length - dstStart} bytes (must be at least ${bound})`;
    throw invalidArgument(reason, { field: "LZ4 output" });
  }
  const compress = srcEnd - srcStart < MIN_LENGTH_WITH_MATCH ? writeLiterals : compressMatches;
  return compress(src, srcStart, srcEnd, dst, dstStart) - dstStart;
}

/** Compresses `input` to an LZ4 block in new memory. */
export function lz4Compress(input: Uint8Array): Uint8Array {
  const buffer = new Uint8Array(lz4CompressBound(input.length));
  return buffer.slice(0, lz4CompressBlock(input, 0, input.length, buffer, 0));
}

function compressMatches(src: Uint8Array, start: number, end: number, dst: Uint8Array, out: number): number {
  const view = new DataView(src.buffer, src.byteOffset, src.byteLength);
  const large = end - start >= LARGE_INPUT;
  hashTable ??= new Int32Array(SMALL_TABLE_SIZE);
  const table = hashTable;
  table.fill(0, 0, large ? LARGE_TABLE_SIZE : SMALL_TABLE_SIZE);
  const reach = large ? MAX_DISTANCE : LARGE_INPUT;
  const searchLimit = end - SEARCH_MARGIN;
  const matchLimit = end - LAST_LITERALS;

  let anchor = start;
  let position = start + 1;
  for (;;) {
    // Search: the step grows by one byte for every 64 tries without a match.
    let word = 0;
    let candidate = 0;
    let next = position;
    let nextWord = view.getInt32(next, true);
    let nextHash = hashOf(view, next, nextWord, large);
    let step = 1;
    let tries = 64;
    do {
      position = next;
      word = nextWord;
      const hash = nextHash;
      candidate = start + (table[hash] as number);
      next += step;
      step = tries >>> 6;
      tries++;
      if (next > searchLimit) {
        return writeLiterals(src, anchor, end, dst, out);
      }
      nextWord = view.getInt32(next, true);
      nextHash = hashOf(view, next, nextWord, large);
      table[hash] = position - start;
    } while (position - candidate > reach || view.getInt32(candidate, true) !== word);

    while (position > anchor && candidate > start && src[position - 1] === src[candidate - 1]) {
      position--;
      candidate--;
    }
    let token = out;
    out = writeLiterals(src, anchor, position, dst, out);

    // Continues while another match starts where the last one ends.
    for (;;) {
      const distance = position - candidate;
      dst[out] = distance;
      dst[out + 1] = distance >>> 8;
      anchor = matchEnd(view, position + MIN_MATCH, candidate + MIN_MATCH, matchLimit);
      out = writeMatchLength(anchor - position - MIN_MATCH, dst, token, out + 2);
      position = anchor;
      if (position >= searchLimit) {
        return writeLiterals(src, anchor, end, dst, out);
      }
      table[hashOf(view, position - 2, view.getInt32(position - 2, true), large)] = position - 2 - start;
      word = view.getInt32(position, true);
      const hash = hashOf(view, position, word, large);
      candidate = start + (table[hash] as number);
      table[hash] = position - start;
      if (position - candidate > reach || view.getInt32(candidate, true) !== word) {
        break;
      }
      token = out++;
      dst[token] = 0;
    }
    position++;
  }
}

/** The table index of a position; `word` is the four bytes there. */
function hashOf(view: DataView, position: number, word: number, large: boolean): number {
  if (!large) {
    return Math.imul(word, SMALL_PRIME) >>> 19;
  }
  const low = word & 0xff;
  const product =
    Math.imul(view.getInt32(position + 1, true), LARGE_PRIME_LOW32) +
    Math.imul(low, LARGE_PRIME_ABOVE_8) +
    ((low * LARGE_PRIME_LOW8) >>> 8);
  return product >>> 20;
}

/** Writes a token and its literals, which are all of the last sequence; returns the position after them. */
function writeLiterals(src: Uint8Array, from: number, to: number, dst: Uint8Array, out: number): number {
  const length = to - from;
  dst[out++] = Math.min(length, 15) << 4;
  if (length >= 15) {
    out = writeLengthRest(length - 15, dst, out);
  }
  return putLiterals(src, from, to, dst, out);
}

/** Adds the match length (minus 4) to the token and writes the part that does not fit there. */
function writeMatchLength(length: number, dst: Uint8Array, token: number, out: number): number {
  dst[token] = (dst[token] as number) | Math.min(length, 15);
  return length < 15 ? out : writeLengthRest(length - 15, dst, out);
}

function writeLengthRest(rest: number, dst: Uint8Array, out: number): number {
  while (rest >= 255) {
    dst[out++] = 255;
    rest -= 255;
  }
  dst[out++] = rest;
  return out;
}
