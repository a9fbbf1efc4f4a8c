/**
 * Hadoop's VInt and VLong (docs/spec/hfile.md#4-varints), for index key lengths and MVCC numbers.
 *
 * | first byte, signed | value |
 * | --- | --- |
 * | -112 … 127 | itself |
 * | -120 … -113 | positive, in the next `-112 - first` bytes, big-endian |
 * | -128 … -121 | negative, in the next `-120 - first` bytes, big-endian, all bits inverted |
 */
import { type ByteBuilder, type ByteReader, corrupt } from "@cfile/bytes";

/** Length of the encoding that starts with `first` (0 to 255): 1 to 9 bytes. */
export function vlongLength(first: number): number {
  return first < 0x80 || first >= 0x90 ? 1 : first >= 0x88 ? 0x91 - first : 0x89 - first;
}

/** The number at `bytes[position]`, which must be complete. */
export function vlongAt(bytes: Uint8Array, position: number): bigint {
  const first = bytes[position] as number;
  const length = vlongLength(first);
  if (length === 1) {
    return BigInt((first << 24) >> 24);
  }
  let value = 0n;
  for (let i = 1; i < length; i++) {
    value = (value << 8n) | BigInt(bytes[position + i] as number);
  }
  return BigInt.asIntN(64, first >= 0x88 ? value : ~value);
}

/**
 * Reads a VInt that is a length.
 * @throws {CFileError} `E_TRUNCATED` when the bytes end inside, `E_CORRUPT` when it is negative or above 2^31 - 1
 */
export function readVintLength(reader: ByteReader, field: string): number {
  const offset = reader.position;
  const length = vlongLength(reader.u8(field));
  reader.skip(length - 1, field);
  const value = vlongAt(reader.bytes, offset);
  if (value < 0n || value > 0x7fffffffn) {
    throw corrupt(`invalid length ${value}`, { offset, field, actual: String(value) });
  }
  return Number(value);
}

/** Length of the shortest encoding of an integer from 0 to 2^63 - 1. */
export function writtenVlongLength(value: number | bigint): number {
  return value < 128 ? 1 : 1 + Math.ceil(value.toString(16).length / 2);
}

/** Appends the shortest encoding of an integer from 0 to 2^63 - 1. */
export function writeVlong(out: ByteBuilder, value: number | bigint): void {
  if (value < 128) {
    out.u8(Number(value));
    return;
  }
  const length = writtenVlongLength(value) - 1;
  out.u8(0x90 - length);
  for (let bits = 8 * (length - 1); bits >= 0; bits -= 8) {
    out.u8(Number((BigInt(value) >> BigInt(bits)) & 0xffn));
  }
}
