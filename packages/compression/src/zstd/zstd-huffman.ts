/**
 * Zstandard's Huffman codes (RFC 8878, 4.2). The weights of its symbols describe a tree: as nibbles, or FSE-coded
 * with two alternating states. The weight of the last symbol follows from the others.
 */
import { ByteReader } from "@cfile/bytes";
import { BackwardBits, highestBit, malformed } from "./zstd-bits.js";
import { nextState, readFseTable } from "./zstd-fse.js";

export interface HuffmanTable {
  /** Length of the longest code in bits. */
  readonly longest: number;
  /** Symbol, and length of its code in bits, for every `longest` bits that start with the code. */
  readonly symbols: Uint8Array;
  readonly bits: Uint8Array;
}

const FIELD = "Zstandard Huffman tree";
const MAX_CODE_BITS = 11;
const MAX_WEIGHTS_LOG = 6;

/** @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED` */
export function readHuffmanTable(reader: ByteReader): HuffmanTable {
  const { bytes, position: start, end } = reader;
  const weights = new Uint8Array(256);
  const head = bytes[start] as number;
  const isDirect = start < end && head >= 128;
  const after = start + 1 + (isDirect ? (head - 126) >>> 1 : head);
  if (!(after <= end)) {
    throw malformed(FIELD, start);
  }
  reader.position = after;
  if (!isDirect) {
    const count = readWeights(new ByteReader(bytes, start + 1, after), weights);
    return buildHuffmanTable(weights, count, start);
  }
  for (let i = 0; i < head - 127; i++) {
    const pair = bytes[start + 1 + (i >>> 1)] as number;
    weights[i] = i % 2 === 0 ? pair >>> 4 : pair & 15;
  }
  return buildHuffmanTable(weights, head - 127, start);
}

function readWeights(reader: ByteReader, weights: Uint8Array): number {
  const { position: start } = reader;
  const table = readFseTable(reader, MAX_WEIGHTS_LOG, MAX_CODE_BITS + 1);
  const stream = new BackwardBits(reader);
  const states = [stream.read(table.accuracyLog), stream.read(table.accuracyLog)];
  let count = 0;
  for (let turn = 0; ; turn ^= 1) {
    const state = states[turn] as number;
    if (count >= 254) {
      throw malformed(FIELD, start);
    }
    weights[count++] = table.symbols[state] as number;
    if ((table.bits[state] as number) > stream.left) {
      weights[count++] = table.symbols[states[turn ^ 1] as number] as number;
      return count;
    }
    states[turn] = nextState(table, state, stream);
  }
}

function buildHuffmanTable(weights: Uint8Array, count: number, offset: number): HuffmanTable {
  let sum = 0;
  for (let i = 0; i < count; i++) {
    const weight = weights[i] as number;
    if (weight > MAX_CODE_BITS) {
      throw malformed(FIELD, offset);
    }
    sum += weight === 0 ? 0 : 1 << (weight - 1);
  }
  const longest = highestBit(sum) + 1;
  const missing = (1 << longest) - sum;
  if (sum === 0 || longest > MAX_CODE_BITS || (missing & (missing - 1)) !== 0) {
    throw malformed(FIELD, offset);
  }
  weights[count] = highestBit(missing) + 1;
  const symbols = new Uint8Array(1 << longest);
  const bits = new Uint8Array(1 << longest);
  let position = 0;
  for (let weight = 1; weight <= longest; weight++) {
    for (let symbol = 0; symbol <= count; symbol++) {
      if (weights[symbol] === weight) {
        const next = position + (1 << (weight - 1));
        symbols.fill(symbol, position, next);
        bits.fill(longest + 1 - weight, position, next);
        position = next;
      }
    }
  }
  return { longest, symbols, bits };
}

/**
 * Decodes the stream in the rest of `reader` into exactly `output`.
 *
 * @throws {CFileError} `E_CORRUPT` when it expands to any other length
 */
export function decodeHuffman(table: HuffmanTable, reader: ByteReader, output: Uint8Array): void {
  const { position: start } = reader;
  const stream = new BackwardBits(reader);
  for (let i = 0; i < output.length; i++) {
    const code = stream.peek(table.longest);
    const width = table.bits[code] as number;
    if (width > stream.left) {
      throw malformed(FIELD, start);
    }
    stream.left -= width;
    output[i] = table.symbols[code] as number;
  }
  if (stream.left !== 0) {
    throw malformed(FIELD, start);
  }
}
