// Hashes of cells for digests of tables: 64 bits in two words. The portable version, with the same results, is in `@cfile/compare`.
//
// Keys and hashes of rows are in blocks of four rows: four low words, then four high words.

/** Sum of the low words, then of the high words, of the last call. */
const SUMS: usize = memory.data(8, 16);
/** A window into these bytes keeps the first bytes of a vector. */
const MASKS: usize = memory.data(48, 16);
/** States of four strings. */
const STATES: usize = memory.data(64, 16);
// Constants in memory: compilers of WebAssembly make the constants of instructions again in each iteration; a load takes less time.
const START: usize = memory.data<u32>([0x9e3779b1, 0x3c6ef362, 0xdaa66d13, 0x78dde6c4], 16);
const FACTORS: usize = memory.data<u32>([0x85ebca6b, 0x27d4eb2f, 0xc2b2ae35, 0x165667b1], 16);
const FIRST: usize = memory.data<u32>([0x85ebca6b, 0x85ebca6b, 0x85ebca6b, 0x85ebca6b], 16);
const SECOND: usize = memory.data<u32>([0xc2b2ae35, 0xc2b2ae35, 0xc2b2ae35, 0xc2b2ae35], 16);
const THIRD: usize = memory.data<u32>([0x27d4eb2f, 0x27d4eb2f, 0x27d4eb2f, 0x27d4eb2f], 16);

// @ts-expect-error: decorator
@inline
function foldLow(low: v128, high: v128): v128 {
  const mixed = v128.xor(
    i32x4.mul(v128.xor(low, i32x4.shr_u(low, 16)), v128.load(FIRST)),
    high,
  );
  const again = i32x4.mul(v128.xor(mixed, i32x4.shr_u(mixed, 13)), v128.load(SECOND));
  return v128.xor(again, i32x4.shr_u(again, 16));
}

// @ts-expect-error: decorator
@inline
function foldHigh(folded: v128, high: v128): v128 {
  const mixed = i32x4.mul(v128.xor(high, folded), v128.load(THIRD));
  return v128.xor(mixed, i32x4.shr_u(mixed, 15));
}

/** Sets the keys of `count` rows to zeros. */
export function clearKeys(keys: usize, count: usize): void {
  memory.fill(keys, 0, ((count + 3) & ~3) << 3);
}

/**
 * Hashes the cells of one column with the keys of their rows, and returns the address of the sums of the hashes.
 *
 * @param form words of a cell: 0 a low and a high word, 1 a signed word, 2 an unsigned word
 * @param validity a bitmap; 0 without nulls
 * @param from the hashes are added to those at this address; 0 to add them to nothing
 * @param to where the result is stored
 */
export function foldCells(
  words: usize,
  form: u32,
  count: u32,
  validity: usize,
  seedLow: i32,
  seedHigh: i32,
  keys: usize,
  from: usize,
  to: usize,
): usize {
  const bits = i32x4(1, 2, 4, 8);
  const signs = i32x4.splat(form == 1 ? -1 : 0);
  let sumLow = i32x4.splat(0);
  let sumHigh = i32x4.splat(0);
  let x = i32x4.splat(0);
  let y = i32x4.splat(0);
  for (let i: u32 = 0; i < count; i += 4) {
    let low = v128.load(words);
    let high: v128;
    if (form == 0) {
      const next = v128.load(words, 16);
      high = i32x4.shuffle(low, next, 1, 3, 5, 7);
      low = i32x4.shuffle(low, next, 0, 2, 4, 6);
      words += 32;
    } else {
      high = v128.and(i32x4.shr_s(low, 31), signs);
      words += 16;
    }
    x = v128.xor(v128.load(keys), i32x4.splat(seedLow));
    y = v128.xor(v128.load(keys, 16), i32x4.splat(seedHigh));
    low = v128.xor(x, low);
    high = v128.xor(y, high);
    if (validity != 0) {
      const nibble = i32x4.splat(<u32>load<u8>(validity + (i >> 3)) >> (i & 4));
      const isValid = i32x4.eq(v128.and(nibble, bits), bits);
      low = v128.bitselect(low, v128.not(y), isValid);
      high = v128.bitselect(high, x, isValid);
    }
    x = foldLow(low, high);
    y = foldHigh(x, high);
    if (from == 0) {
      v128.store(to, x);
      v128.store(to, y, 16);
    } else {
      v128.store(to, i32x4.add(v128.load(from), x));
      v128.store(to, i32x4.add(v128.load(from, 16), y), 16);
      from += 32;
    }
    sumLow = i32x4.add(sumLow, x);
    sumHigh = i32x4.add(sumHigh, y);
    keys += 32;
    to += 32;
  }
  const excess = lanesBeyond(count);
  return storeSums(i32x4.sub(sumLow, v128.and(x, excess)), i32x4.sub(sumHigh, v128.and(y, excess)));
}

