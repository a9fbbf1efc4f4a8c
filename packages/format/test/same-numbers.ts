/** Crafted bytes for the search by checksums (`checksum-scan.ts`). */
import { ChecksumKeys } from "../src/recover/search/checksum-scan.js";

/** Bytes in which every fourth position is a start with the number 1 in the first half, and an end with that number in the second. */
export function sameNumbers(units: number): Uint8Array {
  const bytes = new Uint8Array(4 * units);
  const keys = new ChecksumKeys();
  for (let unit = 0; unit < units; unit++) {
    const wanted = unit < units / 2 ? "start" : "end";
    // The number after four bytes is an affine function of their bits.
    const word = solve((bits) => keyAfter(keys, bits)[wanted] ^ 1);
    for (let i = 0; i < 4; i++) {
      const byte = (word >>> (8 * i)) & 0xff;
      bytes[4 * unit + i] = byte;
      keys.push(byte);
    }
  }
  return bytes;
}

function keyAfter(keys: ChecksumKeys, word: number): ChecksumKeys {
  const copy = Object.assign(Object.create(ChecksumKeys.prototype), keys) as ChecksumKeys;
  for (let shift = 0; shift < 32; shift += 8) {
    copy.push((word >>> shift) & 0xff);
  }
  return copy;
}

/** The word for which an affine function with an inverse returns 0. */
function solve(affine: (word: number) => number): number {
  const constant = affine(0);
  let rest = constant;
  let word = 0;
  const pivots: { readonly bit: number; readonly value: number; readonly from: number }[] = [];
  for (let i = 0; i < 32; i++) {
    let value = affine(1 << i) ^ constant;
    let from = 1 << i;
    for (const pivot of pivots) {
      if (value & pivot.bit) {
        value ^= pivot.value;
        from ^= pivot.from;
      }
    }
    pivots.push({ bit: value & -value, value, from });
  }
  for (const { bit, value, from } of pivots) {
    if (rest & bit) {
      rest ^= value;
      word ^= from;
    }
  }
  return word;
}
