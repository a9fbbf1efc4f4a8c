/**
 * The header of plain fixed, plain bool and RLE blocks (docs/spec/cfile.md#51-plain-fixed-width).
 *
 * | offset | width | meaning |
 * | --- | --- | --- |
 * | 0 | 4 | u32le number of values |
 * | 4 | 4 | u32le row ordinal of the block's first row |
 */
import { type ByteBuilder, ByteReader, invalidArgument } from "@cfile/bytes";
import { requireOrdinal } from "../../keys/ordinal.js";

/** Bytes of the header. */
export const COUNT_HEADER_LENGTH = 8;

export interface CountHeader {
  readonly count: number;
  readonly ordinal: number;
}

/** @throws CFileError `E_TRUNCATED` for fewer than 8 bytes */
export function readCountHeader(bytes: Uint8Array): CountHeader {
  const reader = new ByteReader(bytes);
  return { count: reader.u32le("value count"), ordinal: reader.u32le("ordinal") };
}

/** @throws CFileError `E_INVALID_ARGUMENT` unless both are integers of 0 to 2^32 - 1 */
export function writeCountHeader(out: ByteBuilder, count: number, ordinal: number): void {
  requireOrdinal(ordinal);
  if (count >>> 0 !== count) {
    throw invalidArgument(`a block of ${count} values; the count is 32 bits wide`, {
      field: "value count",
      actual: count,
    });
  }
  out.u32le(count);
  out.u32le(ordinal);
}
