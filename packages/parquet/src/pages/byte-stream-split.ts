/** BYTE_STREAM_SPLIT: the first bytes of all values, then their second bytes, and so on. */
import type { ByteReader } from "@cfile/bytes";

/**
 * Reads `count` values of `width` bytes.
 * @throws {CFileError} `E_TRUNCATED`
 */
export function readByteStreams(reader: ByteReader, count: number, width: number): Uint8Array {
  const streams = reader.take(count * width, "BYTE_STREAM_SPLIT");
  const values = new Uint8Array(count * width);
  for (let stream = 0; stream < width; stream++) {
    for (let i = 0, from = stream * count; i < count; i++) {
      values[i * width + stream] = streams[from + i] as number;
    }
  }
  return values;
}
