/**
 * Zstandard frames (RFC 8878, 3.1) without dictionaries. A frame's optional checksum is skipped: blocks of HFiles and pages
 * of Parquet have their own.
 *
 * fzstd 0.1.1 checks neither lengths nor distances of matches, so it is not used here. The frame of 18 bytes in
 * `test/zstd-frame.test.ts` keeps it busy for minutes. Of 2,761 frames with up to three flipped bits that this decoder
 * rejects, fzstd decodes 933.
 *
 * | size | field |
 * | --- | --- |
 * | 4 | magic `28 b5 2f fd` |
 * | 1 | flags: 192 width of the content size, 32 single segment, 4 checksum, 3 width of the dictionary ID |
 * | 0, 1 | window size, unless single segment |
 * | 0 … 4, 0 … 8 | dictionary ID, content size, little-endian |
 * | 3 + n | per block: 1 last, 6 kind (raw, one repeated byte, compressed), size; then its bytes |
 * | 0, 4 | checksum |
 */
import { ByteReader, CFileError, corrupt } from "@cfile/bytes";
import { decodeHuffman, type HuffmanTable, readHuffmanTable } from "./zstd-huffman.js";
import { executeSequences, type SequenceState } from "./zstd-sequences.js";

const MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
const MAX_BLOCK = 128 * 1024;
const FIELD = "Zstandard frame";
const LITERALS = "Zstandard literals";

/**
 * Decompresses the frames of `input` to the start of `output`.
 *
 * @returns the number of bytes they expand to
 * @throws {CFileError} `E_TRUNCATED`, `E_CORRUPT`; `E_UNSUPPORTED` for a frame that requires a dictionary
 */
export function zstdDecompress(input: Uint8Array, output: Uint8Array): number {
  const reader = new ByteReader(input);
  let position = 0;
  while (reader.remaining > 0) {
    const offset = reader.position;
    const magic = reader.u32le(FIELD);
    if ((magic & ~15) >>> 0 === SKIPPABLE_MAGIC) {
      reader.skip(reader.u32le(FIELD), FIELD);
    } else if (magic === MAGIC) {
      position = readFrame(reader, output, position);
    } else {
      throw corrupt("unknown magic number of a Zstandard frame", { offset, field: FIELD });
    }
  }
  return position;
}

function readFrame(reader: ByteReader, output: Uint8Array, start: number): number {
  const offset = reader.position;
  const flags = reader.u8(FIELD);
  const isSingle = (flags & 32) !== 0;
  if ((flags & 8) !== 0) {
    throw corrupt("unknown flags of a Zstandard frame", { offset, field: FIELD, actual: flags });
  }
  reader.skip(isSingle ? 0 : 1, FIELD);
  // The width of the dictionary ID is 0, 1, 2 or 4.
  if (littleEndian(reader, (1 << (flags & 3)) >>> 1) !== 0) {
    throw new CFileError("E_UNSUPPORTED", "Zstandard frame with a dictionary", { offset, field: FIELD });
  }
  const sizeFlag = flags >>> 6;
  const width = sizeFlag === 0 ? Number(isSingle) : 1 << sizeFlag;
  const size = littleEndian(reader, width) + (sizeFlag === 1 ? 256 : 0);
  const end = readBlocks(reader, output, start);
  const actual = end - start;
  if (width > 0 && actual !== size) {
    const reason = `Zstandard frame expands to ${actual} bytes (expected ${size})`;
    throw corrupt(reason, { offset, field: FIELD, expected: size, actual });
  }
  reader.skip((flags & 4) !== 0 ? 4 : 0, FIELD);
  return end;
}

interface FrameState extends SequenceState {
  huffman: HuffmanTable | undefined;
}

function readBlocks(reader: ByteReader, output: Uint8Array, start: number): number {
  const state: FrameState = { huffman: undefined, tables: [], distances: [1, 4, 8] };
  let position = start;
  for (;;) {
    const offset = reader.position;
    const head = littleEndian(reader, 3);
    const kind = (head >>> 1) & 3;
    const size = head >>> 3;
    if (kind === 3 || size > MAX_BLOCK || (kind < 2 && size > output.length - position)) {
      throw corrupt(`invalid Zstandard block: kind ${kind}, ${size} bytes`, { offset, field: FIELD });
    }
    if (kind === 0) {
      output.set(reader.take(size, FIELD), position);
      position += size;
    } else if (kind === 1) {
      output.fill(reader.u8(FIELD), position, position + size);
      position += size;
    } else {
      const block = new ByteReader(reader.take(size, FIELD));
      const literals = readLiterals(block, state, output.length - position);
      const room = output.subarray(0, Math.min(output.length, position + MAX_BLOCK));
      position = executeSequences(block, state, { literals, output: room, start, position });
    }
    if ((head & 1) !== 0) {
      return position;
    }
  }
}

function readLiterals(reader: ByteReader, state: FrameState, room: number): Uint8Array {
  const offset = reader.position;
  const head = reader.u8(FIELD);
  const kind = head & 3;
  const format = (head >>> 2) & 3;
  reader.position = offset;
  if (kind < 2) {
    const width = format === 1 ? 2 : format === 3 ? 3 : 1;
    const length = littleEndian(reader, width) >>> (width === 1 ? 3 : 4);
    requireSize(length, room, offset);
    return kind === 0 ? reader.take(length, LITERALS) : new Uint8Array(length).fill(reader.u8(LITERALS));
  }
  const bits = format < 2 ? 10 : format === 2 ? 14 : 18;
  const sizes = littleEndian(reader, format < 2 ? 3 : format + 2);
  const length = Math.floor(sizes / 16) % 2 ** bits;
  const stored = Math.floor(sizes / 2 ** (4 + bits)) % 2 ** bits;
  requireSize(length, room, offset);
  const from = reader.position;
  reader.skip(stored, LITERALS);
  const input = new ByteReader(reader.bytes, from, reader.position);
  if (kind === 2) {
    state.huffman = readHuffmanTable(input);
  }
  if (state.huffman === undefined) {
    throw corrupt("Zstandard literals without a Huffman tree", { offset, field: FIELD });
  }
  const literals = new Uint8Array(length);
  if (format === 0) {
    decodeHuffman(state.huffman, input, literals);
  } else {
    decodeFourStreams(state.huffman, input, literals);
  }
  return literals;
}

function decodeFourStreams(table: HuffmanTable, input: ByteReader, literals: Uint8Array): void {
  const lengths = [input.u16le(FIELD), input.u16le(FIELD), input.u16le(FIELD)];
  const part = (literals.length + 3) >>> 2;
  for (let i = 0; i < 4; i++) {
    const from = input.position;
    input.skip(lengths[i] ?? input.remaining, LITERALS);
    const output = literals.subarray(i * part, i === 3 ? undefined : (i + 1) * part);
    decodeHuffman(table, new ByteReader(input.bytes, from, input.position), output);
  }
}

function requireSize(actual: number, room: number, offset: number): void {
  if (actual > room || actual > MAX_BLOCK) {
    throw corrupt(`${actual} literals exceed the ${room} bytes left`, { offset, field: FIELD, actual });
  }
}

/** Reads an unsigned integer of up to eight bytes; inexact above 2^53, which no valid size exceeds. */
function littleEndian(reader: ByteReader, width: number): number {
  let value = 0;
  for (let i = 0; i < width; i++) {
    value += reader.u8(FIELD) * 2 ** (8 * i);
  }
  return value;
}
