/**
 * The zlib codec (docs/spec/cfile.md#6-compression-wrapper): RFC 1950 streams, level 6, window 15, memory level 8. pako,
 * a port of zlib, compresses; its classic hash gives the same bytes as zlib. It also decompresses, except for long streams in
 * Node, which has zlib built in.
 *
 * | bytes | meaning |
 * | --- | --- |
 * | 2 | zlib header, `78 9c` |
 * | n | deflate stream |
 * | 4 | Adler-32 of the content, big-endian |
 */
import { deflate } from "pako";
import { inflateExactly, WINDOW_BITS } from "./inflate.js";
import { inflateNatively } from "./native-inflate.js";

const STREAM = "zlib stream";

/** Compresses `input` to a zlib stream in new memory. */
export function zlibCompress(input: Uint8Array): Uint8Array {
  return deflate(input, { level: 6, windowBits: WINDOW_BITS, memLevel: 8, legacyHash: true });
}

/**
 * Decompresses `input` into exactly `output`, whose content is undefined after an error.
 *
 * @throws {CFileError} `E_TRUNCATED` when the stream ends early; `E_CORRUPT` when it is malformed, fails its Adler-32, expands
 *   to any other length or is followed by other bytes
 */
export function zlibDecompress(input: Uint8Array, output: Uint8Array): void {
  const expanded = zlibExpand(input, output.length);
  if (expanded === undefined) {
    inflateExactly(input, output, WINDOW_BITS, STREAM);
  } else {
    output.set(expanded);
  }
}

/** Decompresses `input` to new memory with Node's zlib; `undefined` without it, and for short blocks. */
export function zlibExpand(input: Uint8Array, length: number): Uint8Array | undefined {
  return inflateNatively(input, length, STREAM);
}
