// Encodes elements as a chunk stream, the inverse of `bitshuffle-decode.ts`.
import { bitTranspose } from "./bit-transpose";
import { CHUNK_BYTES } from "./bitshuffle-decode";
import { lz4Encode } from "./lz4-encode";

// A transposed chunk, with a margin for vectors that read past its end.
const CHUNK: usize = memory.data(8192 + 64, 16);

/**
 * Writes the stream of `count` elements (a multiple of 8) of `size` bytes at `src` to `dst`, which has room for the worst
 * case, and returns its length. Reads up to 120 elements past the last.
 */
export function bitshuffleEncode(src: usize, count: usize, size: usize, dst: usize): usize {
  let left = count * size;
  let out = dst;
  while (left > 0) {
    const bytes = min(left, CHUNK_BYTES);
    bitTranspose(src, bytes / size, size, CHUNK);
    const written = lz4Encode(CHUNK, bytes, out + 4);
    store<u32>(out, bswap(<u32>written));
    out += 4 + written;
    src += bytes;
    left -= bytes;
  }
  return out - dst;
}
