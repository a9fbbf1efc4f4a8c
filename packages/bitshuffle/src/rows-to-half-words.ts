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

const VARYING = -1;

/** The value of each half-word in all elements, or `VARYING`; for elements of up to 16 bytes. */
const constants: Int32Array = /* @__PURE__ */ new Int32Array(8);

/** Words per row that are transposed at a time. */
const STRIP_WORDS = 128;

/** Sixteen words per word of a row. A module constant, so that engines know its length and skip bounds checks. */
const pairs: Int32Array = /* @__PURE__ */ new Int32Array(16 * STRIP_WORDS);

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
    for (let word = 0; constants[half] === VARYING && word < rowWords; word += STRIP_WORDS) {
      const words = Math.min(STRIP_WORDS, rowWords - word);
      const to = half + 32 * word * halves;
      pairBytes(rows, 16 * half * rowWords + word, rowWords, words);
      transposeEight(0, words, target, to, halves);
      transposeEight(8, words, target, to + 8 * halves, halves);
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

/** The first step: swaps bytes between row `r` and row `r + 8`, which leaves 8 x 8 bit matrices to transpose. */
function pairBytes(rows: Int32Array, from: number, rowWords: number, words: number): void {
  const below = 8 * rowWords;
  for (let at = from, i = 0; i < 16 * words; at++, i += 16) {
    pairWords(rows, at, below, i);
    pairWords(rows, at + rowWords, below, i + 1);
    pairWords(rows, at + 2 * rowWords, below, i + 2);
    pairWords(rows, at + 3 * rowWords, below, i + 3);
    pairWords(rows, at + 4 * rowWords, below, i + 4);
    pairWords(rows, at + 5 * rowWords, below, i + 5);
    pairWords(rows, at + 6 * rowWords, below, i + 6);
    pairWords(rows, at + 7 * rowWords, below, i + 7);
  }
}

function pairWords(rows: Int32Array, at: number, below: number, i: number): void {
  const upper = rows[at] as number;
  const lower = rows[at + below] as number;
  const swap = ((upper >>> 8) ^ lower) & 0x00ff00ff;
  pairs[i] = upper ^ (swap << 8);
  pairs[i + 8] = lower ^ swap;
}

/** The remaining steps, for words `first` to `first + 7` of each sixteen: eight elements from each half. */
function transposeEight(first: number, words: number, target: Uint16Array, to: number, step: number): void {
  for (let from = first; from < 16 * words; from += 16, to += 32 * step) {
    let a = pairs[from] as number;
    let b = pairs[from + 1] as number;
    let c = pairs[from + 2] as number;
    let d = pairs[from + 3] as number;
    let e = pairs[from + 4] as number;
    let f = pairs[from + 5] as number;
    let g = pairs[from + 6] as number;
    let h = pairs[from + 7] as number;

    let swap = ((a >>> 4) ^ e) & 0x0f0f0f0f;
    e ^= swap;
    a ^= swap << 4;
    swap = ((b >>> 4) ^ f) & 0x0f0f0f0f;
    f ^= swap;
    b ^= swap << 4;
    swap = ((c >>> 4) ^ g) & 0x0f0f0f0f;
    g ^= swap;
    c ^= swap << 4;
    swap = ((d >>> 4) ^ h) & 0x0f0f0f0f;
    h ^= swap;
    d ^= swap << 4;

    swap = ((a >>> 2) ^ c) & 0x33333333;
    c ^= swap;
    a ^= swap << 2;
    swap = ((b >>> 2) ^ d) & 0x33333333;
    d ^= swap;
    b ^= swap << 2;
    swap = ((e >>> 2) ^ g) & 0x33333333;
    g ^= swap;
    e ^= swap << 2;
    swap = ((f >>> 2) ^ h) & 0x33333333;
    h ^= swap;
    f ^= swap << 2;

    swap = ((a >>> 1) ^ b) & 0x55555555;
    b ^= swap;
    a ^= swap << 1;
    swap = ((c >>> 1) ^ d) & 0x55555555;
    d ^= swap;
    c ^= swap << 1;
    swap = ((e >>> 1) ^ f) & 0x55555555;
    f ^= swap;
    e ^= swap << 1;
    swap = ((g >>> 1) ^ h) & 0x55555555;
    h ^= swap;
    g ^= swap << 1;

    storeHalves(target, to, step, a);
    storeHalves(target, to + step, step, b);
    storeHalves(target, to + 2 * step, step, c);
    storeHalves(target, to + 3 * step, step, d);
    storeHalves(target, to + 4 * step, step, e);
    storeHalves(target, to + 5 * step, step, f);
    storeHalves(target, to + 6 * step, step, g);
    storeHalves(target, to + 7 * step, step, h);
  }
}

/** Stores the lower half for an element and the upper half for the one 16 elements later. */
function storeHalves(target: Uint16Array, at: number, step: number, word: number): void {
  target[at] = word;
  target[at + 16 * step] = word >>> 16;
}
