// Narrows 32-bit words to as few bytes as the largest of them requires; the inverse of `widen.ts`.

/** Writes `count` words (a multiple of 8) in 1, 2 or 4 bytes each to `dst`; returns that size. */
export function narrowWords(src: usize, count: usize, dst: usize): u32 {
  let all = i64x2.splat(0);
  const end = src + (count << 2);
  for (let at = src; at < end; at += 32) {
    all = v128.or(all, v128.or(v128.load(at), v128.load(at, 16)));
  }
  const both = i64x2.extract_lane(all, 0) | i64x2.extract_lane(all, 1);
  const bits = <u32>both | <u32>(both >>> 32);
  if (bits < 0x100) {
    for (let at = src; at < end; at += 32, dst += 8) {
      const halves = i16x8.narrow_i32x4_u(v128.load(at), v128.load(at, 16));
      store<u64>(dst, i64x2.extract_lane(i8x16.narrow_i16x8_u(halves, halves), 0));
    }
    return 1;
  }
  if (bits < 0x10000) {
    for (let at = src; at < end; at += 32, dst += 16) {
      v128.store(dst, i16x8.narrow_i32x4_u(v128.load(at), v128.load(at, 16)));
    }
    return 2;
  }
  memory.copy(dst, src, count << 2);
  return 4;
}
