// CRC-32C (Castagnoli) and the CRC-32 of zlib, which differ only in their polynomials.
//
// A CRC is the remainder of the message, a polynomial of bits, divided by the polynomial P of the CRC, so adding multiples of P
// does not change it. Multiples with few terms exist:
//
//   CRC-32C   x^266 + x^143 + x^121 + x^88 + x^71 + 1
//   CRC-32    x^300 + x^155 + x^117 + x^89 + 1
//
// Their powers of 2, 4, 8 … multiply all exponents by that number. With exponents in bytes or more, adding such a multiple moves
// bytes: those at the start of the message become zeros when they are added to the bytes 123, 145, 178, 195 and 266 units later
// (266 minus each exponent). That folds 16 bytes at a time with a few additions (exclusive or) and without tables, until the rest
// of the message is shorter than the multiple. The rest is folded with smaller units, and its last bytes are processed by slicing
// by 16, in 64-bit words. The method: Sam Russell, "Chorba: A novel CRC32 implementation", https://arxiv.org/abs/2412.16398.

const SLICES: u32 = 16;
/** Slice k, 256 words at k KiB, advances a byte over k following zero bytes. */
const CASTAGNOLI: usize = memory.data(16384, 16);
const ZLIB: usize = memory.data(16384, 16);
/** From the largest to the smallest unit of folding, in bytes. With smaller units, loads would wait for stores just before them. */
const LARGEST_UNIT: usize = 16;
const SMALLEST_UNIT: usize = 2;

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
}

/** The CRC-32C of `length` bytes at `start`, continuing from the checksum `previous`. Changes these bytes. */
export function crc32c(start: usize, length: usize, previous: u32): u32 {
  if (!hasCastagnoli) {
    build(CASTAGNOLI, 0x82f63b78);
    hasCastagnoli = true;
  }
  const end = start + length;
  if (length < 266 * SMALLEST_UNIT + 16) {
    return ~sliced(CASTAGNOLI, start, end, ~previous);
  }
  addState(start, ~previous);
  let at = start;
  for (let unit = LARGEST_UNIT; unit >= SMALLEST_UNIT; unit >>= 1) {
    for (; at + 266 * unit + 16 <= end; at += 16) {
      const vector = v128.load(at);
      add(vector, at + 123 * unit);
      add(vector, at + 145 * unit);
      add(vector, at + 178 * unit);
      add(vector, at + 195 * unit);
      add(vector, at + 266 * unit);
    }
  }
  return ~sliced(CASTAGNOLI, at, end, 0);
}

/** The CRC-32 of zlib of `length` bytes at `start`, continuing from the checksum `previous`. Changes these bytes. */
export function crc32(start: usize, length: usize, previous: u32): u32 {
  if (!hasZlib) {
    build(ZLIB, 0xedb88320);
    hasZlib = true;
  }
  const end = start + length;
  if (length < 300 * SMALLEST_UNIT + 16) {
    return ~sliced(ZLIB, start, end, ~previous);
  }
  addState(start, ~previous);
  let at = start;
  for (let unit = LARGEST_UNIT; unit >= SMALLEST_UNIT; unit >>= 1) {
    for (; at + 300 * unit + 16 <= end; at += 16) {
      const vector = v128.load(at);
      add(vector, at + 145 * unit);
      add(vector, at + 183 * unit);
      add(vector, at + 211 * unit);
      add(vector, at + 300 * unit);
    }
  }
  return ~sliced(ZLIB, at, end, 0);
}

/** Adds the state before a message to its first bytes; the state before the new message is 0. */
// @ts-expect-error: decorator
@inline
function addState(start: usize, state: u32): void {
  store<u32>(start, load<u32>(start) ^ state);
}

// @ts-expect-error: decorator
@inline
function add(vector: v128, at: usize): void {
  v128.store(at, v128.xor(v128.load(at), vector));
}

// The table entry for the byte of `word` at `shift`.
// @ts-expect-error: decorator
@inline
function entry(tables: usize, slice: u32, word: u64, shift: u64): u32 {
  return load<u32>(tables + <usize>(slice << 10) + ((<usize>(word >> shift) & 255) << 2));
}

/** The state after the bytes from `start` to `end`. */
function sliced(tables: usize, start: usize, end: usize, state: u32): u32 {
  let crc = state;
  let at = start;
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
  return crc;
}
