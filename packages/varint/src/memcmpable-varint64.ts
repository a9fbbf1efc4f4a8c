/**
 * memcmp-able varint64: a 64-bit integer whose bytes compare like its value. It is the varint of SQLite 4; a delta key of Kudu
 * consists of two.
 *
 * | first byte `f` | length | value |
 * | --- | --- | --- |
 * | 0 … 240 | 1 | `f` |
 * | 241 … 248 | 2 | 240 + 256 · (`f` - 241) + next byte |
 * | 249 | 3 | 2288 + next two bytes, big-endian |
 * | 250 … 255 | 4 … 9 | next `f` - 247 bytes, big-endian |
 */
import { type ByteBuilder, type ByteReader, corrupt } from "@cfile/bytes";
import { numberOrBigInt } from "./varint64.js";

/** Maximum length of a memcmp-able varint64 in bytes. */
export const MAX_MEMCMPABLE_VARINT64_LENGTH = 9;

const TWO_BYTES_FROM = 241;
const THREE_BYTES_FROM = 2288;
const FOUR_BYTES_FROM = 67824;

/** Length of the whole value, 1 to 9 bytes, from its first byte. */
export function memcmpableVarint64LengthAt(first: number): number {
  return first < 241 ? 1 : first < 249 ? 2 : first - 246;
}

/**
 * Length of the shortest form of `value`, 1 to 9 bytes.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` unless `value` is an integer from 0 to 2^64 - 1, and safe if a number
 */
export function memcmpableVarint64Length(value: number | bigint): number {
  const checked = numberOrBigInt(value, "memcmp-able varint64");
  if (checked < FOUR_BYTES_FROM) {
    return checked < TWO_BYTES_FROM ? 1 : checked < THREE_BYTES_FROM ? 2 : 3;
  }
  let length = 4;
  for (let above = 2 ** 24; length < 9 && checked >= above; above *= 256) {
    length++;
  }
  return length;
}

/**
 * Appends the shortest form, 1 to 9 bytes.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` unless `value` is an integer from 0 to 2^64 - 1, and safe if a number
 */
export function writeMemcmpableVarint64(out: ByteBuilder, value: number | bigint): void {
  const length = memcmpableVarint64Length(value);
  const buffer = out.reserve(length);
  const start = out.length;
  out.length += length;
  let high = typeof value === "bigint" ? Number(value >> 32n) : Math.floor(value / 2 ** 32);
  let low = typeof value === "bigint" ? Number(value & 0xffffffffn) : value >>> 0;
  if (length === 2) {
    low -= TWO_BYTES_FROM - 1;
    buffer[start] = 241 + (low >>> 8);
  } else if (length === 3) {
    low -= THREE_BYTES_FROM;
    buffer[start] = 249;
  } else {
    buffer[start] = length === 1 ? low : 246 + length;
  }
  for (let i = length - 1; i >= 1; i--) {
    buffer[start + i] = low;
    low = (low >>> 8) | (high << 24);
    high >>>= 8;
  }
}

/**
 * Reads 1 to 9 bytes as a number. Like Kudu's decoder, it accepts overlong forms; compare the length with
 * {@link memcmpableVarint64Length} to detect them.
 *
 * @param field name of the value in errors
 * @throws {CFileError} `E_TRUNCATED` when the bytes are truncated; `E_CORRUPT` when the value is above `Number.MAX_SAFE_INTEGER`
 */
export function readMemcmpableVarint64(reader: ByteReader, field: string): number {
  const { bytes, position: start } = reader;
  const end = skipValue(reader, field);
  if (end - start < 4) {
    return smallValue(bytes, start);
  }
  let value = 0;
  for (let i = start + 1; i < end; i++) {
    value = value * 256 + (bytes[i] as number);
  }
  if (value > Number.MAX_SAFE_INTEGER) {
    throw corrupt(`${field} is above 2^53 - 1`, { offset: start, field });
  }
  return value;
}

/**
 * {@link readMemcmpableVarint64} for values that use all 64 bits, such as timestamps.
 *
 * @throws {CFileError} `E_TRUNCATED` when the bytes are truncated
 */
export function readMemcmpableVarint64BigInt(reader: ByteReader, field: string): bigint {
  const { bytes, position: start } = reader;
  const end = skipValue(reader, field);
  if (end - start < 4) {
    return BigInt(smallValue(bytes, start));
  }
  let high = 0;
  let low = 0;
  for (let i = start + 1; i < end; i++) {
    high = (high << 8) | (low >>> 24);
    low = (low << 8) | (bytes[i] as number);
  }
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}

/** Moves the reader past the value; returns the new position. */
function skipValue(reader: ByteReader, field: string): number {
  reader.require(1, field);
  reader.skip(memcmpableVarint64LengthAt(reader.bytes[reader.position] as number), field);
  return reader.position;
}

/** A value of one to three bytes. */
function smallValue(bytes: Uint8Array, start: number): number {
  const first = bytes[start] as number;
  const second = bytes[start + 1] as number;
  if (first < 249) {
    return first < 241 ? first : TWO_BYTES_FROM - 1 + 256 * (first - 241) + second;
  }
  return THREE_BYTES_FROM + 256 * second + (bytes[start + 2] as number);
}
