// Decodes prefix blocks (docs/spec/cfile.md#54-prefix): an entry has shared length and non-shared length (varints), then the
// non-shared bytes. The first 32 bytes of the previous value stay in two vectors: loading bytes that were just stored in pieces
// would stall.

import { readVarint, varint } from "./varint";

/** Number of bytes of a value in the vectors. */
const NEAR: usize = 32;
/** Ones, then zeros: the 32 bytes at 32 - n start with n ones. */
const MASKS: usize = memory.data<u64>([-1, -1, -1, -1, 0, 0, 0, 0], 16);

// Writes bytes 32 to `length` of a value, and up to 15 past the end.
function copyFar(previous: usize, rest: usize, to: usize, shared: usize, length: usize): void {
  for (let i = NEAR; i < shared; i += 16) {
    v128.store(to + i, v128.load(previous + i));
  }
  for (let i = max(NEAR, shared); i < length; i += 16) {
    v128.store(to + i, v128.load(rest + (i - shared)));
  }
}

/**
 * Checks the `count` entries at `entries..end` of the block at `block`, whose restarts start at `end`. Writes the offsets of
 * their values, `count + 1` words, to `offsets`, and the values that end within `room`, and up to 32 more bytes, to `data`.
 * Returns the bytes of all values, or -1 if the block is invalid or they exceed `maxBytes`.
 */
export function prefixValues(
  block: usize,
  entries: usize,
  end: usize,
  count: usize,
  interval: usize,
  maxBytes: u32,
  offsets: usize,
  data: usize,
  room: u32,
): i32 {
  let at = entries;
  let lastLength: u32 = 0;
  let total: u32 = 0;
  let untilRestart: usize = 0;
  let restart = end - 4;
  let previous = data;
  let low = i64x2.splat(0);
  let high = i64x2.splat(0);
  store<u32>(offsets, 0);
  for (let i: usize = 0; i < count; i++) {
    const start = at;
    if (end - at < 2) {
      return -1;
    }
    let shared = <u32>load<u8>(at);
    let rest = <u32>load<u8>(at, 1);
    if ((shared | rest) < 0x80) {
      at += 2;
    } else {
      at = readVarint(at, end);
      if (at == 0) {
        return -1;
      }
      shared = varint;
      at = readVarint(at, end);
      if (at == 0) {
        return -1;
      }
      rest = varint;
    }
    if (<usize>rest > end - at || shared > lastLength) {
      return -1;
    }
    if (untilRestart == 0) {
      if (shared != 0 || (i > 0 && start != block + <usize>load<u32>(restart))) {
        return -1;
      }
      restart += 4;
      untilRestart = interval;
    }
    untilRestart--;
    lastLength = shared + rest;
    if (lastLength > maxBytes - total) {
      return -1;
    }
    const to = data + <usize>total;
    total += lastLength;
    if (total <= room) {
      const near = min(<usize>shared, NEAR);
      const from = at - near;
      const masks = MASKS + NEAR - near;
      low = v128.bitselect(low, v128.load(from), v128.load(masks));
      high = v128.bitselect(high, v128.load(from, 16), v128.load(masks, 16));
      v128.store(to, low);
      v128.store(to, high, 16);
      if (<usize>lastLength > NEAR) {
        copyFar(previous, at, to, shared, lastLength);
      }
      previous = to;
    }
    at += rest;
    store<u32>(offsets + (i << 2), total, 4);
  }
  return at == end ? <i32>total : -1;
}
