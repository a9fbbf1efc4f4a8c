/** Writes the chunk stream that `chunk-stream.ts` reads (docs/spec/cfile.md#58-bitshuffle). */
import type { ByteBuilder } from "@cfile/bytes";
import { lz4CompressBlock, lz4CompressBound } from "@cfile/compression/lz4-encode";
import type { BitshuffleEncoder } from "@cfile/kernels";
import {
  bitTranspose,
  CHUNK_BYTES,
  requireElementSize,
  requireRoom,
  requireWholeGroups,
} from "./bit-transpose.js";

let transposed: Uint8Array | undefined;

/**
 * Appends the chunks of `count` elements, the first `count * elementSize` bytes of `input`, to `out`.
 *
 * @param elementSize in bytes: 1, 2, 4, 8 or 16
 * @param count elements, padding included: a multiple of 8
 * @throws {CFileError} `E_INVALID_ARGUMENT` for an invalid size or count, or when `input` is too short
 */
export function encodeChunks(input: Uint8Array, elementSize: number, count: number, out: ByteBuilder): void {
  requireElementSize(elementSize);
  requireWholeGroups(count);
  const size = count * elementSize;
  requireRoom(input, 0, size, "elements");
  transposed ??= new Uint8Array(CHUNK_BYTES);
  for (let start = 0; start < size; start += CHUNK_BYTES) {
    const length = Math.min(CHUNK_BYTES, size - start);
    bitTranspose(input.subarray(start), transposed, elementSize, length / elementSize);
    const lengthWord = out.length;
    const buffer = out.reserve(4 + lz4CompressBound(length));
    const written = lz4CompressBlock(transposed, 0, length, buffer, lengthWord + 4);
    out.u32be(written);
    out.length += written;
  }
}

/** The portable encoder of whole streams. */
export const portableShuffle: BitshuffleEncoder = {
  encode: encodeChunks,
  encodeWords(input, count, out) {
    const words = new Uint32Array(input.buffer, input.byteOffset, count);
    let bits = 0;
    for (let i = 0; i < count; i++) {
      bits |= words[i] as number;
    }
    const size = bits >>> 8 === 0 ? 1 : bits >>> 16 === 0 ? 2 : 4;
    if (size === 4) {
      encodeChunks(input, size, count, out);
    } else {
      const narrow = size === 1 ? new Uint8Array(words) : new Uint16Array(words);
      encodeChunks(new Uint8Array(narrow.buffer), size, count, out);
    }
    return size;
  },
};
