// Decompresses LZ4 blocks. Every length and distance is checked before it is used. Whole vectors are copied, which reads up to 31
// bytes past the input and writes up to 31 bytes past the output.
//
// Most sequences have fewer than 15 literals and a match of fewer than 19 bytes. While there is room for the longest of these,
// their lengths are not compared with the remaining bytes.

import { copyMatch } from "./match-copy";

// Input of the longest such sequence (literals, distance and a byte of the next one), and its output.
const SHORT_INPUT: usize = 14 + 2 + 1;
const SHORT_OUTPUT: usize = 14 + 18;

/** Decompresses `src..srcEnd` to exactly `dst..dstEnd`. Returns 0, or -1 if the block is invalid. */
export function lz4Decode(src: usize, srcEnd: usize, dst: usize, dstEnd: usize): i32 {
  const start = dst;
  while (true) {
    if (src >= srcEnd) {
      return -1;
    }
    const token = <usize>load<u8>(src++);
    let literals = token >> 4;
    let length = token & 15;
    let distance: usize;
    if (literals < 15 && srcEnd - src >= SHORT_INPUT && dstEnd - dst >= SHORT_OUTPUT) {
      v128.store(dst, v128.load(src));
      src += literals;
      dst += literals;
      distance = <usize>load<u16>(src);
      src += 2;
      if (length < 15 && distance >= 8 && distance <= dst - start) {
        const match = dst - distance;
        // In this order, bytes are written before they are read if the distance is at least eight.
        store<u64>(dst, load<u64>(match));
        store<u64>(dst, load<u64>(match, 8), 8);
        store<u16>(dst, load<u16>(match, 16), 16);
        dst += length + 4;
        continue;
      }
    } else {
      if (literals == 15) {
        let more: usize;
        do {
          if (src >= srcEnd) {
            return -1;
          }
          more = <usize>load<u8>(src++);
          literals += more;
        } while (more == 255);
      }
      if (literals > srcEnd - src || literals > dstEnd - dst) {
        return -1;
      }
      v128.store(dst, v128.load(src));
      for (let done: usize = 16; done < literals; done += 16) {
        v128.store(dst + done, v128.load(src + done));
      }
      src += literals;
      dst += literals;
      if (src == srcEnd) {
        return dst == dstEnd ? 0 : -1;
      }
      if (srcEnd - src < 2) {
        return -1;
      }
      distance = <usize>load<u16>(src);
      src += 2;
    }
    if (distance == 0 || distance > dst - start) {
      return -1;
    }
    if (length == 15) {
      let more: usize;
      do {
        if (src >= srcEnd) {
          return -1;
        }
        more = <usize>load<u8>(src++);
        length += more;
      } while (more == 255);
    }
    length += 4;
    if (length > dstEnd - dst) {
      return -1;
    }
    const end = dst + length;
    copyMatch(dst, end, distance);
    dst = end;
  }
}
