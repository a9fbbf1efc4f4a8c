/**
 * Raw Snappy decompression (docs/spec/cfile.md#6-compression-wrapper). The stream is a varint32, the uncompressed length, and
 * elements:
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
import { copyLiterals } from "../literal-copy.js";
import { copyMatch } from "../match-copy.js";

/** Literal lengths above this stand behind the tag. */
const LONG_LITERAL = 60;

/**
 * Decompresses `input` into exactly `output`. After an error the content of `output` is undefined.
 *
 * @throws CFileError `E_TRUNCATED` when the input ends inside an element, `E_CORRUPT` when the stream is for another
 *   length or for a match that reaches before the output
 */
export function snappyDecompress(input: Uint8Array, output: Uint8Array): void {
  const reader = new ByteReader(input);
  const claimed = readVarint32(reader, "Snappy length");
  if (claimed !== output.length) {
    throw corrupt(`a Snappy stream is for ${claimed} bytes, ${output.length} are expected`, {
      offset: 0,
      field: "Snappy length",
      expected: output.length,
      actual: claimed,
    });
  }
  const inputView = new DataView(input.buffer, input.byteOffset, input.byteLength);
  const view = new DataView(output.buffer, output.byteOffset, output.byteLength);
  const end = input.length;
  const size = output.length;
  let from = reader.position;
  let to = 0;
  while (from < end) {
    const tag = input[from++] as number;
    const kind = tag & 3;
    if (kind === 0) {
      let length = (tag >>> 2) + 1;
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
      copyLiterals(input, inputView, from, output, view, to, length);
      from += length;
      to += length;
      continue;
    }
    const width = kind === 3 ? 4 : kind;
    requireInput(width, end - from, "Snappy distance", from);
    let length = (tag >>> 2) + 1;
    let distance: number;
    if (kind === 1) {
      length = ((tag >>> 2) & 7) + 4;
      distance = ((tag & 0xe0) << 3) | (input[from] as number);
    } else if (kind === 2) {
      distance = inputView.getUint16(from, true);
    } else {
      distance = inputView.getUint32(from, true);
    }
    if (distance === 0 || distance > to) {
      throw corrupt(`a Snappy match reaches ${distance} bytes back, ${to} are there`, {
        offset: from,
        field: "Snappy distance",
        actual: distance,
      });
    }
    from += width;
    requireOutput(length, size - to, "Snappy match", from);
    copyMatch(output, view, to, distance, length);
    to += length;
  }
  if (to !== size) {
    throw new CFileError("E_TRUNCATED", `a Snappy stream gives ${to} bytes, ${size} are expected`, {
      offset: end,
      field: "Snappy stream",
      expected: size,
      actual: to,
    });
  }
}

function requireInput(needed: number, left: number, field: string, offset: number): void {
  if (needed > left) {
    throw new CFileError("E_TRUNCATED", "a Snappy stream ends inside an element", {
      offset,
      field,
      expected: needed,
      actual: left,
    });
  }
}

function requireOutput(length: number, room: number, field: string, offset: number): void {
  if (length > room) {
    throw corrupt(`a Snappy element writes ${length} bytes, the output has room for ${room}`, {
      offset,
      field,
      expected: room,
      actual: length,
    });
  }
}
