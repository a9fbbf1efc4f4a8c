/**
 * Length-prefixed bytes (docs/spec/cfile.md#16-length-prefixed-bytes).
 *
 * | part | coding |
 * | --- | --- |
 * | length | varint32 |
 * | bytes | the bytes |
 */
import type { ByteBuilder, ByteReader } from "@cfile/bytes";
import { readVarint32, writeVarint32 } from "./varint32.js";

/**
 * Reads the length and the bytes, which are not copied.
 *
 * @throws {CFileError} `E_TRUNCATED` when the bytes are truncated, `E_CORRUPT` for a malformed length
 */
export function readLengthPrefixed(reader: ByteReader, field: string): Uint8Array {
  const length = readVarint32(reader, `${field} length`);
  return reader.take(length, field);
}

/** Appends the length and the bytes. */
export function writeLengthPrefixed(out: ByteBuilder, bytes: Uint8Array): void {
  writeVarint32(out, bytes.length);
  out.append(bytes);
}
