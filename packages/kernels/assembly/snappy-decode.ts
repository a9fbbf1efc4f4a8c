// Decompresses raw Snappy streams (docs/spec/cfile.md#6-compression-wrapper): the length, then literals and matches. Whole vectors
// are copied, which reads up to 15 bytes past the input and writes up to 15 bytes past the output.

import { copyMatch } from "./match-copy";

/** Decompresses `src..srcEnd` to exactly `dst..dstEnd`. Returns 0, or -1 if the stream is invalid. */
export function snappyDecode(src: usize, srcEnd: usize, dst: usize, dstEnd: usize): i32 {
  const start = dst;
  let claimed: u64 = 0;
  let shift: u64 = 0;
  let byte: u64;
  do {
    if (src >= srcEnd || shift > 28) {
      return -1;
    }
    byte = <u64>load<u8>(src++);
    claimed |= (byte & 0x7f) << shift;
    shift += 7;
  } while (byte >= 0x80);
  if (claimed != <u64>(dstEnd - dst)) {
    return -1;
  }
  while (src < srcEnd) {
    const tag = <usize>load<u8>(src++);
    const kind = tag & 3;
    let length = (tag >> 2) + 1;
    if (kind == 0) {
      if (length > 60) {
        const width = length - 60;
        if (width > srcEnd - src) {
          return -1;
        }
        // Load four bytes and mask out those after the length.
        length = <usize>(load<u32>(src) & (u32(-1) >>> <u32>(32 - 8 * width)));
        src += width;
        if (length == <usize>u32.MAX_VALUE) {
          return -1;
        }
        length++;
      }
      if (length > srcEnd - src || length > dstEnd - dst) {
        return -1;
      }
      for (let done: usize = 0; done < length; done += 16) {
        v128.store(dst + done, v128.load(src + done));
      }
      src += length;
      dst += length;
      continue;
    }
    const width: usize = kind == 3 ? 4 : kind;
    if (width > srcEnd - src) {
      return -1;
    }
    let distance: usize;
    if (kind == 1) {
      length = ((tag >> 2) & 7) + 4;
      distance = ((tag & 0xe0) << 3) | <usize>load<u8>(src);
    } else {
      distance = kind == 2 ? <usize>load<u16>(src) : <usize>load<u32>(src);
    }
    src += width;
    if (distance == 0 || distance > dst - start || length > dstEnd - dst) {
      return -1;
    }
    const end = dst + length;
    copyMatch(dst, end, distance);
    dst = end;
  }
  return dst == dstEnd ? 0 : -1;
}
