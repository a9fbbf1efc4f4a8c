/**
 * Null header, before the encoded values in every block of a nullable column (docs/spec/cfile.md#41-layouts).
 *
 * | field | coding |
 * | --- | --- |
 * | row count, nulls included | varint32 |
 * | bitmap length in bytes | varint32 |
 * | bitmap | RLE stream of width 1, 1 = not null |
 * | encoded values | only the non-null values |
 */
import { ByteBuilder, ByteReader, countBits, type Limits } from "@cfile/bytes";
import type { DecodeKernels } from "@cfile/kernels";
import { writeLengthPrefixed, writeVarint32 } from "@cfile/varint";
import { readBlockBitmap, readRowCount } from "./header-stream.js";

/** The null header of a block; see docs/spec/cfile.md#41-layouts. */
export interface NullableBlock {
  /** Rows, nulls included; at least 1. */
  readonly rows: number;
  /** Bitmap of `rows` bits, 1 = not null; unused bits are zero. */
  readonly validity: Uint8Array;
  /** Number of rows that are not null. */
  readonly nonNull: number;
  /** Offset of the encoded values. */
  readonly dataStart: number;
}

/**
 * Reads the header. The caller checks that there are `nonNull` encoded values.
 *
 * @param kernels for the bitmap. Default: portable code
 * @throws {CFileError} `E_TRUNCATED` or `E_CORRUPT` for malformed bytes, no rows, or a bitmap that does not hold exactly
 *   one entry per row; `E_LIMIT` for more rows than `limits.maxBlockRows`
 */
export function parseNullableBlock(
  bytes: Uint8Array,
  limits: Limits,
  kernels?: Pick<DecodeKernels, "rleDecode">,
): NullableBlock {
  const reader = new ByteReader(bytes);
  const rows = readRowCount(reader, limits);
  const validity = readBlockBitmap(reader, "null bitmap", rows, kernels);
  return { rows, validity, nonNull: countBits(validity, 0, rows), dataStart: reader.position };
}

/**
 * Assembles a block of `rows` rows.
 *
 * @param bitmap RLE stream of width 1 with an entry per row
 * @param data encoded values
 * @param tail spare bytes after the block, in its memory. Default 0
 */
export function encodeNullableBlock(
  rows: number,
  bitmap: Uint8Array,
  data: Uint8Array,
  tail = 0,
): Uint8Array {
  const block = new ByteBuilder(10 + bitmap.length + data.length + tail);
  writeVarint32(block, rows);
  writeLengthPrefixed(block, bitmap);
  block.append(data);
  return block.view8();
}
