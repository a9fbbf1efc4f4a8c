// Copies matches inside the output of a decoder. A match that overlaps its copy repeats its bytes. Whole vectors are written, up
// to 15 bytes past the end.

// @ts-expect-error: decorator
@inline
function fill(to: usize, end: usize, pattern: v128): void {
  do {
    v128.store(to, pattern);
    to += 16;
  } while (to < end);
}

// Copies the bytes `distance` before `to..end` there.
// @ts-expect-error: decorator
@inline
export function copyMatch(to: usize, end: usize, distance: usize): void {
  let match = to - distance;
  if (distance >= 16) {
    do {
      v128.store(to, v128.load(match));
      to += 16;
      match += 16;
    } while (to < end);
  } else if (distance == 1) {
    fill(to, end, i8x16.splat(load<u8>(match)));
  } else if (distance == 2) {
    fill(to, end, i16x8.splat(load<u16>(match)));
  } else if (distance == 4) {
    fill(to, end, i32x4.splat(load<u32>(match)));
  } else if (distance == 8) {
    fill(to, end, i64x2.splat(load<u64>(match)));
  } else if (distance > 8) {
    do {
      store<u64>(to, load<u64>(match));
      to += 8;
      match += 8;
    } while (to < end);
  } else {
    do {
      store<u8>(to++, load<u8>(match++));
    } while (to < end);
  }
}
