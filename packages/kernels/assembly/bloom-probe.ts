// Keys asked for in one Bloom filter (Bloom file specification 4.2): `hashCount` bits for each.
import { cityHash64 } from "./city-hash";

// @ts-expect-error: decorator
@inline
function holds(hash: u64, bits: usize, bitCount: u32, mask: u32, hashCount: u32): u32 {
  let sum = <u32>hash;
  const step = <u32>(hash >>> 32);
  let all: u32 = 1;
  // Keys that are there have all bits: to stop at the first that is missing would only cost branches.
  if (mask != 0) {
    for (let i: u32 = 0; i < hashCount; i++) {
      const position = sum & mask;
      all &= <u32>load<u8>(bits + (position >>> 3)) >>> (position & 7);
      sum += step;
    }
  } else {
    for (let i: u32 = 0; i < hashCount; i++) {
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
  const mask: u32 = (bitCount & (bitCount - 1)) == 0 ? bitCount - 1 : 0;
  let found: u32 = 0;
  if (offsets == 0) {
    for (let i: usize = 0; i < count; i++) {
      const answer = holds(cityHash64(keys + i * width, width), bits, bitCount, mask, hashCount);
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
    const answer = holds(cityHash64(keys + start, end - start), bits, bitCount, mask, hashCount);
    store<u8>(answers + i, <u8>answer);
    found += answer;
    start = end;
  }
  return <i32>(<u32>count - found);
}
