/**
 * memcmp-able varint64: a 64-bit integer whose bytes compare like its value (the varint of SQLite 4; Kudu's
 * delta keys are made of two).
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

/** Most bytes a memcmp-able varint64 takes. */
export const MAX_MEMCMPABLE_VARINT64_LENGTH = 9;

const TWO_BYTES_FROM = 241;
const THREE_BYTES_FROM = 2288;
const FOUR_BYTES_FROM = 67824;

/** Bytes of the whole value, 1 to 9, told by its first byte. */
export function memcmpableVarint64LengthAt(first: number): number {
  return first < 241 ? 1 : first < 249 ? 2 : first - 246;
}

/** Bytes of the big-endian integer `value` (at least 67824), 3 to 8. */
function bigEndianLength(value: number | bigint): number {
  let length = 3;
  for (let above = 2 ** 24; length < 8 && value >= above; above *= 256) {
    length++;
  }
  return length;
}

/**
 * Bytes of the shortest form of `value`, 1 to 9.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` unless `value` is an integer of 0 to 2^64 - 1; a number must be a safe
 *   integer
 */
export function memcmpableVarint64Length(value: number | bigint): number {
  const checked = numberOrBigInt(value, "memcmp-able varint64");
  if (checked >= FOUR_BYTES_FROM) {
    return 1 + bigEndianLength(checked);
  }
  return checked < TWO_BYTES_FROM ? 1 : checked < THREE_BYTES_FROM ? 2 : 3;
}

/**
 * Appends the shortest form, 1 to 9 bytes.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` unless `value` is an integer of 0 to 2^64 - 1; a number must be a safe
 *   integer
 */
export function writeMemcmpableVarint64(out: ByteBuilder, value: number | bigint): void {
  const length = memcmpableVarint64Length(value);
  const buffer = out.reserve(length);
  const start = out.length;
  out.length += length;
  if (length === 1) {
    buffer[start] = Number(value);
    return;
  }
  if (length === 2) {
    const above = Number(value) - (TWO_BYTES_FROM - 1);
    buffer[start] = 241 + (above >>> 8);
    buffer[start + 1] = above;
    return;
  }
  if (length === 3) {
    const above = Number(value) - THREE_BYTES_FROM;
    buffer[start] = 249;
    buffer[start + 1] = above >>> 8;
    buffer[start + 2] = above;
    return;
  }
  buffer[start] = 246 + length;
  let high = typeof value === "bigint" ? Number(value >> 32n) : Math.floor(value / 2 ** 32);
  let low = typeof value === "bigint" ? Number(value & 0xffffffffn) : value >>> 0;
  for (let i = length - 1; i >= 1; i--) {
    buffer[start + i] = low;
    low = (low >>> 8) | (high << 24);
    high >>>= 8;
  }
}

/**
 * Reads 1 to 9 bytes as a number. Like Kudu's decoder it accepts a form longer than needed; whoever wants to know
 * compares what was read with {@link memcmpableVarint64Length}.
 *
 * @param field name of the value, for the error
 * @throws CFileError `E_TRUNCATED` when the bytes end inside, `E_CORRUPT` when the value is above
 *   `Number.MAX_SAFE_INTEGER`
 */
export function readMemcmpableVarint64(reader: ByteReader, field: string): number {
  const { bytes, position: start } = reader;
  const last = takeBytes(reader, field);
  const first = bytes[start] as number;
  if (first < 250) {
    return smallValue(bytes, start, first);
  }
  let value = 0;
  for (let i = start + 1; i <= last; i++) {
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
 * @throws CFileError `E_TRUNCATED` when the bytes end inside
 */
export function readMemcmpableVarint64BigInt(reader: ByteReader, field: string): bigint {
  const { bytes, position: start } = reader;
  const last = takeBytes(reader, field);
  const first = bytes[start] as number;
  if (first < 250) {
    return BigInt(smallValue(bytes, start, first));
  }
  let high = 0;
  let low = 0;
  for (let i = start + 1; i <= last; i++) {
    high = (high << 8) | (low >>> 24);
    low = (low << 8) | (bytes[i] as number);
  }
  return (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
}

/** Moves the reader behind the value and returns the position of its last byte. */
function takeBytes(reader: ByteReader, field: string): number {
  reader.require(1, field);
  reader.skip(memcmpableVarint64LengthAt(reader.bytes[reader.position] as number), field);
  return reader.position - 1;
}

/** A value of one to three bytes. */
function smallValue(bytes: Uint8Array, start: number, first: number): number {
  if (first < 241) {
    return first;
  }
  const second = bytes[start + 1] as number;
  return first < 249
    ? TWO_BYTES_FROM - 1 + 256 * (first - 241) + second
    : THREE_BYTES_FROM + 256 * second + (bytes[start + 2] as number);
}
