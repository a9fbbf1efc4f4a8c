/** Writes the chunk stream that `chunk-stream.ts` reads (docs/spec/cfile.md#58-bitshuffle). */
import type { ByteBuilder } from "@cfile/bytes";
import { lz4CompressBlock, lz4CompressBound } from "@cfile/compression/lz4";
import type { EncodeKernels } from "@cfile/kernels";
import { bitTranspose, requireRoom } from "./bit-transpose.js";
import { CHUNK_BYTES, requireElementSize, requireWholeGroups } from "./chunk-elements.js";

let transposed: Uint8Array | undefined;

/**
 * Appends the chunks of `count` elements, the first `count * elementSize` bytes of `input`, to `out`.
 *
 * @param elementSize in bytes: 1, 2, 4, 8 or 16
 * @param count elements, padding included: a multiple of 8
 * @param kernels a faster way to the same bytes, if there is one
 * @throws CFileError `E_INVALID_ARGUMENT` for another size or count, or when `input` is shorter
 */
export function encodeChunks(
  input: Uint8Array,
  elementSize: number,
  count: number,
  out: ByteBuilder,
  kernels?: EncodeKernels,
): void {
  requireElementSize(elementSize);
  requireWholeGroups(count);
  const size = count * elementSize;
  requireRoom(input, 0, size, "elements");
  const stream = kernels?.bitshuffleEncode(input, count, elementSize);
  if (stream !== undefined) {
    out.append(stream);
    return;
  }
  transposed ??= new Uint8Array(CHUNK_BYTES);
  for (let start = 0; start < size; start += CHUNK_BYTES) {
    const length = Math.min(CHUNK_BYTES, size - start);
    bitTranspose(input, start, transposed, 0, elementSize, length / elementSize);
    const lengthWord = out.length;
    const buffer = out.reserve(4 + lz4CompressBound(length));
    const written = lz4CompressBlock(transposed, 0, length, buffer, lengthWord + 4);
    out.u32be(written);
    out.length += written;
  }
}
