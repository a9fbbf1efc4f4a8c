/** Inflating with pako, a port of zlib, into memory of a known size: nothing is allocated for more. */
import { CFileError, corrupt } from "@cfile/bytes";
import {
  Z_BUF_ERROR,
  Z_FINISH,
  Z_OK,
  Z_STREAM_END,
  ZStream,
  zlibInflate,
  zlibInflateEnd,
  zlibInflateInit2,
} from "pako";

/** Bits of the window that all streams here are written with. */
export const WINDOW_BITS = 15;
/** Added to the bits of the window, they stand for a gzip wrapper. */
export const GZIP_WRAPPER = 16;

/**
 * Decompresses one stream into exactly `output`, whose content is undefined after an error.
 *
 * @param field what the stream is, for errors
 * @throws CFileError `E_TRUNCATED` when the stream ends early, `E_CORRUPT` when it is malformed, fails its checksum,
 *   expands to another length or is followed by other bytes
 */
export function inflateExactly(
  input: Uint8Array,
  output: Uint8Array,
  windowBits: number,
  field: string,
): void {
  const stream = new ZStream();
  stream.input = input;
  stream.avail_in = input.length;
  stream.output = new Uint8Array(output.buffer as ArrayBuffer, output.byteOffset, output.length);
  stream.avail_out = output.length;
  const initialized = zlibInflateInit2(stream, windowBits);
  const status = initialized === Z_OK ? zlibInflate(stream, Z_FINISH) : initialized;
  zlibInflateEnd(stream);
  const details = { offset: stream.next_in, field, expected: output.length, actual: stream.total_out };
  if (status === Z_OK || status === Z_BUF_ERROR) {
    if (stream.avail_in === 0) {
      throw new CFileError(
        "E_TRUNCATED",
        `a ${field} ends after ${stream.total_out} of ${output.length} bytes`,
        details,
      );
    }
    throw corrupt(`a ${field} expands to more than ${output.length} bytes`, details);
  }
  if (status !== Z_STREAM_END) {
    throw corrupt(`a ${field} is malformed: ${stream.msg || `status ${status}`}`, details);
  }
  if (stream.total_out !== output.length || stream.avail_in !== 0) {
    throw corrupt(
      `a ${field} of ${stream.next_in} bytes expands to ${stream.total_out}; ${input.length} and ${output.length} are expected`,
      details,
    );
  }
}
