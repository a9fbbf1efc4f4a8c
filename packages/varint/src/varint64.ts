/**
 * varint64: unsigned LEB128 of 64 bits (docs/spec/cfile.md#12-varints). Like a varint32, but up to 10 bytes.
 *
 * | byte | bits 0-6 | bit 7 |
 * | --- | --- | --- |
 * | 0 … 9 | next seven bits of the value, least significant first | 1 in all bytes but the last |
 */
import { type ByteBuilder, type ByteReader, corrupt, invalidArgument } from "@cfile/bytes";

/** Maximum length of a varint64 in bytes. */
export const MAX_VARINT64_LENGTH = 10;

/** Bits 49 to 63 of the last varint read. */
let above = 0;

/** Reads a varint; returns bits 0 to 48, and leaves the others in `above`. */
function readLow(reader: ByteReader, field: string): number {
  const { bytes, end, position: start } = reader;
  let low = 0;
  above = 0;
  for (let i = 0, scale = 1; i < MAX_VARINT64_LENGTH; i++, scale *= 128) {
    if (start + i >= end) {
      reader.require(i + 1, field);
    }
    const byte = bytes[start + i] as number;
    if (i < 7) {
      low += (byte & 0x7f) * scale;
    } else {
      above |= ((byte & 0x7f) << (7 * (i - 7))) & 0x7fff;
    }
    if (byte < 0x80) {
      reader.position = start + i + 1;
      return low;
    }
  }
  throw corrupt(`${field} is a varint64 of more than 10 bytes`, { offset: start, field });
}

/**
 * Reads 1 to 10 bytes as a number. As in Kudu, overlong forms are accepted and bits above 64 are dropped.
 *
 * @param field name of the value in errors
 * @throws {CFileError} `E_TRUNCATED` when the bytes are truncated; `E_CORRUPT` when the tenth byte is not the last, or the value is
 *   above `Number.MAX_SAFE_INTEGER` (no offset or count of a real file is that large)
 */
export function readVarint64(reader: ByteReader, field: string): number {
  const { position: offset } = reader;
  const value = readLow(reader, field) + above * 2 ** 49;
  if (value > Number.MAX_SAFE_INTEGER) {
    throw corrupt(`${field} is above 2^53 - 1`, { offset, field });
  }
  return value;
}

/**
 * {@link readVarint64} for values that use all 64 bits.
 *
 * @throws {CFileError} `E_TRUNCATED` when the bytes are truncated; `E_CORRUPT` when the tenth byte is not the last
 */
export function readVarint64BigInt(reader: ByteReader, field: string): bigint {
  const low = BigInt(readLow(reader, field));
  return above === 0 ? low : low | (BigInt(above) << 49n);
}

/**
 * Appends the shortest form, 1 to 10 bytes.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` unless `value` is an integer from 0 to 2^64 - 1, and safe if a number
 */
export function writeVarint64(out: ByteBuilder, value: number | bigint): void {
  const buffer = out.reserve(MAX_VARINT64_LENGTH);
  let position = out.length;
  let rest = numberOrBigInt(value, "varint64");
  while (typeof rest === "bigint") {
    buffer[position++] = Number(rest & 0x7fn) | 0x80;
    rest >>= 7n;
    if (rest <= 0xffffffffn) {
      rest = Number(rest);
    }
  }
  while (rest > 0x7f) {
    buffer[position++] = (rest % 128) | 0x80;
    rest = Math.floor(rest / 128);
  }
  buffer[position++] = rest;
  out.length = position;
}

/**
 * Length of the shortest form of `value` in bytes, for varint32 and varint64.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` unless `value` is an integer from 0 to 2^64 - 1, and safe if a number
 */
export function varintLength(value: number | bigint): number {
  const checked = numberOrBigInt(value, "varint64");
  let length = 1;
  for (let above = 128; length < MAX_VARINT64_LENGTH && checked >= above; above *= 128) {
    length++;
  }
  return length;
}

/**
 * The value as a number where that is exact, otherwise as a bigint.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` unless `value` is an unsigned 64-bit integer
 */
export function numberOrBigInt(value: number | bigint, field: string): number | bigint {
  const valid =
    typeof value === "number" ? Number.isSafeInteger(value) && value >= 0 : value >= 0n && value < 2n ** 64n;
  if (!valid) {
    const reason = `invalid ${field}: ${value} (must be an unsigned 64-bit integer)`;
    throw invalidArgument(reason, { field, actual: String(value) });
  }
  return typeof value === "bigint" && value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : value;
}
