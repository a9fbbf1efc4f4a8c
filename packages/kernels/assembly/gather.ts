// Copies the values of the rows that a validity bitmap marks, one after the other; the inverse of `scatter.ts`. A group of bits
// selects a shuffle that moves the lanes of its rows together.

// A shuffle for each group of bits: 8 bits and 8 lanes of 1 byte; 8 bits, lanes of 2; 4 bits, lanes of 4.
const BYTES: usize = memory.data(256 * 8, 16);
const HALVES: usize = memory.data(256 * 16, 16);
const WORDS: usize = memory.data(16 * 16, 16);

let built = false;

function buildTable(table: usize, lanes: u32, width: u32): void {
  for (let mask: u32 = 0; mask < <u32>1 << lanes; mask++) {
    const shuffle = table + mask * lanes * width;
    memory.fill(shuffle, 0x80, lanes * width);
    let to: usize = 0;
    for (let lane: u32 = 0; lane < lanes; lane++) {
      if ((mask >>> lane) & 1) {
        for (let byte: u32 = 0; byte < width; byte++) {
          store<u8>(shuffle + to++, <u8>(lane * width + byte));
        }
      }
    }
  }
}

function build(): void {
  buildTable(BYTES, 8, 1);
  buildTable(HALVES, 8, 2);
  buildTable(WORDS, 4, 4);
  built = true;
}

/**
 * Of the `rows` values of `width` bytes (1, 2, 4, 8 or 16) at `src`, writes those that the bitmap marks to `dst`, and returns
 * their size. Reads up to 7 rows and writes up to 8 values past the end.
 */
export function gather(src: usize, validity: usize, rows: usize, width: u32, dst: usize): usize {
  if (!built) {
    build();
  }
  const start = dst;
  const spare = <u32>(((rows + 7) & ~7) - rows);
  const bytes = (rows + 7) >>> 3;
  for (let i: usize = 0; i < bytes; i++) {
    let mask = <u32>load<u8>(validity + i);
    if (i + 1 == bytes) {
      mask &= 0xff >>> spare;
    }
    if (width == 4) {
      const low = mask & 15;
      v128.store(dst, i8x16.swizzle(v128.load(src), v128.load(WORDS + (low << 4))));
      dst += popcnt(low) << 2;
      const high = mask >>> 4;
      v128.store(dst, i8x16.swizzle(v128.load(src, 16), v128.load(WORDS + (high << 4))));
      dst += popcnt(high) << 2;
    } else if (width == 8) {
      for (let bit: u32 = 0; bit < 8; bit++) {
        store<u64>(dst, load<u64>(src + (bit << 3)));
        dst += ((mask >>> bit) & 1) << 3;
      }
    } else if (width == 2) {
      v128.store(dst, i8x16.swizzle(v128.load(src), v128.load(HALVES + (mask << 4))));
      dst += popcnt(mask) << 1;
    } else if (width == 1) {
      const near = i8x16.swizzle(v128.load64_zero(src), v128.load64_zero(BYTES + (mask << 3)));
      store<u64>(dst, i64x2.extract_lane(near, 0));
      dst += popcnt(mask);
    } else {
      for (let bit: u32 = 0; bit < 8; bit++) {
        v128.store(dst, v128.load(src + (bit << 4)));
        dst += ((mask >>> bit) & 1) << 4;
      }
    }
    src += width << 3;
  }
  return dst - start;
}
