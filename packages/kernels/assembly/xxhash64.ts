// xxHash64 with seed 0 (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md) of many values. The portable version is in
// `@cfile/parquet`.

const PRIME_1: u64 = 0x9e3779b185ebca87;
const PRIME_2: u64 = 0xc2b2ae3d27d4eb4f;
const PRIME_3: u64 = 0x165667b19e3779f9;
const PRIME_4: u64 = 0x85ebca77c2b2ae63;
const PRIME_5: u64 = 0x27d4eb2f165667c5;

// @ts-expect-error: decorator
@inline
function round(state: u64, lane: u64): u64 {
  return rotl<u64>(state + lane * PRIME_2, 31) * PRIME_1;
}

// @ts-expect-error: decorator
@inline
function merged(state: u64, lane: u64): u64 {
  return (state ^ round(0, lane)) * PRIME_1 + PRIME_4;
}

// @ts-expect-error: decorator
@inline
function withEight(state: u64, lane: u64): u64 {
  return rotl<u64>(state ^ round(0, lane), 27) * PRIME_1 + PRIME_4;
}

// @ts-expect-error: decorator
@inline
function withFour(state: u64, lane: u32): u64 {
  return rotl<u64>(state ^ (<u64>lane * PRIME_1), 23) * PRIME_2 + PRIME_3;
}

// @ts-expect-error: decorator
@inline
function finished(state: u64): u64 {
  state = (state ^ (state >> 33)) * PRIME_2;
  state = (state ^ (state >> 29)) * PRIME_3;
  return state ^ (state >> 32);
}

function hashOf(from: usize, length: u32): u64 {
  const to = from + length;
  let state: u64;
  if (length >= 32) {
    let a = PRIME_1 + PRIME_2;
    let b = PRIME_2;
    let c: u64 = 0;
    let d: u64 = 0 - PRIME_1;
    for (; from + 32 <= to; from += 32) {
      a = round(a, load<u64>(from));
      b = round(b, load<u64>(from, 8));
      c = round(c, load<u64>(from, 16));
      d = round(d, load<u64>(from, 24));
    }
    state = rotl<u64>(a, 1) + rotl<u64>(b, 7) + rotl<u64>(c, 12) + rotl<u64>(d, 18);
    state = merged(merged(merged(merged(state, a), b), c), d);
  } else {
    state = PRIME_5;
  }
  state += length;
  for (; from + 8 <= to; from += 8) {
    state = withEight(state, load<u64>(from));
  }
  if (from + 4 <= to) {
    state = withFour(state, load<u32>(from));
    from += 4;
  }
  for (; from < to; from++) {
    state = rotl<u64>(state ^ (<u64>load<u8>(from) * PRIME_5), 11) * PRIME_1;
  }
  return finished(state);
}

/**
 * Writes the hashes of strings 0 to `count`; string i is bytes `offsets[i]` to `offsets[i + 1]` after `data`. Returns -1 if an offset is
 * not between its predecessor and `dataEnd`.
 */
export function xxhashStrings(data: usize, offsets: usize, dataEnd: u32, count: u32, hashes: usize): i32 {
  let from = load<u32>(offsets);
  for (let i: u32 = 0; i < count; i++, hashes += 8) {
    offsets += 4;
    const to = load<u32>(offsets);
    if (to < from || to > dataEnd) {
      return -1;
    }
    store<u64>(hashes, hashOf(data + from, to - from));
    from = to;
  }
  return 0;
}

/** Writes the hashes of `count` values of `width` bytes. */
export function xxhashValues(data: usize, width: u32, count: u32, hashes: usize): void {
  const end = hashes + (<usize>count << 3);
  if (width == 8) {
    for (; hashes < end; data += 8, hashes += 8) {
      store<u64>(hashes, finished(withEight(PRIME_5 + 8, load<u64>(data))));
    }
    return;
  }
  if (width == 4) {
    for (; hashes < end; data += 4, hashes += 8) {
      store<u64>(hashes, finished(withFour(PRIME_5 + 4, load<u32>(data))));
    }
    return;
  }
  for (; hashes < end; data += width, hashes += 8) {
    store<u64>(hashes, hashOf(data, width));
  }
}
