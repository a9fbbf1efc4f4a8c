// Spreads values over the rows that a validity bitmap marks; the other rows become zero. A group of bits selects a shuffle that
// spreads the next values over the lanes of a vector.

// A shuffle for each group of bits: 8 bits and 8 lanes of 1 byte; 8 bits, lanes of 2; 4 bits, lanes of 4; 2 bits, lanes of 8.
const BYTES: usize = memory.data(256 * 8, 16);
const HALVES: usize = memory.data(256 * 16, 16);
const WORDS: usize = memory.data(16 * 16, 16);
const LONGS: usize = memory.data(4 * 16, 16);

let built = false;

function buildTable(table: usize, lanes: u32, width: u32): void {
  for (let mask: u32 = 0; mask < <u32>1 << lanes; mask++) {
    let from: u32 = 0;
    for (let lane: u32 = 0; lane < lanes; lane++) {
      const isPresent = (mask >>> lane) & 1;
      for (let byte: u32 = 0; byte < width; byte++) {
        store<u8>(table + (mask * lanes + lane) * width + byte, isPresent ? <u8>(from + byte) : 0x80);
      }
      from += isPresent * width;
    }
  }
}

function build(): void {
  buildTable(BYTES, 8, 1);
  buildTable(HALVES, 8, 2);
  buildTable(WORDS, 4, 4);
  buildTable(LONGS, 2, 8);
  built = true;
}

/**
 * Spreads the values of `width` bytes at `src..srcEnd` over `rows` rows at `dst`. Returns 0, or -1 if the bitmap marks more or
 * fewer rows. Writes up to 7 rows and reads up to 8 values past the end.
 */
export function scatter(src: usize, srcEnd: usize, validity: usize, rows: usize, width: u32, dst: usize): i32 {
  if (!built) {
    build();
  }
  const spare = <u32>(((rows + 7) & ~7) - rows);
  const bytes = (rows + 7) >>> 3;
  for (let i: usize = 0; i < bytes; i++) {
    let mask = <u32>load<u8>(validity + i);
    if (i + 1 == bytes) {
      mask &= 0xff >>> spare;
    }
    if (src > srcEnd) {
      return -1;
    }
    if (width == 4) {
      const low = mask & 15;
      v128.store(dst, i8x16.swizzle(v128.load(src), v128.load(WORDS + (low << 4))));
      src += popcnt(low) << 2;
      const high = mask >>> 4;
      v128.store(dst, i8x16.swizzle(v128.load(src), v128.load(WORDS + (high << 4))), 16);
      src += popcnt(high) << 2;
      dst += 32;
    } else if (width == 8) {
      for (let pair: u32 = 0; pair < 8; pair += 2) {
        const two = (mask >>> pair) & 3;
        v128.store(dst, i8x16.swizzle(v128.load(src), v128.load(LONGS + (two << 4))));
        src += popcnt(two) << 3;
        dst += 16;
      }
    } else if (width == 2) {
      v128.store(dst, i8x16.swizzle(v128.load(src), v128.load(HALVES + (mask << 4))));
      src += popcnt(mask) << 1;
      dst += 16;
    } else if (width == 1) {
      const spread = i8x16.swizzle(v128.load64_zero(src), v128.load64_zero(BYTES + (mask << 3)));
      store<u64>(dst, i64x2.extract_lane(spread, 0));
      src += popcnt(mask);
      dst += 8;
    } else {
      for (let bit: u32 = 0; bit < 8; bit++) {
        if ((mask >>> bit) & 1) {
          v128.store(dst, v128.load(src));
          src += 16;
        } else {
          v128.store(dst, i64x2.splat(0));
        }
        dst += 16;
      }
    }
  }
  return src == srcEnd ? 0 : -1;
}
