/** Inflates with pako, a port of zlib, into memory of a known size, and allocates nothing beyond it. */
import { CFileError, corrupt } from "@cfile/bytes";
import * as pako from "pako";

/** Window bits of all streams here. */
export const WINDOW_BITS = 15;
/** Added to the window bits to select the gzip wrapper. */
export const GZIP_WRAPPER = 16;

/**
 * Inflates one stream into exactly `output`, whose content is undefined after an error.
 *
 * @param field name of the stream in errors
 * @throws {CFileError} `E_TRUNCATED` when the stream ends early; `E_CORRUPT` when it is malformed, fails its checksum, expands
 *   to any other length or is followed by other bytes
 */
export function inflateExactly(
  input: Uint8Array,
  output: Uint8Array,
  windowBits: number,
  field: string,
): void {
  const stream = new pako.ZStream();
  stream.input = input;
  stream.avail_in = input.length;
  stream.output = new Uint8Array(output.buffer as ArrayBuffer, output.byteOffset, output.length);
  stream.avail_out = output.length;
  const initialized = pako.zlibInflateInit2(stream, windowBits);
  const status = initialized === pako.Z_OK ? pako.zlibInflate(stream, pako.Z_FINISH) : initialized;
  pako.zlibInflateEnd(stream);
  const { avail_in: unused, next_in: offset, total_out: actual } = stream;
  const { length: expected } = output;
  const details = { offset, field, expected, actual };
  if (status === pako.Z_OK || status === pako.Z_BUF_ERROR) {
    throw unused === 0
      ? new CFileError("E_TRUNCATED", `${field} ends after ${actual} of ${expected} bytes`, details)
      : corrupt(`${field} expands to more than ${expected} bytes`, details);
  }
  if (status !== pako.Z_STREAM_END) {
    throw corrupt(`malformed ${field}: ${stream.msg || `status ${status}`}`, details);
  }
  if (actual !== expected || unused !== 0) {
    const reason = `${field} size mismatch (expected ${input.length} and ${expected} bytes`;
    throw corrupt(`${reason}, found ${offset} bytes that expand to ${actual})`, details);
  }
}
