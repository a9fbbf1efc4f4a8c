/**
 * Turns rows of bits into elements of 2, 4, 8 and 16 bytes, sixteen rows at a time.
 *
 * Rows `16 c` to `16 c + 15` hold the 16-bit half-word `c` of every element. The values of most columns vary only in their low
 * bits: half-words that are equal in all elements are filled in without a transposition.
 *
 * One word of each of the sixteen rows forms two 16 x 16 bit matrices, in the lower and upper halves of the words. Both are
 * transposed: bit `n` of a half of word `w` becomes bit `w` of the same half of word `n`. The lower half of word `n` is then
 * half-word `c` of element `n`, and the upper half that of element `16 + n`.
 */
import { transposeHalves } from "./generated/transpose-halves.js";

const VARYING = -1;

/** The value of each half-word in all elements, or `VARYING`; for elements of up to 16 bytes. */
const constants: Int32Array = /* @__PURE__ */ new Int32Array(8);

/**
 * Fills `elements` from `rows`, an array of the same length with `8 * elementSize` rows of bits.
 *
 * @param elementSize in bytes: 2, 4, 8 or 16
 */
export function rowsToHalfWords(rows: Int32Array, elements: Int32Array, elementSize: number): void {
  const halves = elementSize / 2;
  const rowWords = rows.length / (8 * elementSize);
  let anyConstant = false;
  for (let half = 0; half < halves; half++) {
    const constant = constantHalf(rows, 16 * half * rowWords, rowWords);
    constants[half] = constant;
    anyConstant ||= constant !== VARYING;
  }
  if (anyConstant) {
    fillConstants(elements, halves);
  }
  const target = new Uint16Array(elements.buffer, elements.byteOffset, 2 * elements.length);
  for (let half = 0; half < halves; half++) {
    if (constants[half] === VARYING) {
      transposeHalves(rows, 16 * half * rowWords, rowWords, target, half, halves);
    }
  }
}

/** The half-word that sixteen rows hold for all elements, or `VARYING` unless each row is all zeros or all ones. */
function constantHalf(rows: Int32Array, start: number, rowWords: number): number {
  let bits = 0;
  for (let row = 0; row < 16; row++) {
    const from = start + row * rowWords;
    const first = rows[from] as number;
    if (first !== first >> 31 || !isConstant(rows, from, from + rowWords)) {
      return VARYING;
    }
    bits |= (first & 1) << row;
  }
  return bits;
}

/** Whether all words from `from` to `to` are equal, without a branch per word. */
function isConstant(rows: Int32Array, from: number, to: number): boolean {
  const first = rows[from] as number;
  let difference = 0;
  for (; from + 4 <= to; from += 4) {
    difference |=
      ((rows[from] as number) ^ first) |
      ((rows[from + 1] as number) ^ first) |
      ((rows[from + 2] as number) ^ first) |
      ((rows[from + 3] as number) ^ first);
  }
  while (from < to) {
    difference |= (rows[from++] as number) ^ first;
  }
  return difference === 0;
}

/** Writes the constant half-words to all elements, and zeros to the varying ones. */
function fillConstants(elements: Int32Array, halves: number): void {
  const words = Math.max(1, halves / 2);
  let isOneWord = true;
  for (let i = 0; i < words; i++) {
    const lower = Math.max(0, constants[2 * i] as number);
    const upper = halves === 1 ? lower : Math.max(0, constants[2 * i + 1] as number);
    elements[i] = lower | (upper << 16);
    isOneWord &&= elements[i] === elements[0];
  }
  if (isOneWord) {
    elements.fill(elements[0] as number);
    return;
  }
  for (let done = words; done < elements.length; done *= 2) {
    elements.copyWithin(done, 0, Math.min(done, elements.length - done));
  }
}
