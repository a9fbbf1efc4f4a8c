// Transposes 8 x 8 bit matrices, sixteen side by side in eight vectors: bit `b` of byte lane `l` in vector `n` becomes bit `n` of
// that lane in vector `b`. This is one step of the bit transposition, and its own inverse.
//
// A row of bits is a vector with one bit of each of 128 elements. Elements 8 l to 8 l + 7 have theirs in lane `l`. The eight rows
// of an element byte are transposed to eight vectors, in which lane `l` of vector `n` is that byte of element `8 l + n`. These
// vectors are interleaved to a plane: that byte of all 128 elements in order.

// @ts-expect-error: decorator
@inline
export function lowBytes(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

// @ts-expect-error: decorator
@inline
export function highBytes(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

// @ts-expect-error: decorator
@inline
export function lowHalves(a: v128, b: v128): v128 {
  return i16x8.shuffle(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

// @ts-expect-error: decorator
@inline
export function highHalves(a: v128, b: v128): v128 {
  return i16x8.shuffle(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

// @ts-expect-error: decorator
@inline
export function lowWords(a: v128, b: v128): v128 {
  return i32x4.shuffle(a, b, 0, 4, 1, 5);
}

// @ts-expect-error: decorator
@inline
export function highWords(a: v128, b: v128): v128 {
  return i32x4.shuffle(a, b, 2, 6, 3, 7);
}

// The differences between the bits of `a` and `b` that are swapped: those of `a` under the mask shifted up, those of `b` under it.
// @ts-expect-error: decorator
@inline
function swapped(a: v128, b: v128, shift: i32, mask: v128): v128 {
  return v128.and(v128.xor(i16x8.shr_u(a, shift), b), mask);
}

// Transposes the vectors at `from`, `from + step` and so on to `to`, `to + toStep` and so on.
function transpose(from: usize, step: usize, to: usize, toStep: usize): void {
  let a = v128.load(from);
  let b = v128.load(from + step);
  let c = v128.load(from + 2 * step);
  let d = v128.load(from + 3 * step);
  let e = v128.load(from + 4 * step);
  let f = v128.load(from + 5 * step);
  let g = v128.load(from + 6 * step);
  let h = v128.load(from + 7 * step);
  let mask = i8x16.splat(0x0f);
  let swap = swapped(a, e, 4, mask);
  e = v128.xor(e, swap);
  a = v128.xor(a, i16x8.shl(swap, 4));
  swap = swapped(b, f, 4, mask);
  f = v128.xor(f, swap);
  b = v128.xor(b, i16x8.shl(swap, 4));
  swap = swapped(c, g, 4, mask);
  g = v128.xor(g, swap);
  c = v128.xor(c, i16x8.shl(swap, 4));
  swap = swapped(d, h, 4, mask);
  h = v128.xor(h, swap);
  d = v128.xor(d, i16x8.shl(swap, 4));
  mask = i8x16.splat(0x33);
  swap = swapped(a, c, 2, mask);
  c = v128.xor(c, swap);
  a = v128.xor(a, i16x8.shl(swap, 2));
  swap = swapped(b, d, 2, mask);
  d = v128.xor(d, swap);
  b = v128.xor(b, i16x8.shl(swap, 2));
  swap = swapped(e, g, 2, mask);
  g = v128.xor(g, swap);
  e = v128.xor(e, i16x8.shl(swap, 2));
  swap = swapped(f, h, 2, mask);
  h = v128.xor(h, swap);
  f = v128.xor(f, i16x8.shl(swap, 2));
  mask = i8x16.splat(0x55);
  swap = swapped(a, b, 1, mask);
  v128.store(to, v128.xor(a, i16x8.shl(swap, 1)));
  v128.store(to + toStep, v128.xor(b, swap));
  swap = swapped(c, d, 1, mask);
  v128.store(to + 2 * toStep, v128.xor(c, i16x8.shl(swap, 1)));
  v128.store(to + 3 * toStep, v128.xor(d, swap));
  swap = swapped(e, f, 1, mask);
  v128.store(to + 4 * toStep, v128.xor(e, i16x8.shl(swap, 1)));
  v128.store(to + 5 * toStep, v128.xor(f, swap));
  swap = swapped(g, h, 1, mask);
  v128.store(to + 6 * toStep, v128.xor(g, i16x8.shl(swap, 1)));
  v128.store(to + 7 * toStep, v128.xor(h, swap));
}

/** Interleaves the bytes of eight vectors, at `from`, `from + step` and so on, to 128 bytes at `to`. */
export function interleaveEight(from: usize, step: usize, to: usize): void {
  const a = v128.load(from);
  const b = v128.load(from + step);
  const c = v128.load(from + 2 * step);
  const d = v128.load(from + 3 * step);
  const e = v128.load(from + 4 * step);
  const f = v128.load(from + 5 * step);
  const g = v128.load(from + 6 * step);
  const h = v128.load(from + 7 * step);
  let ab = lowBytes(a, b);
  let cd = lowBytes(c, d);
  let ef = lowBytes(e, f);
  let gh = lowBytes(g, h);
  v128.store(to, lowWords(lowHalves(ab, cd), lowHalves(ef, gh)));
  v128.store(to, highWords(lowHalves(ab, cd), lowHalves(ef, gh)), 16);
  v128.store(to, lowWords(highHalves(ab, cd), highHalves(ef, gh)), 32);
  v128.store(to, highWords(highHalves(ab, cd), highHalves(ef, gh)), 48);
  ab = highBytes(a, b);
  cd = highBytes(c, d);
  ef = highBytes(e, f);
  gh = highBytes(g, h);
  v128.store(to, lowWords(lowHalves(ab, cd), lowHalves(ef, gh)), 64);
  v128.store(to, highWords(lowHalves(ab, cd), lowHalves(ef, gh)), 80);
  v128.store(to, lowWords(highHalves(ab, cd), highHalves(ef, gh)), 96);
  v128.store(to, highWords(highHalves(ab, cd), highHalves(ef, gh)), 112);
}

// Eight transposed vectors.
const TRANSPOSED: usize = memory.data(128, 16);

/** The plane (128 bytes) of the eight rows at `rows`, `rows + step` and so on, 16 bytes of each. */
export function rowsToPlane(rows: usize, step: usize, plane: usize): void {
  // Most integers are small, so their high bytes are zero.
  let any = v128.or(v128.load(rows), v128.load(rows + step));
  for (let row: usize = 2; row < 8; row++) {
    any = v128.or(any, v128.load(rows + row * step));
  }
  if (!v128.any_true(any)) {
    for (let at: usize = 0; at < 128; at += 16) {
      v128.store(plane + at, any);
    }
    return;
  }
  transpose(rows, step, TRANSPOSED, 16);
  interleaveEight(TRANSPOSED, 16, plane);
}

/**
 * Transposes 16 groups of eight bytes at `from` to eight rows of 16 bytes at `to`, `to + step` and so on: row `k` is byte `k` of all groups.
 * Each of four rounds interleaves the first half of the bytes with the second.
 */
export function gatherEight(from: usize, to: usize, step: usize): void {
  const a = v128.load(from);
  const b = v128.load(from, 16);
  const c = v128.load(from, 32);
  const d = v128.load(from, 48);
  const e = v128.load(from, 64);
  const f = v128.load(from, 80);
  const g = v128.load(from, 96);
  const h = v128.load(from, 112);
  let ae = lowBytes(a, e);
  let bf = lowBytes(b, f);
  let cg = lowBytes(c, g);
  let dh = lowBytes(d, h);
  const first = lowBytes(ae, cg);
  const second = highBytes(ae, cg);
  const fifth = lowBytes(bf, dh);
  const sixth = highBytes(bf, dh);
  ae = highBytes(a, e);
  bf = highBytes(b, f);
  cg = highBytes(c, g);
  dh = highBytes(d, h);
  const third = lowBytes(ae, cg);
  const fourth = highBytes(ae, cg);
  const seventh = lowBytes(bf, dh);
  const eighth = highBytes(bf, dh);
  let odd = lowBytes(first, fifth);
  let even = lowBytes(third, seventh);
  v128.store(to, lowBytes(odd, even));
  v128.store(to + step, highBytes(odd, even));
  odd = highBytes(first, fifth);
  even = highBytes(third, seventh);
  v128.store(to + 2 * step, lowBytes(odd, even));
  v128.store(to + 3 * step, highBytes(odd, even));
  odd = lowBytes(second, sixth);
  even = lowBytes(fourth, eighth);
  v128.store(to + 4 * step, lowBytes(odd, even));
  v128.store(to + 5 * step, highBytes(odd, even));
  odd = highBytes(second, sixth);
  even = highBytes(fourth, eighth);
  v128.store(to + 6 * step, lowBytes(odd, even));
  v128.store(to + 7 * step, highBytes(odd, even));
}

// Writes the same vector to eight rows.
// @ts-expect-error: decorator
@inline
function storeRows(rows: usize, step: usize, row: v128): void {
  for (let i: usize = 0; i < 8; i++) {
    v128.store(rows + i * step, row);
  }
}

const SPREAD: usize = memory.data(128, 16);

/** The inverse of `rowsToPlane`. */
export function planeToRows(plane: usize, rows: usize, step: usize): void {
  // Most integers are small, so their high bytes are zero or all ones.
  let any = v128.load(plane);
  let all = any;
  for (let at: usize = 16; at < 128; at += 16) {
    const next = v128.load(plane + at);
    any = v128.or(any, next);
    all = v128.and(all, next);
  }
  if (!v128.any_true(any)) {
    storeRows(rows, step, any);
    return;
  }
  if (!v128.any_true(v128.not(all))) {
    storeRows(rows, step, all);
    return;
  }
  gatherEight(plane, SPREAD, 16);
  transpose(SPREAD, 16, rows, step);
}
