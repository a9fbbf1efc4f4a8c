/**
 * Pages compressed with gzip: one member or several, one after the other (docs/spec/parquet.md#2-page-header). Each member is
 * `1f 8b`, a header, a deflate stream, CRC-32 and length.
 */
import { CFileError, corrupt } from "@cfile/bytes";
import { Z_FINISH, Z_STREAM_END, ZStream, zlibInflate, zlibInflateEnd, zlibInflateInit2 } from "pako";

/** 15 window bits, and 16 for a gzip wrapper. */
const GZIP_WINDOW_BITS = 31;
const FIELD = "gzip member";

/** Decompresses all members into exactly `output`. @throws {CFileError} `E_TRUNCATED`, `E_CORRUPT` */
export function gzipMembers(input: Uint8Array, output: Uint8Array): void {
  let read = 0;
  let written = 0;
  do {
    const stream = new ZStream();
    stream.input = input.subarray(read);
    stream.avail_in = input.length - read;
    stream.output = new Uint8Array(
      output.buffer as ArrayBuffer,
      output.byteOffset + written,
      output.length - written,
    );
    stream.avail_out = output.length - written;
    zlibInflateInit2(stream, GZIP_WINDOW_BITS);
    const status = zlibInflate(stream, Z_FINISH);
    zlibInflateEnd(stream);
    if (status !== Z_STREAM_END) {
      const reason =
        stream.avail_in === 0 ? "ends early" : `is malformed or too long: ${stream.msg || status}`;
      throw new CFileError(stream.avail_in === 0 ? "E_TRUNCATED" : "E_CORRUPT", `a gzip member ${reason}`, {
        offset: read + stream.next_in,
        field: FIELD,
      });
    }
    read += stream.next_in;
    written += stream.total_out;
  } while (read < input.length);
  if (written !== output.length) {
    const details = { field: FIELD, expected: output.length, actual: written };
    throw corrupt(`gzip members expand to ${written} bytes (expected ${output.length})`, details);
  }
}
