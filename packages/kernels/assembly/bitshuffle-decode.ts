// Decodes the chunk stream of a bitshuffle block (docs/spec/cfile.md#58-bitshuffle): the LZ4 block of each chunk is decompressed
// into scratch memory, then transposed.
import { bitUntranspose } from "./bit-transpose";
import { lz4Decode } from "./lz4-decode";

export const CHUNK_BYTES: usize = 8192;
// A chunk, with a margin for vectors that write past its end.
const CHUNK: usize = memory.data(8192 + 64, 16);

/**
 * Decodes `count` elements (a multiple of 8) of `size` bytes from the stream at `src..srcEnd` to `dst`. Returns 0, or -1
 * if the stream is invalid. Writes 128 elements at a time, up to 120 past the end.
 */
export function bitshuffleDecode(src: usize, srcEnd: usize, dst: usize, count: usize, size: usize): i32 {
  let left = count * size;
  while (left > 0) {
    const bytes = min(left, CHUNK_BYTES);
    if (srcEnd - src < 4) {
      return -1;
    }
    const length = <usize>bswap(load<u32>(src));
    src += 4;
    if (length > srcEnd - src || lz4Decode(src, src + length, CHUNK, CHUNK + bytes) != 0) {
      return -1;
    }
    src += length;
    bitUntranspose(CHUNK, bytes / size, size, dst);
    dst += bytes;
    left -= bytes;
  }
  return src == srcEnd ? 0 : -1;
}
