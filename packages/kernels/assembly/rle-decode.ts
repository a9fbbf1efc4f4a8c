// Decodes RLE streams (docs/spec/cfile.md#18-rle-stream): runs, each after a varint header. A repeated run (lowest bit 0) has one
// value in whole bytes; a literal run (lowest bit 1) has groups of eight packed values, and the last group may be incomplete.
import { readVarint, varint } from "./varint";

// The run that `nextRun` opened: number of values, address of their bytes, and whether they are repeated.
let runLength: u32 = 0;
let runBody: usize = 0;
let isRepeated = false;

// Opens the run at `at`; returns the address of the next one, or 0 if the run is invalid.
function nextRun(at: usize, end: usize, width: u32): usize {
  if (at >= end) {
    return 0;
  }
  // Most headers are one byte.
  let header = <u32>load<u8>(at);
  if (header < 0x80) {
    at++;
  } else {
    at = readVarint(at, end);
    header = varint;
  }
  if (at == 0 || header - 2 > 0x7ffffffd) {
    return 0;
  }
  runBody = at;
  isRepeated = (header & 1) == 0;
  const length = header >>> 1;
  if (isRepeated) {
    const size: usize = (width + 7) >>> 3;
    if (end - at < size || (width == 1 && load<u8>(at) > 1)) {
      return 0;
    }
    runLength = length;
    return at + size;
  }
  let values = <u64>length << 3;
  let size = <u64>length * width;
  const available = <u64>(end - at);
  if (size > available) {
    // At most seven values of the last group may be missing.
    size = available;
    const held = (available << 3) / width;
    if (held + 7 < values) {
      return 0;
    }
    values = held;
  }
  runLength = <u32>values;
  return at + <usize>size;
}

// The number of values that `rleLastRun` reached in the last run.
let reached: u32 = 0;

/**
 * The address of the run with the last of `count` values of `width` bits, after `skipped` values of the first run at `at`; 0 if
 * the stream, which ends at `end`, has fewer values or invalid runs. `rleReached` is the position of the end within that run.
 */
export function rleLastRun(at: usize, end: usize, width: u32, skipped: u32, count: u32): usize {
  let left = <u64>count + skipped;
  let run = at;
  let length: u32 = 0;
  while (left > length) {
    left -= length;
    run = at;
    at = nextRun(at, end, width);
    if (at == 0 || (length == 0 && runLength < skipped)) {
      return 0;
    }
    length = runLength;
  }
  reached = <u32>left;
  return run;
}

export function rleReached(): u32 {
  return reached;
}

/**
 * Writes `count` values of 8, 16, 32 or 64 bits to `dst`, and up to 15 bytes past the end, or a bitmap of `count` bits, after
 * skipping `skipped` values of the first run. The runs must be valid (`rleLastRun`).
 */
export function rleValues(at: usize, end: usize, width: u32, skipped: u32, count: u32, dst: usize): void {
  if (width == 1) {
    rleBits(at, end, skipped, count, dst);
    return;
  }
  const size: usize = width >>> 3;
  const dstEnd = dst + <usize>count * size;
  while (dst < dstEnd) {
    at = nextRun(at, end, width);
    const to = min(dstEnd, dst + <usize>(runLength - skipped) * size);
    if (!isRepeated) {
      memory.copy(dst, runBody + skipped * size, to - dst);
    } else {
      let value: v128;
      if (width == 64) {
        value = v128.load64_splat(runBody);
      } else if (width == 32) {
        value = v128.load32_splat(runBody);
      } else if (width == 16) {
        value = v128.load16_splat(runBody);
      } else {
        value = v128.load8_splat(runBody);
      }
      for (; dst < to; dst += 16) {
        v128.store(dst, value);
      }
    }
    dst = to;
    skipped = 0;
  }
}

// Writes `count` bits to the bitmap at `dst`, and zeros to the rest of the last byte.
function rleBits(at: usize, end: usize, skipped: u32, count: u32, dst: usize): void {
  // Bits that have not been written yet, lowest first.
  let pending: u64 = 0;
  let bits: u32 = 0;
  let left = count;
  while (left > 0) {
    at = nextRun(at, end, 1);
    let run = min(left, runLength - skipped);
    left -= run;
    if (isRepeated) {
      const one = load<u8>(runBody) != 0;
      if (bits > 0) {
        const rest = min(run, 8 - bits);
        pending |= one ? <u64>((1 << rest) - 1) << bits : 0;
        bits += rest;
        run -= rest;
        if (bits == 8) {
          store<u8>(dst++, <u8>pending);
          pending = 0;
          bits = 0;
        }
      }
      if (run > 0) {
        memory.fill(dst, one ? 0xff : 0, run >>> 3);
        dst += run >>> 3;
        bits = run & 7;
        pending = one ? <u64>((1 << bits) - 1) : 0;
      }
    } else {
      let from = runBody + (skipped >>> 3);
      const shift = <u64>(skipped & 7);
      for (; run > 0; from += 4) {
        const taken = min(run, 32);
        run -= taken;
        pending |= ((load<u64>(from) >>> shift) & ((<u64>1 << taken) - 1)) << bits;
        bits += taken;
        store<u64>(dst, pending);
        dst += bits >>> 3;
        pending >>>= bits & 0x38;
        bits &= 7;
      }
    }
    skipped = 0;
  }
  if (bits > 0) {
    store<u8>(dst, <u8>pending);
  }
}
