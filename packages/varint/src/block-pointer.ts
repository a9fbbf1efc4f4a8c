/**
 * BlockPointer: the location of a block in its file, as stored in index entries (docs/spec/cfile.md#15-blockpointer).
 *
 * | part | coding |
 * | --- | --- |
 * | offset | varint64, bytes from the start of the file |
 * | size | varint32, stored bytes with compression wrapper and checksum |
 */
import type { BlockLocation, ByteBuilder, ByteReader } from "@cfile/bytes";
import { readVarint32, writeVarint32 } from "./varint32.js";
import { readVarint64, writeVarint64 } from "./varint64.js";

/**
 * Reads a pointer; the caller checks whether it points into the file.
 *
 * @throws {CFileError} `E_TRUNCATED`, or `E_CORRUPT` for a malformed varint or an offset above 2^53 - 1
 */
export function readBlockPointer(reader: ByteReader, field = "block pointer"): BlockLocation {
  const offset = readVarint64(reader, `${field} offset`);
  const size = readVarint32(reader, `${field} size`);
  return { offset, size };
}

/**
 * Appends a pointer.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` unless `offset` is a safe integer and `size` a 32-bit integer, neither negative
 */
export function writeBlockPointer(out: ByteBuilder, offset: number, size: number): void {
  writeVarint64(out, offset);
  writeVarint32(out, size);
}
