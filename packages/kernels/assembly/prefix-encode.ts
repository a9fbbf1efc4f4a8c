// Encodes entries of prefix blocks (docs/spec/cfile.md#54-prefix): shared length and non-shared length (varints), then the
// non-shared bytes. A restart entry shares no bytes.

// @ts-expect-error: decorator
@inline
function writeVarint(to: usize, value: u32): usize {
  for (; value > 0x7f; value >>>= 7) {
    store<u8>(to++, <u8>(value | 0x80));
  }
  store<u8>(to++, <u8>value);
  return to;
}

// @ts-expect-error: decorator
@inline
function sharedLength(left: usize, right: usize, limit: usize): usize {
  let shared: usize = 0;
  while (shared < limit) {
    const differences = i8x16.bitmask(i8x16.ne(v128.load(left + shared), v128.load(right + shared)));
    if (differences != 0) {
      return min(limit, shared + <usize>ctz(differences));
    }
    shared += 16;
  }
  return limit;
}

/** Results of `prefixEncode`: number of entries written, and of restarts among them. */
let taken: u32 = 0;
let restarted: u32 = 0;

export function prefixTaken(): u32 {
  return taken;
}

export function prefixRestarts(): u32 {
  return restarted;
}

/**
 * Writes entries for strings `0` to `count - 1`, bytes `offsets[i]` to `offsets[i + 1]` of the `length` bytes at `data`, to
 * `out`, until they take more than `room` bytes. The previous value is the `lastLength` bytes at `last`; `untilRestart` entries
 * precede the next restart. The block already has `entries` bytes of entries, and none if `isFirst`. Writes the offsets of
 * restarts to `restarts`. Returns the bytes written, or -1 if the strings are not consecutive ranges of `data`.
 */
export function prefixEncode(
  offsets: usize,
  count: u32,
  data: usize,
  length: u32,
  last: usize,
  lastLength: u32,
  untilRestart: u32,
  interval: u32,
  isFirst: bool,
  entries: u32,
  room: u32,
  out: usize,
  restarts: usize,
): i32 {
  const outStart = out;
  let previous = last;
  let previousLength = lastLength;
  let end = load<u32>(offsets);
  taken = 0;
  restarted = 0;
  while (taken < count && <u32>(out - outStart) <= room) {
    const start = end;
    end = load<u32>(offsets + (<usize>taken << 2), 4);
    if (start > end || end > length) {
      return -1;
    }
    const value = data + start;
    const size = end - start;
    let shared: u32 = 0;
    if (untilRestart > 0) {
      shared = <u32>sharedLength(previous, value, min(previousLength, size));
      untilRestart--;
    } else {
      if (!isFirst) {
        store<u32>(restarts + (<usize>restarted << 2), entries + <u32>(out - outStart));
        restarted++;
      }
      untilRestart = interval - 1;
    }
    isFirst = false;
    const rest = size - shared;
    if ((shared | rest) < 0x80) {
      store<u16>(out, <u16>(shared | (rest << 8)));
      out += 2;
    } else {
      out = writeVarint(writeVarint(out, shared), rest);
    }
    let from = value + shared;
    const to = out + rest;
    for (; out < to; out += 16, from += 16) {
      v128.store(out, v128.load(from));
    }
    out = to;
    previous = value;
    previousLength = size;
    taken++;
  }
  return <i32>(out - outStart);
}
