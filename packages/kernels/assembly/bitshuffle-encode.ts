// Elements to a chunk stream, the inverse of `bitshuffle-decode.ts`.
import { planeToRows } from "./bit-matrices";
import { CHUNK_BYTES } from "./bitshuffle-decode";
import { lz4Encode } from "./lz4-encode";
import { elementsToPlanes } from "./planes";

// Rows of a chunk, each rounded up to whole vectors; and the chunk without the gaps.
const ROWS: usize = memory.data(8192 + 2048 + 64, 16);
const CHUNK: usize = memory.data(8192 + 64, 16);
const PLANES: usize = memory.data(2048, 16);

/**
 * Writes the stream of `count` elements (a multiple of 8) of `size` bytes at `src` to `dst`, which has room for the worst
 * case, and returns its length. Reads up to 120 elements behind the last.
 */
export function bitshuffleEncode(src: usize, count: usize, size: usize, dst: usize): usize {
  let left = count * size;
  let out = dst;
  while (left > 0) {
    const bytes = min(left, CHUNK_BYTES);
    const row = bytes / size / 8;
    const step = (row + 15) & ~15;
    for (let i: usize = 0; i < row; i += 16) {
      elementsToPlanes(src + 8 * i * size, PLANES, size);
      for (let plane: usize = 0; plane < size; plane++) {
        planeToRows(PLANES + 128 * plane, ROWS + 8 * plane * step + i, step);
      }
    }
    let chunk = ROWS;
    if (step != row) {
      chunk = CHUNK;
      for (let n: usize = 0; n < 8 * size; n++) {
        memory.copy(CHUNK + n * row, ROWS + n * step, row);
      }
    }
    const written = lz4Encode(chunk, bytes, out + 4);
    store<u32>(out, bswap(<u32>written));
    out += 4 + written;
    src += bytes;
    left -= bytes;
  }
  return out - dst;
}
