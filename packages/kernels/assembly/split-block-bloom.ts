// Split block Bloom filters of xxHash64 (https://github.com/apache/parquet-format/blob/master/BloomFilter.md). The portable version is in
// `@cfile/parquet`.

const BLOCK: usize = 32;

/**
 * Three vectors: the bits of a byte; for each byte of a vector, the first byte of its lane of 32 bits; and the number of bits before the
 * byte in its lane. They are loaded because the engine makes constants of a loop again in each round.
 */
const TABLES = memory.data<u8>(
  [
    1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12, 0, 8, 16, 24, 0,
    8, 16, 24, 0, 8, 16, 24, 0, 8, 16, 24,
  ],
  16,
);

/** Sets the bits of hashes in a filter of `blocks` blocks: the high word selects the block, the low one a bit in each of its words. */
export function fillBloom(hashes: usize, count: u32, bits: usize, blocks: u32): void {
  const first = i32x4(0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d);
  const second = i32x4(0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31);
  const table = v128.load(TABLES);
  const lanes = v128.load(TABLES, 16);
  const before = v128.load(TABLES, 32);
  for (let i: u32 = 0; i < count; i++, hashes += 8) {
    const block = bits + <usize>((<u64>load<u32>(hashes, 4) * blocks) >> 32 << 5);
    const low = i32x4.splat(load<i32>(hashes));
    // The number of each lane in all its bytes: less the bits before a byte, it is below 8 in the byte that has the bit. Negative
    // numbers are beyond the table, and select zero.
    const one = i8x16.swizzle(i32x4.shr_u(i32x4.mul(low, first), 27), lanes);
    const two = i8x16.swizzle(i32x4.shr_u(i32x4.mul(low, second), 27), lanes);
    v128.store(block, v128.or(v128.load(block), i8x16.swizzle(table, i8x16.sub(one, before))));
    v128.store(block, v128.or(v128.load(block, 16), i8x16.swizzle(table, i8x16.sub(two, before))), 16);
  }
}

/**
 * Halves a filter of a power of two of blocks in place while the false positives of the half are at most `limit`. Each block of the half
 * combines two neighbors. Returns the number of blocks.
 */
export function foldBloom(bits: usize, blocks: u32, limit: f64): u32 {
  while (blocks > 1 && falsePositivesOfHalf(bits, blocks) <= limit) {
    blocks >>= 1;
    for (let at = bits, from = bits; at < bits + blocks * BLOCK; at += BLOCK, from += 2 * BLOCK) {
      const first = v128.or(v128.load(from), v128.load(from, 32));
      v128.store(at, first);
      v128.store(at, v128.or(v128.load(from, 16), v128.load(from, 48)), 16);
    }
  }
  return blocks;
}

/** Share of random hashes whose eight bits are all set in a filter of half the blocks. */
function falsePositivesOfHalf(bits: usize, blocks: u32): f64 {
  const end = bits + blocks * BLOCK;
  let sum: f64 = 0;
  for (; bits < end; bits += 2 * BLOCK) {
    const first = bitCounts(v128.or(v128.load(bits), v128.load(bits, 32)));
    const second = bitCounts(v128.or(v128.load(bits, 16), v128.load(bits, 48)));
    // At most 32 ** 8, which is exact as a double; so is its quotient by a power of two.
    const pairs = i32x4.mul(first, second);
    const low = i32x4.extract_lane(pairs, 0) * i32x4.extract_lane(pairs, 1);
    const high = i32x4.extract_lane(pairs, 2) * i32x4.extract_lane(pairs, 3);
    sum += (<f64>low * <f64>high) / 1099511627776;
  }
  return (2 * sum) / <f64>blocks;
}

/** Number of ones in each lane of 32 bits. */
// @ts-expect-error: decorator
@inline
function bitCounts(words: v128): v128 {
  return i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(i8x16.popcnt(words)));
}
