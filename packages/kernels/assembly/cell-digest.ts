// Hashes of cells for digests of tables: 64 bits in two words. The portable version, with the same results, is in `@cfile/compare`.
//
// Keys and hashes of rows are in blocks of four rows: four low words, then four high words.

/** Sum of the low words, then of the high words, of the last call. */
const SUMS: usize = memory.data(8, 16);
/** A window into these bytes keeps the first bytes of a vector. */
const MASKS: usize = memory.data(48, 16);

// @ts-expect-error: decorator
@inline
function foldLow(low: v128, high: v128): v128 {
  const mixed = v128.xor(
    i32x4.mul(v128.xor(low, i32x4.shr_u(low, 16)), i32x4.splat(0x85ebca6b)),
    high,
  );
  const again = i32x4.mul(v128.xor(mixed, i32x4.shr_u(mixed, 13)), i32x4.splat(0xc2b2ae35));
  return v128.xor(again, i32x4.shr_u(again, 16));
}

// @ts-expect-error: decorator
@inline
function foldHigh(folded: v128, high: v128): v128 {
  const mixed = i32x4.mul(v128.xor(high, folded), i32x4.splat(0x27d4eb2f));
  return v128.xor(mixed, i32x4.shr_u(mixed, 15));
}

/** Sets the keys of `count` rows to zeros. */
export function clearKeys(keys: usize, count: usize): void {
  memory.fill(keys, 0, ((count + 3) & ~3) << 3);
}

/** Starts the hashes of `count` rows with their keys. */
export function startRows(keys: usize, count: usize, rows: usize): void {
  memory.copy(rows, keys, ((count + 3) & ~3) << 3);
}

/**
 * Hashes the cells of one column with the keys of their rows, and returns the address of the sums of the hashes.
 *
 * @param form words of a cell: 0 a low and a high word, 1 a signed word, 2 an unsigned word
 * @param validity a bitmap; 0 without nulls
 * @param rows 0 to store the hashes as keys; otherwise they are added to the hashes of their rows
 */
export function foldCells(
  words: usize,
  form: u32,
  count: u32,
  validity: usize,
  seedLow: i32,
  seedHigh: i32,
  keys: usize,
  rows: usize,
): usize {
  const bits = i32x4(1, 2, 4, 8);
  const lanes = i32x4(0, 1, 2, 3);
  const signs = i32x4.splat(form == 1 ? -1 : 0);
  let sumLow = i32x4.splat(0);
  let sumHigh = i32x4.splat(0);
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
    let x = v128.xor(v128.load(keys), i32x4.splat(seedLow));
    let y = v128.xor(v128.load(keys, 16), i32x4.splat(seedHigh));
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
    if (rows == 0) {
      v128.store(keys, x);
      v128.store(keys, y, 16);
    } else {
      v128.store(rows, i32x4.add(v128.load(rows), x));
      v128.store(rows, i32x4.add(v128.load(rows, 16), y), 16);
      rows += 32;
    }
    const isRow = i32x4.lt_s(lanes, i32x4.splat(count - i));
    sumLow = i32x4.add(sumLow, v128.and(x, isRow));
    sumHigh = i32x4.add(sumHigh, v128.and(y, isRow));
    keys += 32;
  }
  return storeSums(sumLow, sumHigh);
}

/** Mixes the hashes of `count` rows and adds them up. Returns the address of the sums. */
export function sumRows(rows: usize, count: u32): usize {
  const lanes = i32x4(0, 1, 2, 3);
  let sumLow = i32x4.splat(0);
  let sumHigh = i32x4.splat(0);
  for (let i: u32 = 0; i < count; i += 4, rows += 32) {
    const high = v128.load(rows, 16);
    const folded = foldLow(v128.load(rows), high);
    const isRow = i32x4.lt_s(lanes, i32x4.splat(count - i));
    sumLow = i32x4.add(sumLow, v128.and(folded, isRow));
    sumHigh = i32x4.add(sumHigh, v128.and(foldHigh(folded, high), isRow));
  }
  return storeSums(sumLow, sumHigh);
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
 * The memory at `hashes` must have room for 16 bytes per string. Returns -1 if offsets are out of order or beyond `dataEnd`.
 */
export function hashStrings(data: usize, offsets: usize, dataEnd: u32, count: u32, hashes: usize): i32 {
  v128.store(MASKS, i8x16.splat(-1));
  v128.store(MASKS, i8x16.splat(0), 16);
  const factors = i32x4(0x85ebca6b, 0x27d4eb2f, 0xc2b2ae35, 0x165667b1);
  const start = i32x4(0x9e3779b1, 0x3c6ef362, 0xdaa66d13, 0x78dde6c4);
  let from = load<u32>(offsets);
  let lanes = hashes;
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
    v128.store(lanes, v128.xor(state, i32x4.shr_u(state, 15)));
    lanes += 16;
    from = to;
  }
  // In place: the hashes of four strings take half the room of their states.
  const end = lanes;
  for (lanes = hashes; lanes < end; lanes += 64, hashes += 32) {
    const a = v128.load(lanes);
    const b = v128.load(lanes, 16);
    const c = v128.load(lanes, 32);
    const d = v128.load(lanes, 48);
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
  return 0;
}
