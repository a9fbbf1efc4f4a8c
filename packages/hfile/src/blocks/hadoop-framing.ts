/**
 * Hadoop's framing of a compressed body (docs/spec/hfile.md#3-compression), for codecs that compress a piece at a time:
 *
 * | bytes | meaning |
 * | --- | --- |
 * | 4 | uncompressed length of the group, big-endian |
 * | 4 | compressed length of a chunk, big-endian |
 * | n | the chunk |
 * | … | further chunks, until the group is full |
 * | … | further groups, until the body ends |
 */
import { ByteBuilder, ByteReader } from "@cfile/bytes";
import { mismatch } from "./mismatch.js";

/** Decompresses a chunk to the beginning of `output`. @returns the number of bytes it expands to */
export type ChunkDecompressor = (chunk: Uint8Array, output: Uint8Array) => number;

/**
 * Decompresses all groups into exactly `output`.
 * @throws {CFileError} `E_TRUNCATED` when the body ends inside, `E_CORRUPT` for lengths that do not fit; what `decompress`
 *   throws
 */
export function decompressFramed(body: Uint8Array, output: Uint8Array, decompress: ChunkDecompressor): void {
  const reader = new ByteReader(body);
  let written = 0;
  while (reader.remaining > 0) {
    const offset = reader.position;
    const group = reader.u32be("group length");
    if (group > output.length - written) {
      throw mismatch("group length", offset, `at most ${output.length - written}`, group);
    }
    const end = written + group;
    while (written < end) {
      const chunk = reader.take(reader.u32be("chunk length"), "chunk");
      const length = decompress(chunk, output.subarray(written, end));
      if (length <= 0 || length > end - written) {
        throw mismatch("chunk", reader.position - chunk.length, `1 to ${end - written}`, length);
      }
      written += length;
    }
  }
  if (written !== output.length) {
    throw mismatch("group length", reader.position, output.length, written);
  }
}

/** Readers of Hadoop have room for 256 KiB of a group and of what it is compressed to. */
const GROUP_BYTES = 65536;

/** The inverse: groups of 64 KiB, the last one shorter, of one chunk each. */
export function compressFramed(body: Uint8Array, compress: (group: Uint8Array) => Uint8Array): Uint8Array {
  const framed = new ByteBuilder(body.length);
  for (let at = 0; at < body.length; at += GROUP_BYTES) {
    const group = body.subarray(at, at + GROUP_BYTES);
    const chunk = compress(group);
    framed.u32be(group.length);
    framed.u32be(chunk.length);
    framed.append(chunk);
  }
  return framed.finish();
}
