/**
 * A block's body as one gzip member (specification 3).
 *
 * | bytes | meaning |
 * | --- | --- |
 * | 10 | `1f 8b 08`, flags, time, extra flags, system; zeros in what Java writes |
 * | n | deflate stream |
 * | 4 | CRC-32 of the content, little-endian |
 * | 4 | length of the content, little-endian |
 */
import { ByteBuilder, CFileError, corrupt, crc32 } from "@cfile/bytes";
import {
  deflateRaw,
  Z_BUF_ERROR,
  Z_FINISH,
  Z_OK,
  Z_STREAM_END,
  ZStream,
  zlibInflate,
  zlibInflateEnd,
  zlibInflateInit2,
} from "pako";

/** 15 window bits, and 16 for a gzip wrapper. */
const GZIP_WINDOW_BITS = 31;
const FIELD = "gzip member";

/** The member of `input`, in memory of its own. */
export function gzipCompress(input: Uint8Array): Uint8Array {
  const deflated = deflateRaw(input, { level: 6, windowBits: 15, memLevel: 8, legacyHash: true });
  const out = new ByteBuilder(deflated.length + 18);
  out.append(Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0));
  out.append(deflated);
  out.u32le(crc32(input));
  out.u32le(input.length);
  return out.finish();
}

/**
 * Decompresses one member into exactly `output`; nothing is allocated for more.
 *
 * @throws CFileError `E_TRUNCATED` when the member ends early, `E_CORRUPT` when it is malformed, fails its CRC-32,
 *   expands to another length or is followed by other bytes
 */
export function gzipDecompress(input: Uint8Array, output: Uint8Array): void {
  const stream = new ZStream();
  stream.input = input;
  stream.avail_in = input.length;
  stream.output = new Uint8Array(output.buffer as ArrayBuffer, output.byteOffset, output.length);
  stream.avail_out = output.length;
  const initialized = zlibInflateInit2(stream, GZIP_WINDOW_BITS);
  const status = initialized === Z_OK ? zlibInflate(stream, Z_FINISH) : initialized;
  zlibInflateEnd(stream);
  const details = {
    offset: stream.next_in,
    field: FIELD,
    expected: output.length,
    actual: stream.total_out,
  };
  if (status === Z_OK || status === Z_BUF_ERROR) {
    throw stream.avail_in === 0
      ? new CFileError("E_TRUNCATED", "a gzip member ends early", details)
      : corrupt(`a gzip member expands to more than ${output.length} bytes`, details);
  }
  if (status !== Z_STREAM_END) {
    throw corrupt(`a gzip member is malformed: ${stream.msg || `status ${status}`}`, details);
  }
  if (stream.total_out !== output.length || stream.avail_in !== 0) {
    throw corrupt(
      `a gzip member of ${stream.next_in} bytes expands to ${stream.total_out}; ${input.length} and ${output.length} are expected`,
      details,
    );
  }
}
