/**
 * The zlib codec (docs/spec/cfile.md#6-compression-wrapper): RFC 1950 streams, level 6, window 15, memory level 8. Compression
 * is pako's, a port of zlib whose classic hash gives the bytes of zlib itself; decompression too, but for long streams in Node,
 * which has zlib in it.
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
  const expanded = zlibExpand(input, output.length);
  if (expanded === undefined) {
    inflateExactly(input, output, WINDOW_BITS, STREAM);
  } else {
    output.set(expanded);
  }
}

/** What `input` expands to, in memory of its own, where the zlib of Node does it; `undefined` elsewhere, and for short blocks. */
export function zlibExpand(input: Uint8Array, length: number): Uint8Array | undefined {
  return inflateNatively(input, length, STREAM);
}
