// Parses entries of delta files (docs/spec/deltafile.md#2-cfile-options, docs/spec/deltafile.md#3-deltakey and
// docs/spec/deltafile.md#4-rowchangelist): delta key, type of change, column mutations.
//
// Entries that Kudu's writers would not produce are declined: the portable version decides whether they are valid.

const UPDATE: u32 = 1;
const DELETE: u32 = 2;
const REINSERT: u32 = 3;

/** Summary of the last call, in fields of 8 bytes. See `deltaSummary`. */
const SUMMARY: usize = memory.data(48, 16);

/** For each first byte of a memcmp varint: the minimum value that has no shorter encoding. */
const MINIMA: usize = memory.data(256 * 8, 16);

let built = false;

function build(): void {
  for (let first: usize = 241; first < 256; first++) {
    const bytes = first - 247;
    const minimum: u64 = first == 241 ? 241 : first < 250 ? 0 : first == 250 ? 67824 : <u64>1 << (8 * (<u64>bytes - 1));
    store<u64>(MINIMA + (first << 3), minimum);
  }
  built = true;
}

// Length of a memcmp varint.
// @ts-expect-error: decorator
@inline
function varintLength(first: u32): u32 {
  return first < 241 ? 1 : first < 249 ? 2 : first - 246;
}

// @ts-expect-error: decorator
@inline
function varintValue(at: usize, first: u32): u64 {
  if (first > 249) {
    return bswap<u64>(load<u64>(at, 1)) >> (<u64>(255 - first) << 3);
  }
  if (first < 241) {
    return first;
  }
  if (first < 249) {
    return 240 + ((first - 241) << 8) + <u32>load<u8>(at, 1);
  }
  return 2288 + (<u32>load<u8>(at, 1) << 8) + <u32>load<u8>(at, 2);
}

// @ts-expect-error: decorator
@inline
function isOverlong(first: u32, value: u64): bool {
  return value < load<u64>(MINIMA + (<usize>first << 3));
}

/** Whether the mutations of an entry end exactly at its end. */
function checkMutations(at: usize, end: usize): bool {
  while (at < end) {
    for (let part = 0; part < 2; part++) {
      let value: u32 = 0;
      let shift: u32 = 0;
      let byte: u32 = 0;
      do {
        // IDs and lengths in valid entries are below 2^28.
        if (at >= end || shift > 21) {
          return false;
        }
        byte = load<u8>(at++);
        value |= (byte & 127) << shift;
        shift += 7;
      } while (byte > 127);
      if (part == 1 && value > 0) {
        if (value - 1 > <u32>(end - at)) {
          return false;
        }
        at += value - 1;
      } else if (part == 1) {
        break;
      }
    }
  }
  return true;
}

/** A shuffle of 16 bytes that reverses the first 8, a big-endian number, and keeps the others. */
const HEAD_REVERSED: v128 = i8x16(7, 6, 5, 4, 3, 2, 1, 0, 8, 9, 10, 11, 12, 13, 14, 15);

/**
 * Counts the entries, at most `count`, that follow the DELETE at `at` and differ from it only in the row, which increases by one
 * per entry: rows that were written together are often deleted together. The DELETE has `size` bytes, and its row takes `rowSize`
 * of them. `ends` has the ends of the following entries, and `end` is the end of the DELETE.
 */
function sameDeletes(at: usize, size: usize, rowSize: usize, ends: usize, count: usize, end: u32): usize {
  if (size > 16 || rowSize < 2 || rowSize > 8) {
    return 0;
  }
  const headMask = size < 8 ? <i64>-1 << (64 - 8 * <i64>size) : -1;
  const tailMask = size > 8 ? <i64>(u64.MAX_VALUE >> (128 - 8 * <u64>size)) : 0;
  const mask = i64x2.replace_lane(i64x2.splat(headMask), 1, tailMask);
  const step = i64x2.replace_lane(i64x2.splat(0), 0, <i64>1 << (64 - 8 * <i64>rowSize));
  let expected = v128.and(i8x16.swizzle(v128.load(at), HEAD_REVERSED), mask);
  // After the maximum row of this length, the first byte differs.
  const maxRow = ((<u64>1 << (8 * (<u64>rowSize - 1))) - 1);
  const row = (<u64>i64x2.extract_lane(expected, 0) >> (64 - 8 * <u64>rowSize)) & maxRow;
  const limit = <usize>min<u64>(count, maxRow - row);
  let alike: usize = 0;
  for (; alike < limit; alike++) {
    at += size;
    end += <u32>size;
    expected = i64x2.add(expected, step);
    const found = v128.and(i8x16.swizzle(v128.load(at), HEAD_REVERSED), mask);
    if (load<u32>(ends + (alike << 2)) != end || v128.any_true(v128.xor(found, expected))) {
      break;
    }
  }
  return alike;
}

