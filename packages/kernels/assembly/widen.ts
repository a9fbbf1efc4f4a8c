// Widens codewords of a dictionary, stored in 1, 2 or 4 bytes, to 32-bit words.

/** Writes `count` codewords (a multiple of 8) of `size` bytes to `dst`; returns the largest. */
export function widenCodes(src: usize, count: usize, size: usize, dst: usize): u32 {
  let maxima = i32x4.splat(0);
  const end = dst + (count << 2);
  if (size == 1) {
    for (; dst < end; dst += 32, src += 8) {
      const halves = i16x8.extend_low_i8x16_u(v128.load64_zero(src));
      const low = i32x4.extend_low_i16x8_u(halves);
      const high = i32x4.extend_high_i16x8_u(halves);
      maxima = i32x4.max_u(maxima, i32x4.max_u(low, high));
      v128.store(dst, low);
      v128.store(dst, high, 16);
    }
  } else if (size == 2) {
    for (; dst < end; dst += 32, src += 16) {
      const halves = v128.load(src);
      const low = i32x4.extend_low_i16x8_u(halves);
      const high = i32x4.extend_high_i16x8_u(halves);
      maxima = i32x4.max_u(maxima, i32x4.max_u(low, high));
      v128.store(dst, low);
      v128.store(dst, high, 16);
    }
  } else {
    for (; dst < end; dst += 16, src += 16) {
      const words = v128.load(src);
      maxima = i32x4.max_u(maxima, words);
      v128.store(dst, words);
    }
  }
  const left = max(<u32>i32x4.extract_lane(maxima, 0), <u32>i32x4.extract_lane(maxima, 1));
  return max(left, max(<u32>i32x4.extract_lane(maxima, 2), <u32>i32x4.extract_lane(maxima, 3)));
}
