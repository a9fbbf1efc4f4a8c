// Encodes integers as keys, and checks the order of keys and integers.

const REVERSED: usize = memory.data<u8>([
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14, 3, 2, 1, 0, 7, 6, 5,
  4, 11, 10, 9, 8, 15, 14, 13, 12, 7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4,
  3, 2, 1, 0,
], 16);

/**
 * Writes `length` bytes of integers of `1 << power` bytes with the most significant byte first, and that byte xor `flip`. Reads and
 * writes up to 15 bytes past the end.
 */
export function integerKeys(src: usize, length: usize, power: u32, flip: u32, dst: usize): void {
  const order = v128.load(REVERSED + (power << 4));
  const width: usize = 1 << power;
  let signs = i8x16.splat(0);
  const lanes = memory.data(16, 16);
  for (let i: usize = 0; i < 16; i++) {
    store<u8>(lanes + i, i % width == 0 ? <u8>flip : 0);
  }
  signs = v128.load(lanes);
  for (let i: usize = 0; i < length; i += 16) {
    v128.store(dst + i, v128.xor(i8x16.swizzle(v128.load(src + i), order), signs));
  }
}

// @ts-expect-error: decorator
@inline
function isBelow(left: usize, leftLength: u32, right: usize, rightLength: u32): bool {
  const shared: usize = min(leftLength, rightLength);
  let i: usize = 0;
  for (; i + 8 <= shared; i += 8) {
    const a = load<u64>(left + i);
    const b = load<u64>(right + i);
    if (a != b) {
      return bswap<u64>(a) < bswap<u64>(b);
    }
  }
  for (; i < shared; i++) {
    const a = load<u8>(left + i);
    const b = load<u8>(right + i);
    if (a != b) {
      return a < b;
    }
  }
  return leftLength < rightLength;
}

/**
 * The first of the strings `data[offsets[i]..offsets[i + 1])` that is not greater than its predecessor; `count` if all ascend, -1
 * if an offset is not between its predecessor and `dataEnd`.
 */
export function firstDescent(data: usize, offsets: usize, dataEnd: u32, count: u32): i32 {
  let previous = load<u32>(offsets);
  let start = previous;
  let found = count;
  for (let i: u32 = 0; i < count; i++) {
    const end = load<u32>(offsets + (<usize>i << 2), 4);
    if (end < start || end > dataEnd) {
      return -1;
    }
    if (i > 0 && found == count && !isBelow(data + previous, start - previous, data + start, end - start)) {
      found = i;
    }
    previous = start;
    start = end;
  }
  return <i32>found;
}

// Converts an integer of `1 << power` bytes to a signed one of 8 bytes with the same order. `flip` is the highest bit if it is unsigned.
// @ts-expect-error: decorator
@inline
function ordered(at: usize, power: u32, flip: u32): i64 {
  if (power == 3) {
    return <i64>(load<u64>(at) ^ (<u64>flip << 56));
  }
  if (power == 2) {
    return <i32>(load<u32>(at) ^ (flip << 24));
  }
  return power == 1 ? <i64>(<i16>(load<u16>(at) ^ <u16>(flip << 8))) : <i64>(<i8>(load<u8>(at) ^ <u8>flip));
}

// Sets all bits of lanes whose integers are less than their predecessors or, with `same`, equal to them.
// @ts-expect-error: decorator
@inline
function descents(at: usize, power: u32, sign: v128, same: v128): v128 {
  const before = v128.xor(v128.load(at - (<usize>1 << power)), sign);
  const here = v128.xor(v128.load(at), sign);
  const below =
    power == 3
      ? i64x2.lt_s(here, before)
      : power == 2
        ? i32x4.lt_s(here, before)
        : power == 1
          ? i16x8.lt_s(here, before)
          : i8x16.lt_s(here, before);
  const equal =
    power == 3
      ? i64x2.eq(here, before)
      : power == 2
        ? i32x4.eq(here, before)
        : power == 1
          ? i16x8.eq(here, before)
          : i8x16.eq(here, before);
  return v128.or(below, v128.and(equal, same));
}

