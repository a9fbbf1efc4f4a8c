/** The parts of null and array headers: bounded counts, and RLE streams prefixed with their length. */
import { type ByteReader, bitmapByteLength, corrupt, freshMemory, type Limits } from "@cfile/bytes";
import type { DecodeKernels } from "@cfile/kernels";
import { readVarint32 } from "@cfile/varint";
import { aboveLimit, badField } from "../../types/checks.js";
import { decodeRuns } from "../rle/rle-decode.js";
import { RleDecoder } from "../rle/rle-decoder.js";

/** A varint32 count. @throws {CFileError} `E_LIMIT` when it is above `limit` */
export function readBlockCount(reader: ByteReader, field: string, limit: number): number {
  const offset = reader.position;
  const count = readVarint32(reader, field);
  if (count > limit) {
    throw aboveLimit(field, count, limit, offset);
  }
  return count;
}

/** The number of rows. @throws {CFileError} `E_CORRUPT` when it is 0, `E_LIMIT` above `limits.maxBlockRows` */
export function readRowCount(reader: ByteReader, limits: Limits): number {
  const offset = reader.position;
  const rows = readBlockCount(reader, "row count", limits.maxBlockRows);
  if (rows === 0) {
    throw badField("row count", offset, rows, "at least 1");
  }
  return rows;
}

/**
 * An RLE stream of `count` values, prefixed with its length in bytes as varint32. All runs are checked before the caller
 * allocates memory for the values; the decoder is at the first value.
 *
 * @throws {CFileError} `E_TRUNCATED` or `E_CORRUPT` when the stream is malformed or does not hold exactly `count` values
 */
export function readBlockStream(reader: ByteReader, field: string, width: number, count: number): RleDecoder {
  const start = skipStream(reader, field);
  const stream = new RleDecoder(reader.bytes, start, reader.position, width);
  stream.skip(count);
  requireEnd(stream, start, field, count);
  stream.seek(0);
  return stream;
}

/** Skips a stream and its length; returns the start of the stream. */
function skipStream(reader: ByteReader, field: string): number {
  const length = readVarint32(reader, `${field} length`);
  const start = reader.position;
  reader.skip(length, field);
  return start;
}

/**
 * Reads a stream of width 1 as a bitmap, whose unused bits are zero.
 *
 * @param kernels default: portable code
 * @throws {CFileError} as {@link readBlockStream}
 */
export function readBlockBitmap(
  reader: ByteReader,
  field: string,
  count: number,
  kernels?: Pick<DecodeKernels, "rleDecode">,
): Uint8Array {
  const start = skipStream(reader, field);
  const end = reader.position;
  // Kernels read to the end of the bytes.
  const stream = new RleDecoder(reader.bytes.subarray(0, end), start, end, 1);
  const decode = kernels?.rleDecode(decodeRuns) ?? decodeRuns;
  const bits = decode(stream, 0, count, freshMemory);
  requireEnd(stream, start, field, count);
  return new Uint8Array(bits, 0, bitmapByteLength(count));
}

function requireEnd(stream: RleDecoder, offset: number, field: string, expected: number): void {
  if (!stream.atEnd) {
    throw corrupt("too many entries", { offset, field, expected });
  }
}
