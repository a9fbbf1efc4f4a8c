// Compresses to raw Snappy streams like Snappy 1.1.9: fragments of 64 KiB are independent, a table has the last position of each
// hash of four bytes, and while no match is found, positions are probed less and less often. The fast variant prefers a match at the
// distance of the last one: values of a fixed size match at the same distance again and again.
import { extendMatch, likely } from "./match-search";

const FRAGMENT: usize = 65536;
const MARGIN: usize = 15;
const MAX_TABLE_BITS: u32 = 14;
const MIN_TABLE_BITS: u32 = 8;
const HASH_PRIME: u32 = 0x1e35a7bd;
const HASH_SHIFT: u32 = 32 - MAX_TABLE_BITS;

// Positions in the fragment, 16 bits each.
const TABLE: usize = memory.data(32768, 16);

// Copies whole vectors, up to 15 bytes past the end.
// @ts-expect-error: decorator
@inline
function writeLiterals(from: usize, to: usize, out: usize): usize {
  const length = to - from;
  if (length == 0) {
    return out;
  }
  // Most are this short.
  if (length <= 16) {
    store<u8>(out, <u8>((length - 1) << 2));
    v128.store(out + 1, v128.load(from));
    return out + 1 + length;
  }
  if (length <= 60) {
    store<u8>(out++, <u8>((length - 1) << 2));
  } else if (length <= 256) {
    store<u8>(out++, 60 << 2);
    store<u8>(out++, <u8>(length - 1));
  } else {
    store<u8>(out++, 61 << 2);
    store<u16>(out, <u16>(length - 1));
    out += 2;
  }
  for (let done: usize = 0; done < length; done += 16) {
    v128.store(out + done, v128.load(from + done));
  }
  return out + length;
}

// The end of a fragment: not worth the code of an inlined call.
function writeRest(from: usize, to: usize, out: usize): usize {
  return writeLiterals(from, to, out);
}

function writeMatchPart(distance: usize, length: usize, out: usize): usize {
  if (length < 12 && distance < 2048) {
    store<u8>(out++, <u8>(1 | ((length - 4) << 2) | ((distance >> 3) & 0xe0)));
    store<u8>(out++, <u8>distance);
    return out;
  }
  store<u8>(out++, <u8>(2 | ((length - 1) << 2)));
  store<u16>(out, <u16>distance);
  return out + 2;
}

// @ts-expect-error: decorator
@inline
function writeMatch(distance: usize, length: usize, out: usize): usize {
  // No part of a long match may be shorter than 4, because the short form cannot represent that.
  while (length >= 68) {
    out = writeMatchPart(distance, 64, out);
    length -= 64;
  }
  if (length > 64) {
    out = writeMatchPart(distance, 60, out);
    length -= 60;
  }
  return writeMatchPart(distance, length, out);
}

// @ts-expect-error: decorator
@inline
function compressFragment(start: usize, end: usize, out: usize, isFast: bool): usize {
  const length = end - start;
  if (length < MARGIN) {
    return writeRest(start, end, out);
  }
  const bits = min(MAX_TABLE_BITS, max(MIN_TABLE_BITS, 32 - <u32>clz(<u32>length - 1)));
  const mask: u32 = (1 << bits) - 1;
  memory.fill(TABLE, 0, (<usize>mask + 1) << 1);
  const searchLimit = end - MARGIN;
  let anchor = start;
  let at = start + 1;
  // Of the last match.
  let distance: usize = 1;
  while (true) {
    let skip: usize = 32;
    let next = at;
    let candidate: usize;
    let word: u32;
    do {
      at = next;
      word = load<u32>(at);
      const step = skip >> 5;
      skip += step;
      next = at + step;
      if (next > searchLimit) {
        return writeRest(anchor, end, out);
      }
      if (isFast) {
        candidate = at - distance;
        if (load<u32>(candidate) == word) {
          break;
        }
      }
      const slot = TABLE + (<usize>(((word * HASH_PRIME) >>> HASH_SHIFT) & mask) << 1);
      candidate = likely(at - distance, start + <usize>load<u16>(slot));
      store<u16>(slot, <u16>(at - start));
    } while (load<u32>(candidate) != word);
    out = writeLiterals(anchor, at, out);
    do {
      const matchEnd = extendMatch(at + 4, candidate + 4, end);
      const isRepeated = at - candidate == distance;
      distance = at - candidate;
      out = writeMatch(distance, matchEnd - at, out);
      at = matchEnd;
      anchor = at;
      if (at >= searchLimit) {
        return writeRest(anchor, end, out);
      }
      // The bytes of a repeated match are in the table since their first occurrence.
      if (!(isFast && isRepeated)) {
        const behind = load<u32>(at - 1);
        store<u16>(TABLE + (<usize>(((behind * HASH_PRIME) >>> HASH_SHIFT) & mask) << 1), <u16>(at - 1 - start));
      }
      word = load<u32>(at);
      const slot = TABLE + (<usize>(((word * HASH_PRIME) >>> HASH_SHIFT) & mask) << 1);
      candidate = likely(at - distance, start + <usize>load<u16>(slot));
      store<u16>(slot, <u16>(at - start));
    } while (load<u32>(candidate) == word);
    at++;
  }
}

// @ts-expect-error: decorator
@inline
function compress(src: usize, length: usize, dst: usize, isFast: bool): usize {
  let out = dst;
  let rest = <u32>length;
  while (rest >= 0x80) {
    store<u8>(out++, <u8>(rest | 0x80));
    rest >>>= 7;
  }
  store<u8>(out++, <u8>rest);
  const end = src + length;
  for (let start = src; start < end; start += FRAGMENT) {
    out = compressFragment(start, min(start + FRAGMENT, end), out, isFast);
  }
  return out - dst;
}

/** Compresses `length` bytes at `src` to `dst`, which has room for the worst case, and returns the length. */
export function snappyEncode(src: usize, length: usize, dst: usize): usize {
  return compress(src, length, dst, false);
}

/** The same in fewer steps, not byte-identical to Snappy 1.1.9. */
export function snappyEncodeFast(src: usize, length: usize, dst: usize): usize {
  return compress(src, length, dst, true);
}
