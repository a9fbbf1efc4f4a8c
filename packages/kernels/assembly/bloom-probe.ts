// Keys asked for in one Bloom filter (Bloom file specification 4.2): `hashCount` bits for each.
import { cityHash64 } from "./city-hash";

// Bit `sum` of the filter, modulo its bits, as the lowest one: of a filter whose bits are a power of two, a word of them at a time,
// as shifts by 32 and more begin anew by themselves. `words` is the mask of where the word begins.
// @ts-expect-error: decorator
@inline
function bitOf(bits: usize, words: u32, sum: u32): u32 {
  return load<u32>(bits + <usize>((sum >>> 3) & words)) >>> sum;
}

/** Of a filter that many keys are asked for: a byte for each bit, 255 or 0. Kudu's filters have 4096 bytes. */
const MOST_SPREAD: u32 = 4096;
const SPREAD: usize = memory.data(32768, 16);

/** Bits of a filter below which spreading it costs more than it saves. */
const LEAST_KEYS_A_BYTE: u32 = 8;

const BIT_OF_LANE: v128 = i8x16(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128);

function spread(bits: usize, bitCount: u32): void {
  const first = i8x16(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1);
  for (let bit: usize = 0; bit < <usize>bitCount; bit += 16) {
    const both = i8x16.swizzle(v128.load16_splat(bits + (bit >>> 3)), first);
    v128.store(SPREAD + bit, i8x16.eq(v128.and(both, BIT_OF_LANE), BIT_OF_LANE));
  }
}

// @ts-expect-error: decorator
@inline
function holdsSpread(hash: u64, mask: u32, hashCount: u32): u32 {
  let sum = <u32>hash;
  const step = <u32>(hash >>> 32);
  let all: u32 = 1;
  let i: u32 = 0;
  for (; i + 4 <= hashCount; i += 4) {
    const second = sum + step;
    const third = second + step;
    const fourth = third + step;
    all &= <u32>load<u8>(SPREAD + <usize>(sum & mask)) & <u32>load<u8>(SPREAD + <usize>(second & mask));
    all &= <u32>load<u8>(SPREAD + <usize>(third & mask)) & <u32>load<u8>(SPREAD + <usize>(fourth & mask));
    sum = fourth + step;
  }
  for (; i < hashCount; i++) {
    all &= <u32>load<u8>(SPREAD + <usize>(sum & mask));
    sum += step;
  }
  return all;
}

// Keys that are there have all bits: to stop at the first that is missing would only cost branches.
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
 * Writes 1 (maybe) or 0 (absent) for each key. Keys are `keys[offsets[i]..offsets[i + 1])`, offsets counted from `keys`, or all of
 * `width` bytes where `offsets` is 0. Returns how many are absent, or -1 when an offset is not between the one before it
 * and `most`.
 */
export function bloomProbe(
  keys: usize,
  offsets: usize,
  width: usize,
  most: u32,
  count: usize,
  bits: usize,
  bitCount: u32,
  hashCount: u32,
  answers: usize,
): i32 {
  const words: u32 = bitCount > 32 && (bitCount & (bitCount - 1)) == 0 ? ((bitCount >>> 3) - 1) & ~3 : 0;
  let found: u32 = 0;
  if (words != 0 && bitCount <= MOST_SPREAD << 3 && <u32>count > bitCount >>> 5 && offsets == 0) {
    spread(bits, bitCount);
    const mask = bitCount - 1;
    for (let i: usize = 0; i < count; i++) {
      const answer = holdsSpread(cityHash64(keys + i * width, width), mask, hashCount);
      store<u8>(answers + i, <u8>answer);
      found += answer;
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
  if (start > most) {
    return -1;
  }
  for (let i: usize = 0; i < count; i++) {
    const end = load<u32>(offsets + (i << 2), 4);
    if (end < start || end > most) {
      return -1;
    }
    const answer = holds(cityHash64(keys + start, end - start), bits, bitCount, words, hashCount);
    store<u8>(answers + i, <u8>answer);
    found += answer;
    start = end;
  }
  return <i32>(<u32>count - found);
}
