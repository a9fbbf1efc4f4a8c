/**
 * One gzip member (RFC 1952).
 *
 * | bytes | meaning |
 * | --- | --- |
 * | 10 | `1f 8b 08`, flags, time, extra flags, system; zeros when written by Java |
 * | n | deflate stream |
 * | 4 | CRC-32 of the content, little-endian |
 * | 4 | length of the content, little-endian |
 */
import { ByteBuilder, crc32 } from "@cfile/bytes";
import { deflateRaw } from "pako";
import { GZIP_WRAPPER, inflateExactly, WINDOW_BITS } from "./inflate.js";

/** Compresses `input` to a gzip member as Java writes it, in new memory. */
export function gzipCompress(input: Uint8Array): Uint8Array {
  const deflated = deflateRaw(input, { level: 6, windowBits: WINDOW_BITS, memLevel: 8, legacyHash: true });
  const out = new ByteBuilder(deflated.length + 18);
  out.append(Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0));
  out.append(deflated);
  out.u32le(crc32(input));
  out.u32le(input.length);
  return out.finish();
}

/**
 * Decompresses one member into exactly `output`, whose content is undefined after an error.
 *
 * @throws {CFileError} `E_TRUNCATED` when the member ends early; `E_CORRUPT` when it is malformed, fails its CRC-32, expands to
 *   any other length or is followed by other bytes
 */
export function gzipDecompress(input: Uint8Array, output: Uint8Array): void {
  inflateExactly(input, output, WINDOW_BITS + GZIP_WRAPPER, "gzip member");
}
