// Looks up keys in a Bloom filter (docs/spec/bloomfile.md#42-bit-positions), `hashCount` bits per key.
import { cityHash64 } from "./city-hash";

// Bit `sum` modulo the number of bits, as the lowest bit of the result. The number of bits is a power of two: `words` masks the
// offset of a word, and the shift uses `sum` modulo 32.
// @ts-expect-error: decorator
@inline
function bitOf(bits: usize, words: u32, sum: u32): u32 {
  return load<u32>(bits + <usize>((sum >>> 3) & words)) >>> sum;
}

/** Bits of a filter of Kudu's default size. To look up many keys, such a filter is expanded to one byte per bit, 255 or 0. */
const SPREAD_BITS: u32 = 32768;
const SPREAD: usize = memory.data(32768, 16);
/** Minimum number of keys for which expanding a filter saves time. */
const MIN_SPREAD_KEYS: usize = 512;

/** For each byte of a vector, its byte in the two bytes of the filter, and its bit. Loaded, because loops make constants again. */
const LANES = memory.data<u8>(
  [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128],
  16,
);

function spread(bits: usize): void {
  const first = v128.load(LANES);
  const second = i8x16.add(first, i8x16.splat(2));
  const third = i8x16.add(first, i8x16.splat(4));
  const fourth = i8x16.add(first, i8x16.splat(6));
  const ofLane = v128.load(LANES, 16);
  for (let bit: usize = 0; bit < SPREAD_BITS; bit += 64) {
    const bytes = v128.load64_zero(bits + (bit >>> 3));
    v128.store(SPREAD + bit, i8x16.eq(v128.and(i8x16.swizzle(bytes, first), ofLane), ofLane));
    v128.store(SPREAD + bit, i8x16.eq(v128.and(i8x16.swizzle(bytes, second), ofLane), ofLane), 16);
    v128.store(SPREAD + bit, i8x16.eq(v128.and(i8x16.swizzle(bytes, third), ofLane), ofLane), 32);
    v128.store(SPREAD + bit, i8x16.eq(v128.and(i8x16.swizzle(bytes, fourth), ofLane), ofLane), 48);
  }
}

// @ts-expect-error: decorator
@inline
function spreadBit(sum: u32): u32 {
  return <u32>load<u8>(<usize>(sum & (SPREAD_BITS - 1)), SPREAD);
}

/** Keys that are hashed at a time: two short loops keep their variables in registers. */
const HASHED_KEYS: usize = 512;
const HASHES: usize = memory.data(4096, 16);

function hashKeys(keys: usize, width: usize, count: usize): void {
  if (width == 8) {
    for (let i: usize = 0; i < count; i++) {
      store<u64>(HASHES + (i << 3), cityHash64(keys + (i << 3), 8));
    }
    return;
  }
  for (let i: usize = 0; i < count; i++) {
    store<u64>(HASHES + (i << 3), cityHash64(keys + i * width, width));
  }
}

// @ts-expect-error: decorator
@inline
function fourSpreadBits(sum: u32, step: u32): u32 {
  const third = sum + (step << 1);
  return spreadBit(sum) & spreadBit(sum + step) & spreadBit(third) & spreadBit(third + step);
}

function probeSpread(count: usize, hashCount: u32, answers: usize): u32 {
  let found: u32 = 0;
  for (let i: usize = 0; i < count; i++) {
    const hash = load<u64>(HASHES + (i << 3));
    let sum = <u32>hash;
    const step = <u32>(hash >>> 32);
    let all: u32 = 1;
    let left = hashCount;
    for (; left >= 16; left -= 4) {
      all &= fourSpreadBits(sum, step);
      sum += step << 2;
    }
    if (left & 8) {
      all &= fourSpreadBits(sum, step) & fourSpreadBits(sum + (step << 2), step);
      sum += step << 3;
    }
    if (left & 4) {
      all &= fourSpreadBits(sum, step);
      sum += step << 2;
    }
    if (left & 2) {
      all &= spreadBit(sum) & spreadBit(sum + step);
      sum += step << 1;
    }
    if (left & 1) {
      all &= spreadBit(sum);
    }
    store<u8>(answers + i, <u8>all);
    found += all;
  }
  return found;
}

// Most keys are in the filter and have all bits set: stopping at the first missing bit would only add branches.
// @ts-expect-error: decorator
@inline
function holds(hash: u64, bits: usize, bitCount: u32, words: u32, hashCount: u32): u32 {
  let sum = <u32>hash;
  const step = <u32>(hash >>> 32);
  let all: u32 = 1;
  let i: u32 = 0;
  if (words != 0) {
    for (; i + 4 <= hashCount; i += 4) {
      all &= bitOf(bits, words, sum) & bitOf(bits, words, sum + step);
      sum += step << 1;
      all &= bitOf(bits, words, sum) & bitOf(bits, words, sum + step);
      sum += step << 1;
    }
    for (; i < hashCount; i++) {
      all &= bitOf(bits, words, sum);
      sum += step;
    }
  } else {
    for (; i < hashCount; i++) {
      const position = sum % bitCount;
      all &= <u32>load<u8>(bits + (position >>> 3)) >>> (position & 7);
      sum += step;
    }
  }
  return all & 1;
}

/**
 * Writes 1 (maybe) or 0 (absent) for each key. Key `i` is `keys[offsets[i]..offsets[i + 1])`; if `offsets` is 0, all keys have
 * `width` bytes. Returns the number of absent keys, or -1 if an offset is not between its predecessor and `dataEnd`.
 */
export function bloomProbe(
  keys: usize,
  offsets: usize,
  width: usize,
  dataEnd: u32,
  count: usize,
  bits: usize,
  bitCount: u32,
  hashCount: u32,
  answers: usize,
): i32 {
  const words: u32 = bitCount > 32 && (bitCount & (bitCount - 1)) == 0 ? ((bitCount >>> 3) - 1) & ~3 : 0;
  let found: u32 = 0;
  if (bitCount == SPREAD_BITS && count >= MIN_SPREAD_KEYS && offsets == 0) {
    spread(bits);
    for (let i: usize = 0; i < count; i += HASHED_KEYS) {
      const some = min(HASHED_KEYS, count - i);
      hashKeys(keys + i * width, width, some);
      found += probeSpread(some, hashCount, answers + i);
    }
    return <i32>(<u32>count - found);
  }
  if (offsets == 0) {
    for (let i: usize = 0; i < count; i++) {
      const answer = holds(cityHash64(keys + i * width, width), bits, bitCount, words, hashCount);
      store<u8>(answers + i, <u8>answer);
      found += answer;
    }
    return <i32>(<u32>count - found);
  }
  let start = load<u32>(offsets);
  if (start > dataEnd) {
    return -1;
  }
  for (let i: usize = 0; i < count; i++) {
    const end = load<u32>(offsets + (i << 2), 4);
    if (end < start || end > dataEnd) {
      return -1;
    }
    const answer = holds(cityHash64(keys + start, end - start), bits, bitCount, words, hashCount);
    store<u8>(answers + i, <u8>answer);
    found += answer;
    start = end;
  }
  return <i32>(<u32>count - found);
}
