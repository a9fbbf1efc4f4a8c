// Planes (128 bytes each, one byte of 128 elements) to elements and back: a transposition of bytes, done in stages that
// interleave pairs: of bytes, of 2 bytes, of 4, of 8.
import { evenBytes, highBytes, highHalves, interleaveEight, lowBytes, lowHalves, oddBytes } from "./bit-matrices";

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
    if (size == 1) {
      v128.store(to, v128.load(at));
    } else if (size == 2) {
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
      // The low longs are where the elements will be; from the last on, so that none is overwritten before it is read.
      for (let i: usize = 128; i > 0; i -= 16) {
        const low = v128.load(to + i - 16);
        const high = v128.load(UPPER + i - 16);
        v128.store(to + 2 * i - 16, highLongs(low, high));
        v128.store(to + 2 * i - 32, lowLongs(low, high));
      }
    }
  }
}

const PAIRS: usize = memory.data(2048, 16);

/** The inverse of `planesToElements`. Halves the elements, bytes at even places and at odd ones, until planes are left. */
export function elementsToPlanes(elements: usize, planes: usize, size: usize): void {
  if (size == 1) {
    memory.copy(planes, elements, 128);
    return;
  }
  // After a stage, run `r` of a length of bytes holds the bytes whose number ends in the bits of r, lowest bit first.
  let from = elements;
  let length: usize = 128 * size;
  let runs: usize = 1;
  let to = planes;
  for (let width = size; width > 1; width >>= 1) {
    to = width == 2 ? planes : from == PAIRS ? planes : PAIRS;
    if (to == from) {
      memory.copy(PAIRS, from, 128 * size);
      from = PAIRS;
    }
    const half: usize = length >> 1;
    for (let run: usize = 0; run < runs; run++) {
      const source = from + run * length;
      // Bytes of number `run` are split into `run` and `run + runs`; planes stay in the order of their numbers.
      const even = to + run * half;
      const odd = to + (run + runs) * half;
      for (let i: usize = 0; i < half; i += 16) {
        const a = v128.load(source + 2 * i);
        const b = v128.load(source + 2 * i + 16);
        v128.store(even + i, evenBytes(a, b));
        v128.store(odd + i, oddBytes(a, b));
      }
    }
    runs <<= 1;
    length = half;
    from = to;
  }
}
