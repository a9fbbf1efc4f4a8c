/**
 * Raw Snappy decompression (docs/spec/cfile.md#6-compression-wrapper). The stream is a varint32, the uncompressed length,
 * followed by elements:
 *
 * | low bits of the first byte | element | its bits 2..7 | bytes that follow |
 * | --- | --- | --- | --- |
 * | 00 | literals | length - 1 below 60; 60..63: 1..4 bytes follow with it | length - 1, u8 to u32le; the literals |
 * | 01 | match of 4..11 bytes | 2..4 length - 4, 5..7 bits 8..10 of the distance | low byte of the distance |
 * | 10 | match of 1..64 bytes | length - 1 | distance, u16le |
 * | 11 | match of 1..64 bytes | length - 1 | distance, u32le |
 */
import { ByteReader, CFileError, corrupt } from "@cfile/bytes";
import { readVarint32 } from "@cfile/varint";
import { copyLiterals, copyMatch, LONG_LITERALS } from "../sequence-copy.js";

/** Most elements are this short. Copying this many bytes for each of them needs no branch on their length. */
const SHORT = 16;
/** An element with a short tag has at most 64 bytes. Whole words are copied. */
const ROOM = 64 + SHORT;
/** Larger literal lengths are stored after the tag. */
const LONG_LITERAL = 60;

/**
 * Decompresses `input` into exactly `output`, whose content is undefined after an error.
 *
 * @throws {CFileError} `E_TRUNCATED` when the input ends inside an element or before `output` is full; `E_CORRUPT` for any
 *   other length, and for a match that reaches before the output
 */
export function snappyDecompress(input: Uint8Array, output: Uint8Array): void {
  const reader = new ByteReader(input);
  const claimed = readVarint32(reader, "Snappy length");
  const { length: end } = input;
  const { length: size } = output;
  if (claimed !== size) {
    const details = { offset: 0, field: "Snappy length", expected: size, actual: claimed };
    throw corrupt(`Snappy length mismatch (expected ${size}, found ${claimed})`, details);
  }
  const inputView = new DataView(input.buffer, input.byteOffset, end);
  const outputView = new DataView(output.buffer, output.byteOffset, size);
  let from = reader.position;
  let to = 0;
  while (from < end) {
    const tag = input[from++] as number;
    const kind = tag & 3;
    let length = (tag >>> 2) + 1;
    const hasRoom = from + ROOM <= end && to + ROOM <= size;
    if (kind === 0) {
      if (hasRoom && length <= SHORT) {
        copyShort(inputView, from, outputView, to);
        from += length;
        to += length;
        continue;
      }
      if (length > LONG_LITERAL) {
        const width = length - LONG_LITERAL;
        requireInput(width, end - from, "Snappy literal length", from);
        length = 1;
        for (let i = 0; i < width; i++) {
          length += (input[from++] as number) * 2 ** (8 * i);
        }
      }
      requireInput(length, end - from, "Snappy literals", from);
      requireOutput(length, size - to, "Snappy literals", from);
      if (length < LONG_LITERALS) {
        copyLiterals(inputView, from, outputView, to, length);
      } else {
        output.set(input.subarray(from, from + length), to);
      }
      from += length;
      to += length;
      continue;
    }
    const width = kind === 3 ? 4 : kind;
    requireInput(width, end - from, "Snappy distance", from);
    let distance: number;
    if (kind === 1) {
      length = ((tag >>> 2) & 7) + 4;
      distance = ((tag & 0xe0) << 3) | (input[from] as number);
    } else {
      distance = kind === 2 ? inputView.getUint16(from, true) : inputView.getUint32(from, true);
    }
    if (distance === 0 || distance > to) {
      const details = { offset: from, field: "Snappy distance", actual: distance };
      throw corrupt(`invalid Snappy distance: ${distance} (must be 1 to ${to})`, details);
    }
    from += width;
    if (hasRoom && distance >= 4) {
      copyShort(outputView, to - distance, outputView, to);
      for (let i = SHORT; i < length; i += 4) {
        outputView.setInt32(to + i, outputView.getInt32(to - distance + i, true), true);
      }
      to += length;
      continue;
    }
    requireOutput(length, size - to, "Snappy match", from);
    copyMatch(output, outputView, to, distance, length);
    to += length;
  }
  if (to !== size) {
    const details = { offset: end, field: "Snappy stream", expected: size, actual: to };
    throw new CFileError("E_TRUNCATED", `Snappy stream expands to ${to} bytes (expected ${size})`, details);
  }
}

/** Copies `SHORT` bytes, word by word: ranges may overlap at a distance of four or more. */
function copyShort(input: DataView, from: number, output: DataView, to: number): void {
  output.setInt32(to, input.getInt32(from, true), true);
  output.setInt32(to + 4, input.getInt32(from + 4, true), true);
  output.setInt32(to + 8, input.getInt32(from + 8, true), true);
  output.setInt32(to + 12, input.getInt32(from + 12, true), true);
}

function requireInput(expected: number, actual: number, field: string, offset: number): void {
  if (expected > actual) {
    const details = { offset, field, expected, actual };
    throw new CFileError("E_TRUNCATED", "Snappy stream ends inside an element", details);
  }
}

function requireOutput(actual: number, expected: number, field: string, offset: number): void {
  if (actual > expected) {
    const reason = `Snappy element of ${actual} bytes exceeds the output (${expected} bytes left)`;
    throw corrupt(reason, { offset, field, expected, actual });
  }
}
