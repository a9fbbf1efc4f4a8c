/**
 * Hadoop's framing of a compressed body (docs/spec/hfile.md#3-compression), for codecs that compress one chunk at a time:
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

/** Decompresses a chunk to the start of `output`. @returns the decompressed length */
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

/** Hadoop's readers allocate 256 KiB each for a group and its compressed form. */
const GROUP_BYTES = 65536;

/** The inverse of {@link decompressFramed}: groups of 64 KiB (the last one may be shorter), each of one chunk. */
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
