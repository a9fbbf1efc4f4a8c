/** What null header and array header are made of: bounded counts, and RLE streams behind their length. */
import { type ByteReader, bitmapByteLength, CFileError, corrupt } from "@cfile/bytes";
import { readVarint32 } from "@cfile/varint";
import { decodeBitStream, isBitStream } from "../bit-stream.js";
import { RleDecoder } from "../rle/rle-decoder.js";

/**
 * A varint32 count.
 *
 * @throws CFileError `E_LIMIT` when it is above `limit`
 */
export function readBlockCount(reader: ByteReader, field: string, limit: number): number {
  const offset = reader.position;
  const count = readVarint32(reader, field);
  if (count > limit) {
    throw new CFileError("E_LIMIT", `a ${field} of ${count}; ${limit} are allowed`, {
      offset,
      field,
      expected: limit,
      actual: count,
    });
  }
  return count;
}

/**
 * An RLE stream of `count` values behind its varint32 byte length. All runs are walked before the caller allocates
 * anything for the values; the decoder stands at the first.
 *
 * @throws CFileError `E_TRUNCATED` or `E_CORRUPT` when the stream is malformed or does not hold exactly `count` values
 */
export function readBlockStream(reader: ByteReader, field: string, width: number, count: number): RleDecoder {
  const length = readVarint32(reader, `${field} length`);
  const start = reader.position;
  reader.skip(length, field);
  const stream = new RleDecoder(reader.bytes, start, reader.position, width);
  stream.skip(count);
  if (!stream.atEnd) {
    throw corrupt(`the ${field} holds more than ${count} entries`, { offset: start, field, expected: count });
  }
  stream.seek(0);
  return stream;
}

/**
 * The bits of such a stream of width 1 as a bitmap, whose unused bits are zero.
 *
 * @throws CFileError as {@link readBlockStream}
 */
export function readBlockBitmap(reader: ByteReader, field: string, count: number): Uint8Array {
  const position = reader.position;
  const length = readVarint32(reader, `${field} length`);
  const start = reader.position;
  reader.skip(length, field);
  if (isBitStream(reader.bytes, start, reader.position, count)) {
    const bitmap = new Uint8Array(bitmapByteLength(count));
    decodeBitStream(reader.bytes, start, reader.position, count, bitmap);
    return bitmap;
  }
  reader.position = position;
  const stream = readBlockStream(reader, field, 1, count);
  const bitmap = new Uint8Array(bitmapByteLength(count));
  stream.decodeBits(bitmap, 0, count);
  return bitmap;
}