// Starting at integer `i`, skips steps of four vectors without descents; returns the start of the first other or incomplete step.
// @ts-expect-error: decorator
@inline
function skipAscending(data: usize, power: u32, sign: v128, same: v128, i: u32, count: u32): u32 {
  const step: u32 = 64 >>> power;
  for (; i + step <= count; i += step) {
    const at = data + (<usize>i << power);
    const first = v128.or(descents(at, power, sign, same), descents(at + 16, power, sign, same));
    const second = v128.or(descents(at + 32, power, sign, same), descents(at + 48, power, sign, same));
    if (v128.any_true(v128.or(first, second))) {
      break;
    }
  }
  return i;
}

/**
 * Finds the first of `count` integers of `1 << power` bytes that is less than its predecessor or, unless they may `repeat`, equal to
 * it. Returns `count` if all ascend. `flip` is 0x80 for unsigned integers, else 0.
 */
export function integerDescent(data: usize, power: u32, flip: u32, repeat: bool, count: u32): u32 {
  const same = i8x16.splat(repeat ? 0 : -1);
  let i: u32 = 1;
  if (power == 3) {
    i = skipAscending(data, 3, i64x2.splat(<i64>flip << 56), same, i, count);
  } else if (power == 2) {
    i = skipAscending(data, 2, i32x4.splat(<i32>(flip << 24)), same, i, count);
  } else if (power == 1) {
    i = skipAscending(data, 1, i16x8.splat(<i16>(flip << 8)), same, i, count);
  } else {
    i = skipAscending(data, 0, i8x16.splat(<i8>flip), same, i, count);
  }
  let last: i64 = 0;
  for (let first = true; i < count; i++, first = false) {
    const at = data + (<usize>i << power);
    if (first) {
      last = ordered(at - (<usize>1 << power), power, flip);
    }
    const value = ordered(at, power, flip);
    if (value < last || (value == last && !repeat)) {
      return i;
    }
    last = value;
  }
  return count;
}

/** Number of bits set in `length` bytes, which are followed by zeros up to a whole vector. Processors count words faster than vectors. */
export function countOnes(at: usize, length: usize): u32 {
  let even: u64 = 0;
  let odd: u64 = 0;
  for (let i: usize = 0; i < length; i += 16) {
    even += popcnt(load<u64>(at + i));
    odd += popcnt(load<u64>(at + i, 8));
  }
  return <u32>(even + odd);
}

let minimum: u32 = 0;

// The first 8 bytes of a string as an integer; a shorter string ends in zeros. Reads up to 8 bytes past its end.
// @ts-expect-error: decorator
@inline
function startOf(at: usize, length: u32): u64 {
  const reversed = i8x16(7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  const start = <u64>i64x2.extract_lane(i8x16.swizzle(v128.load64_zero(at), reversed), 0);
  return length >= 8 ? start : length == 0 ? 0 : start & (<u64>-1 << ((8 - length) << 3));
}

/**
 * Index of the maximum of at least one string, or -1 for invalid offsets; `stringMinimum` then returns the index of the minimum. Reads up
 * to 8 bytes past the end.
 */
export function stringMaximum(data: usize, offsets: usize, dataEnd: u32, count: u32): i32 {
  let start = load<u32>(offsets);
  let low: u32 = 0;
  let high: u32 = 0;
  let lowAt = data + start;
  let highAt = lowAt;
  let lowLength: u32 = 0;
  let highLength: u32 = 0;
  // Nearly all strings differ from both in their first bytes.
  let lowStart: u64 = 0;
  let highStart: u64 = 0;
  for (let i: u32 = 0; i < count; i++) {
    const end = load<u32>(offsets + (<usize>i << 2), 4);
    if (end < start || end > dataEnd) {
      return -1;
    }
    const at = data + start;
    const length = end - start;
    const begin = startOf(at, length);
    if (i == 0) {
      lowLength = length;
      highLength = length;
      lowStart = begin;
      highStart = begin;
    } else if (begin > highStart || (begin == highStart && isBelow(highAt, highLength, at, length))) {
      high = i;
      highAt = at;
      highLength = length;
      highStart = begin;
    } else if (begin < lowStart || (begin == lowStart && isBelow(at, length, lowAt, lowLength))) {
      low = i;
      lowAt = at;
      lowLength = length;
      lowStart = begin;
    }
    start = end;
  }
  minimum = low;
  return <i32>high;
}

export function stringMinimum(): i32 {
  return <i32>minimum;
}
