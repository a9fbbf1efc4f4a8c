// CRC-32C (Castagnoli) and the CRC-32 of zlib, which differ only in their polynomials. Long input is processed in chunks of 16
// consecutive strips of 512 bytes. Four vectors hold one byte each of the strips' states: lane i belongs to strip i. A step
// feeds one byte to every strip,
//
//   state = (state >> 8) ^ T[(state ^ byte) & 255]   with   T[x] = T[x & 15] ^ T[x & 240]
//
// so that tables of 16 entries suffice, and one swizzle looks up the entries of all strips. At the end of a chunk, the states are
// joined: the state after a strip is advanced over the 512 bytes of the next one. The rest of the input is processed by slicing
// by 16, in 64-bit words.
import { highBytes, lowBytes } from "./bit-matrices";

const SLICES: u32 = 16;
const STRIP: usize = 512;
const STRIPS: usize = 16;
const CHUNK: usize = STRIP * STRIPS;
/** Size of the tables of a polynomial. At k KiB, 256 words advance a byte over k following zero bytes. */
const TABLE_BYTES: usize = 16384 + 4096 + 128;
/** From here on, 256 words at k KiB advance byte k of a state over a strip of zeros. */
const STRIP_TABLES: usize = 16384;
/** From here on, 32 bytes at 32 k are byte k of T[x], for the 16 values of the low half and of the high half of x. */
const HALVES: usize = 16384 + 4096;
const CASTAGNOLI: usize = memory.data(TABLE_BYTES, 16);
const ZLIB: usize = memory.data(TABLE_BYTES, 16);
/** 16 bytes of each of 16 strips, partly transposed. */
const SQUARE: usize = memory.data(256, 16);
const STATES: usize = memory.data(64, 16);

let hasCastagnoli = false;
let hasZlib = false;

function build(tables: usize, polynomial: u32): void {
  for (let byte: u32 = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) {
      crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1;
    }
    store<u32>(tables + (byte << 2), crc);
  }
  for (let i: u32 = 256; i < SLICES * 256; i++) {
    const previous = load<u32>(tables + ((i - 256) << 2));
    store<u32>(tables + (i << 2), (previous >>> 8) ^ load<u32>(tables + ((previous & 255) << 2)));
  }
  for (let k: u32 = 0; k < 4; k++) {
    for (let half: u32 = 0; half < 16; half++) {
      store<u8>(tables + HALVES + 32 * k + half, <u8>(load<u32>(tables + (half << 2)) >>> (8 * k)));
      store<u8>(tables + HALVES + 32 * k + 16 + half, <u8>(load<u32>(tables + (half << 6)) >>> (8 * k)));
    }
    const table = tables + STRIP_TABLES + (k << 10);
    store<u32>(table, 0);
    for (let bit: u32 = 0; bit < 8; bit++) {
      let crc: u32 = 1 << (8 * k + bit);
      for (let i: usize = 0; i < STRIP; i++) {
        crc = (crc >>> 8) ^ load<u32>(tables + ((crc & 255) << 2));
      }
      // The entry of a byte is the sum of the entries of its bits.
      for (let byte: u32 = 0; byte < <u32>1 << bit; byte++) {
        store<u32>(table + (((1 << bit) + byte) << 2), crc ^ load<u32>(table + (byte << 2)));
      }
    }
  }
}

// The table entry for the byte of `word` at `shift`.
// @ts-expect-error: decorator
@inline
function entry(tables: usize, slice: u32, word: u64, shift: u64): u32 {
  return load<u32>(tables + <usize>(slice << 10) + ((<usize>(word >> shift) & 255) << 2));
}

// @ts-expect-error: decorator
@inline
function stripEntry(tables: usize, k: u32, state: u32): u32 {
  return load<u32>(tables + STRIP_TABLES + <usize>(k << 10) + ((<usize>(state >>> (8 * k)) & 255) << 2));
}