/** Writes `count` DELETEs of consecutive rows, starting at entry `at`. */
function fillDeletes(
  at: usize,
  count: usize,
  row: u32,
  timestamp: u64,
  mutationsEnd: u32,
  rows: usize,
  timestamps: usize,
  types: usize,
  mutationOffsets: usize,
): void {
  const four = i32x4.splat(4);
  const times = i64x2.splat(<i64>timestamp);
  const ends = i32x4.splat(<i32>mutationsEnd);
  let numbers = i32x4.add(i32x4.splat(<i32>row), i32x4(0, 1, 2, 3));
  const last = at + count;
  let i = at;
  for (; i + 4 <= last; i += 4) {
    v128.store(rows + (i << 2), numbers);
    v128.store(timestamps + (i << 3), times);
    v128.store(timestamps + (i << 3), times, 16);
    v128.store(mutationOffsets + (i << 2), ends, 4);
    numbers = i32x4.add(numbers, four);
  }
  for (; i < last; i++) {
    store<u32>(rows + (i << 2), row + <u32>(i - at));
    store<u64>(timestamps + (i << 3), timestamp);
    store<u32>(mutationOffsets + (i << 2), mutationsEnd, 4);
  }
  memory.fill(types + at, <u8>DELETE, count);
}

/**
 * Parses the values `data[offsets[i]..offsets[i + 1])` into rows, timestamps, types, and mutations, which are written to
 * `mutations` one after the other with their `count + 1` offsets. Returns the bytes of all mutations, or -1 for entries that the
 * portable version must parse. Writes up to 15 bytes past the end.
 */
export function deltaEntries(
  data: usize,
  offsets: usize,
  dataEnd: u32,
  count: usize,
  rows: usize,
  timestamps: usize,
  types: usize,
  mutationOffsets: usize,
  mutations: usize,
): i32 {
  if (!built) {
    build();
  }
  let start = load<u32>(offsets);
  if (start > dataEnd) {
    return -1;
  }
  let previous: i64 = -1;
  let ascends: u64 = 1;
  let deletes: u64 = 0;
  let reinserts: u64 = 0;
  let minTime: u64 = u64.MAX_VALUE;
  let maxTime: u64 = 0;
  let overlong: i64 = -1;
  let to = mutations;
  store<u32>(mutationOffsets, 0);
  let timestamp: u64 = 0;
  for (let i: usize = 0; i < count; i++) {
    const end = load<u32>(offsets + (i << 2), 4);
    if (end <= start || end > dataEnd) {
      return -1;
    }
    const at = data + start;
    const behind = data + end;
    const rowFirst = <u32>load<u8>(at);
    const afterRow = at + varintLength(rowFirst);
    if (afterRow >= behind) {
      return -1;
    }
    const row = varintValue(at, rowFirst);
    const timeFirst = <u32>load<u8>(afterRow);
    const afterKey = afterRow + varintLength(timeFirst);
    if (afterKey >= behind || row > 0xffffffff || <i64>row < previous) {
      return -1;
    }
    timestamp = varintValue(afterRow, timeFirst);
    ascends &= <u64>(<i64>row > previous);
    previous = <i64>row;
    if (overlong < 0 && (isOverlong(rowFirst, row) || isOverlong(timeFirst, timestamp))) {
      overlong = i;
    }
    const type = <u32>load<u8>(afterKey);
    const from = afterKey + 1;
    const length = behind - from;
    if (type == DELETE) {
      if (length > 0) {
        return -1;
      }
      deletes++;
    } else {
      if ((type != UPDATE && type != REINSERT) || (type == UPDATE && length == 0) || !checkMutations(from, behind)) {
        return -1;
      }
      reinserts += type == REINSERT ? 1 : 0;
      if (length <= 16) {
        v128.store(to, v128.load(from));
      } else {
        memory.copy(to, from, length);
      }
      to += length;
    }
    minTime = min(minTime, timestamp);
    maxTime = max(maxTime, timestamp);
    store<u32>(rows + (i << 2), <u32>row);
    store<u64>(timestamps + (i << 3), timestamp);
    store<u8>(types + i, <u8>type);
    store<u32>(mutationOffsets + (i << 2), <u32>(to - mutations), 4);
    start = end;
    if (type == DELETE) {
      const size = <u32>(behind - at);
      const room: usize = min(count - i - 1, (dataEnd - end) / size);
      const after = offsets + ((i + 2) << 2);
      const alike = sameDeletes(at, size, afterRow - at, after, min(room, 0xffffffff - <usize>row), end);
      const mutationsEnd = <u32>(to - mutations);
      fillDeletes(i + 1, alike, <u32>row + 1, timestamp, mutationsEnd, rows, timestamps, types, mutationOffsets);
      i += alike;
      deletes += alike;
      previous += alike;
      start += <u32>alike * size;
    }
  }
  store<u64>(SUMMARY, ascends);
  store<u64>(SUMMARY, deletes, 8);
  store<u64>(SUMMARY, reinserts, 16);
  store<u64>(SUMMARY, minTime, 24);
  store<u64>(SUMMARY, maxTime, 32);
  store<i64>(SUMMARY, overlong, 40);
  return <i32>(to - mutations);
}

/**
 * Returns the address of six 64-bit words about the last call: whether each row has only one entry, the number of DELETEs and of
 * REINSERTs, the minimum and maximum timestamp, and the index of the first overlong key, or -1.
 */
export function deltaSummary(): usize {
  return SUMMARY;
}
