/**
 * varint32: unsigned LEB128 of 32 bits (docs/spec/cfile.md#12-varints).
 *
 * | byte | bits 0-6 | bit 7 |
 * | --- | --- | --- |
 * | 0 … 4 | next seven bits of the value, least significant first | 1 in all bytes but the last |
 */
import { type ByteBuilder, type ByteReader, corrupt, invalidArgument } from "@cfile/bytes";

/** Maximum length of a varint32 in bytes. */
export const MAX_VARINT32_LENGTH = 5;

/**
 * Reads 1 to 5 bytes. As in Kudu, overlong forms are accepted and bits above 32 are dropped.
 *
 * @param field name of the value in errors
 * @throws {CFileError} `E_TRUNCATED` when the bytes are truncated; `E_CORRUPT` when the fifth byte is not the last
 */
export function readVarint32(reader: ByteReader, field: string): number {
  const { bytes, end, position: start } = reader;
  let value = 0;
  for (let i = 0, shift = 0; i < MAX_VARINT32_LENGTH; i++, shift += 7) {
    if (start + i >= end) {
      reader.require(i + 1, field);
    }
    const byte = bytes[start + i] as number;
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      reader.position = start + i + 1;
      return value >>> 0;
    }
  }
  throw corrupt(`${field} is a varint32 of more than 5 bytes`, { offset: start, field });
}

/**
 * Appends the shortest form, 1 to 5 bytes.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` unless `value` is an integer from 0 to 2^32 - 1
 */
export function writeVarint32(out: ByteBuilder, value: number): void {
  if (value >>> 0 !== value) {
    const reason = `invalid varint32: ${value} (must be an unsigned 32-bit integer)`;
    throw invalidArgument(reason, { field: "varint32", actual: value });
  }
  const buffer = out.reserve(MAX_VARINT32_LENGTH);
  let position = out.length;
  while (value > 0x7f) {
    buffer[position++] = (value & 0x7f) | 0x80;
    value >>>= 7;
  }
  buffer[position++] = value;
  out.length = position;
}