// Two of the four rounds that transpose the square: vectors i, i + 4, i + 8 and i + 12 become vectors 4 i to 4 i + 3.
// @ts-expect-error: decorator
@inline
function halfTransposed(a: v128, b: v128, c: v128, d: v128, to: usize): void {
  const ac = lowBytes(a, c);
  const acHigh = highBytes(a, c);
  const bd = lowBytes(b, d);
  const bdHigh = highBytes(b, d);
  v128.store(to, lowBytes(ac, bd));
  v128.store(to, highBytes(ac, bd), 16);
  v128.store(to, lowBytes(acHigh, bdHigh), 32);
  v128.store(to, highBytes(acHigh, bdHigh), 48);
}

/** The state after a chunk. */
function chunk(tables: usize, start: usize, state: u32): u32 {
  const mask = i8x16.splat(15);
  const low0 = v128.load(tables + HALVES);
  const high0 = v128.load(tables + HALVES, 16);
  const low1 = v128.load(tables + HALVES, 32);
  const high1 = v128.load(tables + HALVES, 48);
  const low2 = v128.load(tables + HALVES, 64);
  const high2 = v128.load(tables + HALVES, 80);
  const low3 = v128.load(tables + HALVES, 96);
  const high3 = v128.load(tables + HALVES, 112);
  // The first strip continues from the previous state; the others start from 0.
  let s0 = i8x16.replace_lane(i8x16.splat(0), 0, <i8>state);
  let s1 = i8x16.replace_lane(i8x16.splat(0), 0, <i8>(state >>> 8));
  let s2 = i8x16.replace_lane(i8x16.splat(0), 0, <i8>(state >>> 16));
  let s3 = i8x16.replace_lane(i8x16.splat(0), 0, <i8>(state >>> 24));
  for (let at: usize = start; at < start + STRIP; at += 16) {
    for (let i: usize = 0; i < 4; i++) {
      const from = at + i * STRIP;
      halfTransposed(
        v128.load(from),
        v128.load(from, 4 * STRIP),
        v128.load(from, 8 * STRIP),
        v128.load(from, 12 * STRIP),
        SQUARE + 64 * i,
      );
    }
    for (let i: usize = 0; i < 64; i += 16) {
      const a = v128.load(SQUARE + i);
      const b = v128.load(SQUARE + i, 64);
      const c = v128.load(SQUARE + i, 128);
      const d = v128.load(SQUARE + i, 192);
      const ac = lowBytes(a, c);
      const bd = lowBytes(b, d);
      // Four unrolled steps: the states stay in registers, and no function could return all four.
      let x = v128.xor(s0, lowBytes(ac, bd));
      let low = v128.and(x, mask);
      let high = v128.and(i16x8.shr_u(x, 4), mask);
      s0 = v128.xor(s1, v128.xor(i8x16.swizzle(low0, low), i8x16.swizzle(high0, high)));
      s1 = v128.xor(s2, v128.xor(i8x16.swizzle(low1, low), i8x16.swizzle(high1, high)));
      s2 = v128.xor(s3, v128.xor(i8x16.swizzle(low2, low), i8x16.swizzle(high2, high)));
      s3 = v128.xor(i8x16.swizzle(low3, low), i8x16.swizzle(high3, high));

      x = v128.xor(s0, highBytes(ac, bd));
      low = v128.and(x, mask);
      high = v128.and(i16x8.shr_u(x, 4), mask);
      s0 = v128.xor(s1, v128.xor(i8x16.swizzle(low0, low), i8x16.swizzle(high0, high)));
      s1 = v128.xor(s2, v128.xor(i8x16.swizzle(low1, low), i8x16.swizzle(high1, high)));
      s2 = v128.xor(s3, v128.xor(i8x16.swizzle(low2, low), i8x16.swizzle(high2, high)));
      s3 = v128.xor(i8x16.swizzle(low3, low), i8x16.swizzle(high3, high));

      const acHigh = highBytes(a, c);
      const bdHigh = highBytes(b, d);
      x = v128.xor(s0, lowBytes(acHigh, bdHigh));
      low = v128.and(x, mask);
      high = v128.and(i16x8.shr_u(x, 4), mask);
      s0 = v128.xor(s1, v128.xor(i8x16.swizzle(low0, low), i8x16.swizzle(high0, high)));
      s1 = v128.xor(s2, v128.xor(i8x16.swizzle(low1, low), i8x16.swizzle(high1, high)));
      s2 = v128.xor(s3, v128.xor(i8x16.swizzle(low2, low), i8x16.swizzle(high2, high)));
      s3 = v128.xor(i8x16.swizzle(low3, low), i8x16.swizzle(high3, high));

      x = v128.xor(s0, highBytes(acHigh, bdHigh));
      low = v128.and(x, mask);
      high = v128.and(i16x8.shr_u(x, 4), mask);
      s0 = v128.xor(s1, v128.xor(i8x16.swizzle(low0, low), i8x16.swizzle(high0, high)));
      s1 = v128.xor(s2, v128.xor(i8x16.swizzle(low1, low), i8x16.swizzle(high1, high)));
      s2 = v128.xor(s3, v128.xor(i8x16.swizzle(low2, low), i8x16.swizzle(high2, high)));
      s3 = v128.xor(i8x16.swizzle(low3, low), i8x16.swizzle(high3, high));
    }
  }
  v128.store(STATES, s0);
  v128.store(STATES, s1, 16);
  v128.store(STATES, s2, 32);
  v128.store(STATES, s3, 48);
  let joined: u32 = 0;
  for (let strip: usize = 0; strip < STRIPS; strip++) {
    const at = STATES + strip;
    const own =
      <u32>load<u8>(at) |
      (<u32>load<u8>(at, 16) << 8) |
      (<u32>load<u8>(at, 32) << 16) |
      (<u32>load<u8>(at, 48) << 24);
    joined =
      own ^ stripEntry(tables, 0, joined) ^ stripEntry(tables, 1, joined) ^ stripEntry(tables, 2, joined) ^ stripEntry(tables, 3, joined);
  }
  return joined;
}

