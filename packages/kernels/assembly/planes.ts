// Converts planes to elements and back. A plane is 128 bytes: one byte of each of 128 elements of two bytes or more. Each direction
// interleaves in rounds: planes to elements, single bytes, then units of 2, 4 and 8 bytes; elements to planes, the first half of
// the bytes with the second half.
import { gatherEight, highBytes, highHalves, interleaveEight, lowBytes, lowHalves } from "./bit-matrices";

// @ts-expect-error: decorator
@inline
function lowLongs(a: v128, b: v128): v128 {
  return i64x2.shuffle(a, b, 0, 2);
}

// @ts-expect-error: decorator
@inline
function highLongs(a: v128, b: v128): v128 {
  return i64x2.shuffle(a, b, 1, 3);
}

// Upper halves of elements of 16 bytes.
const UPPER: usize = memory.data(128, 16);

/** Writes the 128 elements of `size` planes, `128 * size` bytes. */
export function planesToElements(planes: usize, elements: usize, size: usize): void {
  for (let lane: usize = 0; lane < 128; lane += 16) {
    const at = planes + lane;
    const to = elements + lane * size;
    if (size == 2) {
      const a = v128.load(at);
      const b = v128.load(at, 128);
      v128.store(to, lowBytes(a, b));
      v128.store(to, highBytes(a, b), 16);
    } else if (size == 4) {
      const a = v128.load(at);
      const b = v128.load(at, 128);
      const c = v128.load(at, 256);
      const d = v128.load(at, 384);
      const ab = lowBytes(a, b);
      const cd = lowBytes(c, d);
      const abHigh = highBytes(a, b);
      const cdHigh = highBytes(c, d);
      v128.store(to, lowHalves(ab, cd));
      v128.store(to, highHalves(ab, cd), 16);
      v128.store(to, lowHalves(abHigh, cdHigh), 32);
      v128.store(to, highHalves(abHigh, cdHigh), 48);
    } else if (size == 8) {
      interleaveEight(at, 128, to);
    } else {
      interleaveEight(at, 128, to);
      interleaveEight(at + 1024, 128, UPPER);
      // The low longs are in the memory of the elements: start at the end, so that each is read before it is overwritten.
      for (let i: usize = 128; i > 0; i -= 16) {
        const low = v128.load(to + i - 16);
        const high = v128.load(UPPER + i - 16);
        v128.store(to + 2 * i - 16, highLongs(low, high));
        v128.store(to + 2 * i - 32, lowLongs(low, high));
      }
    }
  }
}

// The lower and the upper halves of 16 elements of 16 bytes.
const HALVES: usize = memory.data(256, 16);

/** The inverse of `planesToElements`. */
export function elementsToPlanes(elements: usize, planes: usize, size: usize): void {
  // Sixteen elements at a time: after four rounds each vector has one byte of all of them.
  for (let lane: usize = 0; lane < 128; lane += 16) {
    const at = elements + lane * size;
    const to = planes + lane;
    if (size == 2) {
      let a = v128.load(at);
      let b = v128.load(at, 16);
      for (let round = 0; round < 4; round++) {
        const low = lowBytes(a, b);
        b = highBytes(a, b);
        a = low;
      }
      v128.store(to, a);
      v128.store(to, b, 128);
    } else if (size == 4) {
      let a = v128.load(at);
      let b = v128.load(at, 16);
      let c = v128.load(at, 32);
      let d = v128.load(at, 48);
      for (let round = 0; round < 2; round++) {
        const ac = lowBytes(a, c);
        const acHigh = highBytes(a, c);
        const bd = lowBytes(b, d);
        const bdHigh = highBytes(b, d);
        a = lowBytes(ac, bd);
        b = highBytes(ac, bd);
        c = lowBytes(acHigh, bdHigh);
        d = highBytes(acHigh, bdHigh);
      }
      v128.store(to, a);
      v128.store(to, b, 128);
      v128.store(to, c, 256);
      v128.store(to, d, 384);
    } else if (size == 8) {
      gatherEight(at, to, 128);
    } else {
      for (let i: usize = 0; i < 128; i += 16) {
        const a = v128.load(at + 2 * i);
        const b = v128.load(at + 2 * i + 16);
        v128.store(HALVES + i, lowLongs(a, b));
        v128.store(HALVES + i, highLongs(a, b), 128);
      }
      gatherEight(HALVES, to, 128);
      gatherEight(HALVES + 128, to + 1024, 128);
    }
  }
}
