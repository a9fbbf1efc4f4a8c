/**
 * Raw Snappy compression (docs/spec/cfile.md#6-compression-wrapper; elements stand in `snappy-decode.ts`). The input is cut
 * into fragments of 65536 bytes that know nothing of each other. Matches are found as Snappy 1.1.9 finds them, to the byte: by
 * a table of the last position of each hash of four bytes, probed ever more rarely while nothing is found.
 */
import { ByteBuilder, invalidArgument } from "@cfile/bytes";
import { writeVarint32 } from "@cfile/varint";
import { extendMatch } from "../lz4/match-extend.js";

const FRAGMENT = 65536;
/** Fragments shorter than this, and the last bytes of others, are not searched. */
const MARGIN = 15;
const MIN_MATCH = 4;
const LARGEST_TABLE_BITS = 14;
const SMALLEST_TABLE_BITS = 8;
const HASH_PRIME = 0x1e35a7bd;
/** A hash is made of the topmost bits of the product; smaller tables use the lowest of these. */
const HASH_SHIFT = 32 - LARGEST_TABLE_BITS;

/** From this length on `set` beats a loop. */
const LONG_LITERALS = 48;

/** Positions in the fragment by hash; the part in use is zero at the start of each fragment. */
let hashTable: Uint16Array | undefined;

/**
 * The Snappy stream of `input`, in memory of its own.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` when the input is longer than 2^32 - 1 bytes
 */
export function snappyCompress(input: Uint8Array): Uint8Array {
  if (input.length > 0xffffffff) {
    throw invalidArgument(`Snappy takes at most 2^32 - 1 bytes, not ${input.length}`, {
      field: "Snappy input",
    });
  }
  const out = new ByteBuilder(maxLength(input.length));
  writeVarint32(out, input.length);
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  for (let start = 0; start < input.length; start += FRAGMENT) {
    const end = Math.min(start + FRAGMENT, input.length);
    const buffer = out.reserve(maxLength(end - start));
    out.length = compressFragment(input, view, start, end, buffer, out.length);
  }
  return out.finish();
}

/** Literals take a byte more per 60, matches never grow; a table of the worst mix is bounded by a sixth. */
function maxLength(length: number): number {
  return 32 + length + Math.floor(length / 6);
}

function compressFragment(
  input: Uint8Array,
  view: DataView,
  start: number,
  end: number,
  output: Uint8Array,
  out: number,
): number {
  const length = end - start;
  if (length < MARGIN) {
    return writeLiterals(input, start, end, output, out);
  }
  const bits = Math.min(LARGEST_TABLE_BITS, Math.max(SMALLEST_TABLE_BITS, 32 - Math.clz32(length - 1)));
  const mask = (1 << bits) - 1;
  hashTable ??= new Uint16Array(1 << LARGEST_TABLE_BITS);
  const table = hashTable;
  table.fill(0, 0, mask + 1);
  const searchLimit = end - MARGIN;

  let anchor = start;
  let position = start + 1;
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
      candidate = start + (table[hash] as number);
      table[hash] = position - start;
    } while (view.getInt32(candidate, true) !== word);

    out = writeLiterals(input, anchor, position, output, out);
    // Match after match, as long as the place where one ends starts another.
    do {
      const matchEnd = extendMatch(view, position + MIN_MATCH, candidate + MIN_MATCH, end);
      out = writeMatch(position - candidate, matchEnd - position, output, out);
      position = matchEnd;
      anchor = matchEnd;
      if (position >= searchLimit) {
        return writeLiterals(input, anchor, end, output, out);
      }
      word = view.getInt32(position - 1, true);
      table[(Math.imul(word, HASH_PRIME) >>> HASH_SHIFT) & mask] = position - 1 - start;
      word = view.getInt32(position, true);
      const hash = (Math.imul(word, HASH_PRIME) >>> HASH_SHIFT) & mask;
      candidate = start + (table[hash] as number);
      table[hash] = position - start;
    } while (view.getInt32(candidate, true) === word);
    position++;
  }
}

function writeMatch(distance: number, length: number, output: Uint8Array, out: number): number {
  // No part of a long match may be shorter than 4, which the short form of the last part could not say.
  while (length >= 68) {
    out = writeMatchPart(distance, 64, output, out);
    length -= 64;
  }
  if (length > 64) {
    out = writeMatchPart(distance, 60, output, out);
    length -= 60;
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
  if (length >= LONG_LITERALS) {
    output.set(input.subarray(from, to), out);
    return out + length;
  }
  while (from < to) {
    output[out++] = input[from++] as number;
  }
  return out;
}