/** The CRC-32C of `length` bytes at `start`, continuing from the checksum `previous`. */
export function crc32c(start: usize, length: usize, previous: u32): u32 {
  if (!hasCastagnoli) {
    build(CASTAGNOLI, 0x82f63b78);
    hasCastagnoli = true;
  }
  return checksum(CASTAGNOLI, start, length, previous);
}

/** The CRC-32 of zlib of `length` bytes at `start`, continuing from the checksum `previous`. */
export function crc32(start: usize, length: usize, previous: u32): u32 {
  if (!hasZlib) {
    build(ZLIB, 0xedb88320);
    hasZlib = true;
  }
  return checksum(ZLIB, start, length, previous);
}

function checksum(tables: usize, start: usize, length: usize, previous: u32): u32 {
  let crc = ~previous;
  let at = start;
  const end = start + length;
  for (; at + CHUNK <= end; at += CHUNK) {
    crc = chunk(tables, at, crc);
  }
  for (; at + 16 <= end; at += 16) {
    const low = load<u64>(at) ^ <u64>crc;
    const high = load<u64>(at, 8);
    crc =
      entry(tables, 7, high, 0) ^
      entry(tables, 6, high, 8) ^
      entry(tables, 5, high, 16) ^
      entry(tables, 4, high, 24) ^
      (entry(tables, 3, high, 32) ^ entry(tables, 2, high, 40) ^ entry(tables, 1, high, 48) ^ entry(tables, 0, high, 56)) ^
      (entry(tables, 11, low, 32) ^ entry(tables, 10, low, 40) ^ entry(tables, 9, low, 48) ^ entry(tables, 8, low, 56)) ^
      (entry(tables, 15, low, 0) ^ entry(tables, 14, low, 8) ^ entry(tables, 13, low, 16) ^ entry(tables, 12, low, 24));
  }
  for (; at < end; at++) {
    crc = (crc >>> 8) ^ load<u32>(tables + (((<usize>crc ^ <usize>load<u8>(at)) & 255) << 2));
  }
  return ~crc;
}
