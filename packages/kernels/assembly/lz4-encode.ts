// Compresses to LZ4 blocks, byte-identical to LZ4 1.10.0 with acceleration 1 (docs/spec/cfile.md#appendix-a-lz4-compressor).
import { extendMatch, likely } from "./match-search";

const LARGE_INPUT: usize = 65547;
const SMALL_ENTRIES: usize = 8192;
const LARGE_ENTRIES: usize = 4096;
// Positions by hash: 16 bits each for small inputs, 32 for large ones.
const TABLE: usize = memory.data(16384, 16);

// @ts-expect-error: decorator
@inline
function smallHash(at: usize): usize {
  return <usize>((load<u32>(at) * 2654435761) >>> 19);
}

// @ts-expect-error: decorator
@inline
function largeHash(at: usize): usize {
  return <usize>(((load<u64>(at) << 24) * 889523592379) >> 52);
}

// @ts-expect-error: decorator
@inline
function writeRest(rest: usize, out: usize): usize {
  while (rest >= 255) {
    store<u8>(out++, 255);
    rest -= 255;
  }
  store<u8>(out++, <u8>rest);
  return out;
}

// Writes a token and literals. Copies whole vectors, up to 15 bytes past the end.
// @ts-expect-error: decorator
@inline
function writeLiterals(from: usize, to: usize, out: usize): usize {
  const length = to - from;
  if (length < 15) {
    store<u8>(out++, <u8>(length << 4));
  } else {
    store<u8>(out++, 0xf0);
    out = writeRest(length - 15, out);
  }
  for (let done: usize = 0; done < length; done += 16) {
    v128.store(out + done, v128.load(from + done));
  }
  return out + length;
}

/** Compresses `length` bytes at `src` to `dst`, which has room for the worst case, and returns the length. */
export function lz4Encode(src: usize, length: usize, dst: usize): usize {
  return length < LARGE_INPUT ? encode<u16>(src, length, dst) : encode<u32>(src, length, dst);
}

// T is the type of table entries: u16 in small mode, u32 in large mode.
function encode<T>(src: usize, length: usize, dst: usize): usize {
  const end = src + length;
  let out = dst;
  let anchor = src;
  if (length >= 13) {
    const shift: usize = sizeof<T>() == 2 ? 1 : 2;
    memory.fill(TABLE, 0, (sizeof<T>() == 2 ? SMALL_ENTRIES : LARGE_ENTRIES) << shift);
    const searchLimit = end - 11;
    const matchLimit = end - 5;
    let at = src + 1;
    let searching = true;
    // Of the last match.
    let distance: usize = 0;
    while (searching) {
      let next = at;
      let step: usize = 1;
      let counter: usize = 64;
      let hash = sizeof<T>() == 2 ? smallHash(next) : largeHash(next);
      let candidate: usize;
      do {
        at = next;
        const slot = TABLE + (hash << shift);
        candidate = likely(at - distance, src + <usize>load<T>(slot));
        next += step;
        step = counter++ >> 6;
        if (next > searchLimit) {
          searching = false;
          break;
        }
        hash = sizeof<T>() == 2 ? smallHash(next) : largeHash(next);
        store<T>(slot, <T>(at - src));
      } while ((sizeof<T>() == 4 && candidate + 65535 < at) || load<u32>(candidate) != load<u32>(at));
      if (!searching) {
        break;
      }

      while (at > anchor && candidate > src && load<u8>(at - 1) == load<u8>(candidate - 1)) {
        at--;
        candidate--;
      }
      let token = out;
      out = writeLiterals(anchor, at, out);
      while (true) {
        distance = at - candidate;
        store<u16>(out, <u16>distance);
        out += 2;
        const matchEnd = extendMatch(at + 4, candidate + 4, matchLimit);
        const matchLength = matchEnd - at - 4;
        if (matchLength < 15) {
          store<u8>(token, load<u8>(token) | <u8>matchLength);
        } else {
          store<u8>(token, load<u8>(token) | 15);
          out = writeRest(matchLength - 15, out);
        }
        at = matchEnd;
        anchor = at;
        if (at >= searchLimit) {
          searching = false;
          break;
        }
        const behind = sizeof<T>() == 2 ? smallHash(at - 2) : largeHash(at - 2);
        store<T>(TABLE + (behind << shift), <T>(at - 2 - src));
        const slot = TABLE + ((sizeof<T>() == 2 ? smallHash(at) : largeHash(at)) << shift);
        candidate = likely(at - distance, src + <usize>load<T>(slot));
        store<T>(slot, <T>(at - src));
        if ((sizeof<T>() == 4 && candidate + 65535 < at) || load<u32>(candidate) != load<u32>(at)) {
          break;
        }
        token = out;
        store<u8>(out++, 0);
      }
      at++;
    }
  }
  return writeLiterals(anchor, end, out) - dst;
}
