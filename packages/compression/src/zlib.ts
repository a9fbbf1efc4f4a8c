/**
 * The zlib codec (specification 6): RFC 1950 streams, level 6, window 15, memory level 8. Compression and
 * decompression are pako's, a port of zlib whose classic hash gives the bytes of zlib itself.
 *
 * | bytes | meaning |
 * | --- | --- |
 * | 2 | zlib header, `78 9c` |
 * | n | deflate stream |
 * | 4 | Adler-32 of the content, big-endian |
 */
import { CFileError, corrupt } from "@cfile/bytes";
import {
  deflate,
  Z_BUF_ERROR,
  Z_FINISH,
  Z_OK,
  Z_STREAM_END,
  ZStream,
  zlibInflate,
  zlibInflateEnd,
  zlibInflateInit2,
} from "pako";

const WINDOW_BITS = 15;

/** The zlib stream of `input`, in memory of its own. */
export function zlibCompress(input: Uint8Array): Uint8Array {
  return deflate(input, { level: 6, windowBits: WINDOW_BITS, memLevel: 8, legacyHash: true });
}

/**
 * Decompresses `input` into exactly `output`; nothing is allocated for more. After an error the content of `output` is
 * undefined.
 *
 * @throws CFileError `E_TRUNCATED` when the stream ends early, `E_CORRUPT` when it is malformed, fails its Adler-32,
 *   expands to another length or is followed by other bytes
 */
export function zlibDecompress(input: Uint8Array, output: Uint8Array): void {
  const stream = new ZStream();
  stream.input = input;
  stream.avail_in = input.length;
  stream.output = new Uint8Array(output.buffer as ArrayBuffer, output.byteOffset, output.length);
  stream.avail_out = output.length;
  const initialized = zlibInflateInit2(stream, WINDOW_BITS);
  const status = initialized === Z_OK ? zlibInflate(stream, Z_FINISH) : initialized;
  zlibInflateEnd(stream);
  const offset = stream.next_in;
  if (status === Z_OK || status === Z_BUF_ERROR) {
    if (stream.avail_in === 0) {
      throw new CFileError(
        "E_TRUNCATED",
        `a zlib stream ends after ${stream.total_out} of ${output.length} bytes`,
        {
          offset,
          field: "zlib stream",
          expected: output.length,
          actual: stream.total_out,
        },
      );
    }
    throw corrupt(`a zlib stream expands to more than ${output.length} bytes`, {
      offset,
      field: "zlib stream",
      expected: output.length,
    });
  }
  if (status !== Z_STREAM_END) {
    throw corrupt(`a zlib stream is malformed: ${stream.msg || `status ${status}`}`, {
      offset,
      field: "zlib stream",
    });
  }
  if (stream.total_out !== output.length || stream.avail_in !== 0) {
    throw corrupt(
      `a zlib stream of ${offset} bytes expands to ${stream.total_out}; ${input.length} and ${output.length} are expected`,
      { offset, field: "zlib stream", expected: output.length, actual: stream.total_out },
    );
  }
}