/** Mixes the hashes of `count` rows and adds them up. Returns the address of the sums. */
export function sumRows(rows: usize, count: u32): usize {
  let sumLow = i32x4.splat(0);
  let sumHigh = i32x4.splat(0);
  let x = i32x4.splat(0);
  let y = i32x4.splat(0);
  for (let i: u32 = 0; i < count; i += 4, rows += 32) {
    y = v128.load(rows, 16);
    x = foldLow(v128.load(rows), y);
    y = foldHigh(x, y);
    sumLow = i32x4.add(sumLow, x);
    sumHigh = i32x4.add(sumHigh, y);
  }
  const excess = lanesBeyond(count);
  return storeSums(i32x4.sub(sumLow, v128.and(x, excess)), i32x4.sub(sumHigh, v128.and(y, excess)));
}

/** The lanes of the last vector that have no row. */
// @ts-expect-error: decorator
@inline
function lanesBeyond(count: u32): v128 {
  const rows = ((count - 1) & 3) + 1;
  return i32x4.ge_s(i32x4(0, 1, 2, 3), i32x4.splat(rows));
}

// @ts-expect-error: decorator
@inline
function storeSums(low: v128, high: v128): usize {
  store<i32>(SUMS, total(low));
  store<i32>(SUMS, total(high), 4);
  return SUMS;
}

// @ts-expect-error: decorator
@inline
function total(lanes: v128): i32 {
  return (
    i32x4.extract_lane(lanes, 0) +
    i32x4.extract_lane(lanes, 1) +
    i32x4.extract_lane(lanes, 2) +
    i32x4.extract_lane(lanes, 3)
  );
}

/**
 * Writes the hashes of `count` strings, two words each, to `hashes`. String i is bytes `offsets[i]` to `offsets[i + 1]` after `data`.
 * Returns -1 if offsets are out of order or beyond `dataEnd`.
 */
export function hashStrings(data: usize, offsets: usize, dataEnd: u32, count: u32, hashes: usize): i32 {
  v128.store(MASKS, i8x16.splat(-1));
  v128.store(MASKS, i8x16.splat(0), 16);
  const factors = v128.load(FACTORS);
  const start = v128.load(START);
  let from = load<u32>(offsets);
  for (let i: u32 = 0; i < count; i++) {
    offsets += 4;
    const to = load<u32>(offsets);
    if (to < from || to > dataEnd) {
      return -1;
    }
    let state = v128.xor(start, i32x4.splat(to - from));
    for (; to - from > 16; from += 16) {
      state = i32x4.mul(v128.xor(state, v128.load(data + from)), factors);
      state = v128.xor(state, i32x4.shr_u(state, 15));
    }
    const last = v128.and(v128.load(data + from), v128.load(MASKS + 16 - (to - from)));
    state = i32x4.mul(v128.xor(state, last), factors);
    v128.store(STATES + ((i & 3) << 4), v128.xor(state, i32x4.shr_u(state, 15)));
    from = to;
    if ((i & 3) == 3 || i + 1 == count) {
      storeHashes(hashes);
      hashes += 32;
    }
  }
  return 0;
}

/** Mixes the states of four strings to their hashes. */
// @ts-expect-error: decorator
@inline
function storeHashes(hashes: usize): void {
  const a = v128.load(STATES);
  const b = v128.load(STATES, 16);
  const c = v128.load(STATES, 32);
  const d = v128.load(STATES, 48);
  const ab = i32x4.shuffle(a, b, 0, 4, 1, 5);
  const cd = i32x4.shuffle(c, d, 0, 4, 1, 5);
  const abHigh = i32x4.shuffle(a, b, 2, 6, 3, 7);
  const cdHigh = i32x4.shuffle(c, d, 2, 6, 3, 7);
  const second = i32x4.shuffle(ab, cd, 2, 3, 6, 7);
  let low = foldLow(i32x4.shuffle(ab, cd, 0, 1, 4, 5), second);
  let high = v128.xor(foldHigh(low, second), i32x4.shuffle(abHigh, cdHigh, 2, 3, 6, 7));
  low = foldLow(v128.xor(low, i32x4.shuffle(abHigh, cdHigh, 0, 1, 4, 5)), high);
  high = foldHigh(low, high);
  v128.store(hashes, i32x4.shuffle(low, high, 0, 4, 1, 5));
  v128.store(hashes, i32x4.shuffle(low, high, 2, 6, 3, 7), 16);
}
