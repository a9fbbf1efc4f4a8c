/**
 * The header of plain fixed, plain bool and RLE blocks (docs/spec/cfile.md#51-plain-fixed-width).
 *
 * | offset | width | meaning |
 * | --- | --- | --- |
 * | 0 | 4 | u32le number of values |
 * | 4 | 4 | u32le row ordinal of the block's first row |
 */
import { type ByteBuilder, ByteReader, invalidOption } from "@cfile/bytes";
import { badField } from "../../types/checks.js";

/** Length of the header in bytes. */
export const COUNT_HEADER_LENGTH = 8;

export interface CountHeader {
  readonly count: number;
  readonly ordinal: number;
}

/** @throws {CFileError} `E_TRUNCATED` for fewer than 8 bytes */
export function readCountHeader(bytes: Uint8Array): CountHeader {
  const reader = new ByteReader(bytes);
  return { count: reader.u32le("value count"), ordinal: reader.u32le("ordinal") };
}

/** @throws {CFileError} `E_CORRUPT` unless header and values together have `actual` bytes, the length of the block */
export function requireLength(actual: number, valueBytes: number): void {
  const expected = COUNT_HEADER_LENGTH + valueBytes;
  if (actual !== expected) {
    throw badField("value count", 0, actual, expected, "block length");
  }
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` unless both are integers from 0 to 2^32 - 1 */
export function writeCountHeader(out: ByteBuilder, count: number, ordinal: number): void {
  requireOrdinal(ordinal);
  if (count >>> 0 !== count) {
    throw invalidOption("value count", count, "an integer from 0 to 2^32 - 1");
  }
  out.u32le(count);
  out.u32le(ordinal);
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` unless `ordinal` is an integer from 0 to 2^32 - 1 */
export function requireOrdinal(ordinal: number): void {
  if (ordinal >>> 0 !== ordinal) {
    throw invalidOption("ordinal", ordinal, "an integer from 0 to 2^32 - 1");
  }
}
