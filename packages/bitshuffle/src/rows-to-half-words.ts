/**
 * From rows of bits to elements of 2, 4, 8 and 16 bytes, sixteen rows at a time.
 *
 * Rows `16 c` to `16 c + 15` make the 16-bit half-word `c` of every element. Real columns vary in their low bits only:
 * half-words that are the same in every element are filled in without a transposition.
 *
 * Sixteen words, one a row, are two 16 x 16 bit matrices in their lower and upper halves. Both are transposed: bit `n` of a
 * half of word `w` becomes bit `w` of the same half of word `n`. The lower half of word `n` then is half-word `c` of element
 * `n`, the upper half that of element `16 + n`.
 */

const VARYING = -1;

/** What each half-word of all elements is, or `VARYING`; for elements of up to 16 bytes. */
const constants: Int32Array = /* @__PURE__ */ new Int32Array(8);

/**
 * Fills `elements` from `rows`, which take as many bytes: `8 * elementSize` rows of bits.
 *
 * @param elementSize 2, 4, 8 or 16
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

/** The sixteen bits that sixteen rows hold for every element, if each row is all zeros or all ones. */
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

/** Whether all words from `from` to `to` are equal; in steps that have no branch for each word. */
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

/** Transposes sixteen rows from word `start` on to `target[to]`, `target[to + step]` and so on. */
function transposeHalves(
  rows: Int32Array,
  start: number,
  rowWords: number,
  target: Uint16Array,
  to: number,
  step: number,
): void {
  for (let word = start; word < start + rowWords; word++, to += 32 * step) {
    let at = word;
    let a = rows[at] as number;
    at += rowWords;
    let b = rows[at] as number;
    at += rowWords;
    let c = rows[at] as number;
    at += rowWords;
    let d = rows[at] as number;
    at += rowWords;
    let e = rows[at] as number;
    at += rowWords;
    let f = rows[at] as number;
    at += rowWords;
    let g = rows[at] as number;
    at += rowWords;
    let h = rows[at] as number;
    at += rowWords;
    let i = rows[at] as number;
    at += rowWords;
    let j = rows[at] as number;
    at += rowWords;
    let k = rows[at] as number;
    at += rowWords;
    let l = rows[at] as number;
    at += rowWords;
    let m = rows[at] as number;
    at += rowWords;
    let n = rows[at] as number;
    at += rowWords;
    let o = rows[at] as number;
    at += rowWords;
    let p = rows[at] as number;

    let swap = ((a >>> 8) ^ i) & 0x00ff00ff;
    i ^= swap;
    a ^= swap << 8;
    swap = ((b >>> 8) ^ j) & 0x00ff00ff;
    j ^= swap;
    b ^= swap << 8;
    swap = ((c >>> 8) ^ k) & 0x00ff00ff;
    k ^= swap;
    c ^= swap << 8;
    swap = ((d >>> 8) ^ l) & 0x00ff00ff;
    l ^= swap;
    d ^= swap << 8;
    swap = ((e >>> 8) ^ m) & 0x00ff00ff;
    m ^= swap;
    e ^= swap << 8;
    swap = ((f >>> 8) ^ n) & 0x00ff00ff;
    n ^= swap;
    f ^= swap << 8;
    swap = ((g >>> 8) ^ o) & 0x00ff00ff;
    o ^= swap;
    g ^= swap << 8;
    swap = ((h >>> 8) ^ p) & 0x00ff00ff;
    p ^= swap;
    h ^= swap << 8;

    swap = ((a >>> 4) ^ e) & 0x0f0f0f0f;
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

    swap = ((i >>> 4) ^ m) & 0x0f0f0f0f;
    m ^= swap;
    i ^= swap << 4;
    swap = ((j >>> 4) ^ n) & 0x0f0f0f0f;
    n ^= swap;
    j ^= swap << 4;
    swap = ((k >>> 4) ^ o) & 0x0f0f0f0f;
    o ^= swap;
    k ^= swap << 4;
    swap = ((l >>> 4) ^ p) & 0x0f0f0f0f;
    p ^= swap;
    l ^= swap << 4;
    swap = ((i >>> 2) ^ k) & 0x33333333;
    k ^= swap;
    i ^= swap << 2;
    swap = ((j >>> 2) ^ l) & 0x33333333;
    l ^= swap;
    j ^= swap << 2;
    swap = ((m >>> 2) ^ o) & 0x33333333;
    o ^= swap;
    m ^= swap << 2;
    swap = ((n >>> 2) ^ p) & 0x33333333;
    p ^= swap;
    n ^= swap << 2;
    swap = ((i >>> 1) ^ j) & 0x55555555;
    j ^= swap;
    i ^= swap << 1;
    swap = ((k >>> 1) ^ l) & 0x55555555;
    l ^= swap;
    k ^= swap << 1;
    swap = ((m >>> 1) ^ n) & 0x55555555;
    n ^= swap;
    m ^= swap << 1;
    swap = ((o >>> 1) ^ p) & 0x55555555;
    p ^= swap;
    o ^= swap << 1;

    let lower = to;
    let upper = to + 16 * step;
    target[lower] = a;
    target[upper] = a >>> 16;
    lower += step;
    upper += step;
    target[lower] = b;
    target[upper] = b >>> 16;
    lower += step;
    upper += step;
    target[lower] = c;
    target[upper] = c >>> 16;
    lower += step;
    upper += step;
    target[lower] = d;
    target[upper] = d >>> 16;
    lower += step;
    upper += step;
    target[lower] = e;
    target[upper] = e >>> 16;
    lower += step;
    upper += step;
    target[lower] = f;
    target[upper] = f >>> 16;
    lower += step;
    upper += step;
    target[lower] = g;
    target[upper] = g >>> 16;
    lower += step;
    upper += step;
    target[lower] = h;
    target[upper] = h >>> 16;
    lower += step;
    upper += step;
    target[lower] = i;
    target[upper] = i >>> 16;
    lower += step;
    upper += step;
    target[lower] = j;
    target[upper] = j >>> 16;
    lower += step;
    upper += step;
    target[lower] = k;
    target[upper] = k >>> 16;
    lower += step;
    upper += step;
    target[lower] = l;
    target[upper] = l >>> 16;
    lower += step;
    upper += step;
    target[lower] = m;
    target[upper] = m >>> 16;
    lower += step;
    upper += step;
    target[lower] = n;
    target[upper] = n >>> 16;
    lower += step;
    upper += step;
    target[lower] = o;
    target[upper] = o >>> 16;
    lower += step;
    upper += step;
    target[lower] = p;
    target[upper] = p >>> 16;
  }
}
