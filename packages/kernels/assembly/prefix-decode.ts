// Prefix blocks (specification 5.5): entries of shared length, non-shared length (varints) and the non-shared bytes; the
// values are made in two passes, lengths first.

import { readVarint, varint } from "./varint";

/**
 * Checks the `count` entries at `entries..end` of the block at `block`, whose restarts stand at `end`, and writes the
 * offsets of their values, `count + 1` words, to `offsets`. Returns the bytes of all values, or -1 when the block is bad
 * or they are more than `most`.
 */
export function prefixOffsets(
  block: usize,
  entries: usize,
  end: usize,
  count: usize,
  interval: usize,
  most: i32,
  offsets: usize,
): i32 {
  let at = entries;
  let lastLength: u32 = 0;
  let total: u32 = 0;
  let untilRestart: usize = 0;
  let restart = end - 4;
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
    at += rest;
    lastLength = shared + rest;
    if (lastLength > <u32>most || total + lastLength > <u32>most) {
      return -1;
    }
    total += lastLength;
    store<u32>(offsets + (i << 2), total, 4);
  }
  return at == end ? <i32>total : -1;
}

// @ts-ignore: decorator
@inline
function copy(from: usize, to: usize, length: usize): void {
  v128.store(to, v128.load(from));
  for (let done: usize = 16; done < length; done += 16) {
    v128.store(to + done, v128.load(from + done));
  }
}

/** Writes the values of checked entries to `data`; up to 15 bytes too many. */
export function prefixValues(entries: usize, end: usize, count: usize, offsets: usize, data: usize): void {
  let at = entries;
  let previous = data;
  for (let i: usize = 0; i < count; i++) {
    let shared = <u32>load<u8>(at);
    let rest = <u32>load<u8>(at, 1);
    if ((shared | rest) < 0x80) {
      at += 2;
    } else {
      at = readVarint(at, end);
      shared = varint;
      at = readVarint(at, end);
      rest = varint;
    }
    const to = data + <usize>load<u32>(offsets + (i << 2));
    // The first value shares nothing; the copy of sixteen bytes onto themselves does no harm.
    copy(previous, to, shared);
    copy(at, to + shared, rest);
    at += rest;
    previous = to;
  }
}
