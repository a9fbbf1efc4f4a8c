/**
 * Raw Snappy compression (docs/spec/cfile.md#6-compression-wrapper; `snappy-decode.ts` shows the elements). The input is cut
 * into independent fragments of 65536 bytes. The output is byte-identical to that of Snappy 1.1.9: a table holds the last position
 * of each hash of four bytes, and is probed less often the longer no match is found.
 *
 * The fast variant tries the distance of the last match before the table, because values of a fixed size match at the same distance
 * again and again.
 */
import { ByteBuilder, invalidArgument } from "@cfile/bytes";
import { writeVarint32 } from "@cfile/varint";
import { matchEnd, putLiterals } from "../sequence-copy.js";

const FRAGMENT = 65536;
/** Shorter fragments, and this many bytes at the end of others, are not searched. */
const MARGIN = 15;
const MIN_MATCH = 4;
const MAX_TABLE_BITS = 14;
const MIN_TABLE_BITS = 8;
const HASH_PRIME = 0x1e35a7bd;
/** A hash is the highest bits of the product; smaller tables use the lowest of these. */
const HASH_SHIFT = 32 - MAX_TABLE_BITS;

/** Positions in the fragment by hash; the part in use is zero at the start of each fragment. */
let hashTable: Uint16Array | undefined;

/**
 * Compresses `input` to a raw Snappy stream in new memory.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` when the input is longer than 2^32 - 1 bytes
 */
export function snappyCompress(input: Uint8Array): Uint8Array {
  return compress(input, false);
}

/**
 * Compresses like {@link snappyCompress}, but with other matches than Snappy 1.1.9: integers, and similar strings of one length, take less
 * time, random values a little more. The output has about the same size.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` when the input is longer than 2^32 - 1 bytes
 */
export function snappyCompressFast(input: Uint8Array): Uint8Array {
  return compress(input, true);
}

function compress(input: Uint8Array, isFast: boolean): Uint8Array {
  if (input.length > 0xffffffff) {
    const reason = `Snappy input too long: ${input.length} bytes (must be at most 2^32 - 1)`;
    throw invalidArgument(reason, { field: "Snappy input" });
  }
  const out = new ByteBuilder(maxLength(input.length));
  writeVarint32(out, input.length);
  for (let start = 0; start < input.length; start += FRAGMENT) {
    const end = Math.min(start + FRAGMENT, input.length);
    out.length = compressFragment(input, start, end, out, isFast);
  }
  return out.finish();
}

/** The maximum length of the output: the worst mix of literals and matches adds a sixth. */
function maxLength(length: number): number {
  return 32 + length + Math.floor(length / 6);
}

/** Writes `input[start..end)` to the buffer of `builder`; returns the end in that buffer. */
function compressFragment(
  input: Uint8Array,
  start: number,
  end: number,
  builder: ByteBuilder,
  isFast: boolean,
): number {
  const length = end - start;
  const output = builder.reserve(maxLength(length));
  let out = builder.length;
  if (length < MARGIN) {
    return writeLiterals(input, start, end, output, out);
  }
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  const bits = Math.min(MAX_TABLE_BITS, Math.max(MIN_TABLE_BITS, 32 - Math.clz32(length - 1)));
  const mask = (1 << bits) - 1;
  hashTable ??= new Uint16Array(1 << MAX_TABLE_BITS);
  const table = hashTable;
  table.fill(0, 0, mask + 1);
  const searchLimit = end - MARGIN;

  let anchor = start;
  let position = start + 1;
  /** Of the last match. */
  let distance = 1;
  for (;;) {
    // Search: the step grows by one byte for every 32 bytes without a match.
    let candidate = 0;
    let skip = 32;
    let next = position;
    let word = 0;
    let nextWord = view.getInt32(next, true);
    do {
      position = next;
      word = nextWord;
      const step = skip >>> 5;
      skip += step;
      next = position + step;
      if (next > searchLimit) {
        return writeLiterals(input, anchor, end, output, out);
      }
      const hash = (Math.imul(word, HASH_PRIME) >>> HASH_SHIFT) & mask;
      nextWord = view.getInt32(next, true);
      if (isFast) {
        candidate = position - distance;
        if (view.getInt32(candidate, true) === word) {
          break;
        }
      }
      candidate = start + (table[hash] as number);
      table[hash] = position - start;
    } while (view.getInt32(candidate, true) !== word);

    out = writeLiterals(input, anchor, position, output, out);
    // Continues while another match starts where the last one ends.
    do {
      anchor = matchEnd(view, position + MIN_MATCH, candidate + MIN_MATCH, end);
      const isRepeated = position - candidate === distance;
      distance = position - candidate;
      out = writeMatch(distance, anchor - position, output, out);
      position = anchor;
      if (position >= searchLimit) {
        return writeLiterals(input, anchor, end, output, out);
      }
      // The fast variant need not enter the bytes of a repeated match, since the table has their first occurrence.
      if (!(isFast && isRepeated)) {
        word = view.getInt32(position - 1, true);
        table[(Math.imul(word, HASH_PRIME) >>> HASH_SHIFT) & mask] = position - 1 - start;
      }
      word = view.getInt32(position, true);
      const hash = (Math.imul(word, HASH_PRIME) >>> HASH_SHIFT) & mask;
      candidate = start + (table[hash] as number);
      table[hash] = position - start;
    } while (view.getInt32(candidate, true) === word);
    position++;
  }
}

function writeMatch(distance: number, length: number, output: Uint8Array, out: number): number {
  // No part of a long match may be shorter than 4, the minimum of the short form.
  while (length > 64) {
    const part = length >= 68 ? 64 : 60;
    out = writeMatchPart(distance, part, output, out);
    length -= part;
  }
  return writeMatchPart(distance, length, output, out);
}

function writeMatchPart(distance: number, length: number, output: Uint8Array, out: number): number {
  if (length < 12 && distance < 2048) {
    output[out++] = 1 | ((length - 4) << 2) | ((distance >>> 3) & 0xe0);
    output[out++] = distance;
    return out;
  }
  output[out++] = 2 | ((length - 1) << 2);
  output[out++] = distance;
  output[out++] = distance >>> 8;
  return out;
}

function writeLiterals(input: Uint8Array, from: number, to: number, output: Uint8Array, out: number): number {
  const length = to - from;
  if (length === 0) {
    return out;
  }
  if (length <= 60) {
    output[out++] = (length - 1) << 2;
  } else if (length <= 256) {
    output[out++] = 60 << 2;
    output[out++] = length - 1;
  } else {
    output[out++] = 61 << 2;
    output[out++] = length - 1;
    output[out++] = (length - 1) >>> 8;
  }
  return putLiterals(input, from, to, output, out);
}
