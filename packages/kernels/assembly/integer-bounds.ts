// Finds the minimum and maximum of integers, and checks whether bytes are ASCII.

/** Minimum and maximum of the last call: two 64-bit integers, signed or unsigned as requested. */
const BOUNDS: usize = memory.data(16, 16);
const LANES: usize = memory.data(32, 16);

// @ts-expect-error: decorator
@inline
function valueAt(at: usize, power: u32, isUnsigned: bool): i64 {
  if (power == 3) {
    return load<i64>(at);
  }
  if (power == 2) {
    return isUnsigned ? <i64>load<u32>(at) : <i64>load<i32>(at);
  }
  if (power == 1) {
    return isUnsigned ? <i64>load<u16>(at) : <i64>load<i16>(at);
  }
  return isUnsigned ? <i64>load<u8>(at) : <i64>load<i8>(at);
}

// Stores the minimum and maximum of each lane of whole vectors in `LANES`.
function laneBounds(at: usize, length: usize, power: u32, isUnsigned: bool): void {
  let minimum = v128.load(at);
  let maximum = minimum;
  const end = at + length;
  if (power == 3) {
    const sign = i64x2.splat(isUnsigned ? i64.MIN_VALUE : 0);
    minimum = v128.xor(minimum, sign);
    maximum = minimum;
    for (; at < end; at += 16) {
      const values = v128.xor(v128.load(at), sign);
      minimum = v128.bitselect(values, minimum, i64x2.lt_s(values, minimum));
      maximum = v128.bitselect(values, maximum, i64x2.gt_s(values, maximum));
    }
    minimum = v128.xor(minimum, sign);
    maximum = v128.xor(maximum, sign);
  } else if (power == 2) {
    for (; at < end; at += 16) {
      const values = v128.load(at);
      minimum = isUnsigned ? i32x4.min_u(minimum, values) : i32x4.min_s(minimum, values);
      maximum = isUnsigned ? i32x4.max_u(maximum, values) : i32x4.max_s(maximum, values);
    }
  } else if (power == 1) {
    for (; at < end; at += 16) {
      const values = v128.load(at);
      minimum = isUnsigned ? i16x8.min_u(minimum, values) : i16x8.min_s(minimum, values);
      maximum = isUnsigned ? i16x8.max_u(maximum, values) : i16x8.max_s(maximum, values);
    }
  } else {
    for (; at < end; at += 16) {
      const values = v128.load(at);
      minimum = isUnsigned ? i8x16.min_u(minimum, values) : i8x16.min_s(minimum, values);
      maximum = isUnsigned ? i8x16.max_u(maximum, values) : i8x16.max_s(maximum, values);
    }
  }
  v128.store(LANES, minimum);
  v128.store(LANES, maximum, 16);
}

/** Computes the bounds of `count` integers (at least one) of `1 << power` bytes, and returns their address. */
export function integerBounds(at: usize, power: u32, isUnsigned: bool, count: usize): usize {
  const width: usize = 1 << power;
  const end = at + count * width;
  let minimum = valueAt(at, power, isUnsigned);
  let maximum = minimum;
  const sign: i64 = isUnsigned ? i64.MIN_VALUE : 0;
  const whole = (count * width) & ~15;
  if (whole > 0) {
    laneBounds(at, whole, power, isUnsigned);
    for (let lane: usize = 0; lane < 16; lane += width) {
      const low = valueAt(LANES + lane, power, isUnsigned);
      const high = valueAt(LANES + lane + 16, power, isUnsigned);
      minimum = (low ^ sign) < (minimum ^ sign) ? low : minimum;
      maximum = (high ^ sign) > (maximum ^ sign) ? high : maximum;
    }
  }
  for (let place = at + whole; place < end; place += width) {
    const value = valueAt(place, power, isUnsigned);
    minimum = (value ^ sign) < (minimum ^ sign) ? value : minimum;
    maximum = (value ^ sign) > (maximum ^ sign) ? value : maximum;
  }
  store<i64>(BOUNDS, minimum);
  store<i64>(BOUNDS, maximum, 8);
  return BOUNDS;
}

/** Whether all of `length` bytes are at most 127. Up to 15 more bytes are also checked, and must be zeros. */
export function isAscii(at: usize, length: usize): bool {
  let bits = i8x16.splat(0);
  for (const end = at + length; at < end; at += 16) {
    bits = v128.or(bits, v128.load(at));
  }
  return i8x16.bitmask(bits) == 0;
}
