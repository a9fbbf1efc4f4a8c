/**
 * Transpositions of small matrices in 32-bit words, the two steps of a bit transposition. Each one swaps smaller and smaller
 * parts between pairs of words, and is its own inverse.
 */

/** Matrices in an array: word `n` of matrix `i` is `words[start + n * step + i * advance]`. */
export interface MatrixWords {
  readonly words: Int32Array;
  start: number;
  readonly step: number;
  readonly advance: number;
}

/**
 * Transposes matrices of eight words, each four 8 x 8 bit matrices side by side: bit `b` of a byte in word `n` becomes
 * bit `n` of the same byte in word `b`.
 */
export function transposeBitMatrices(source: MatrixWords, target: MatrixWords, matrices: number): void {
  const { words, step, advance } = source;
  const { words: out, step: outStep, advance: outAdvance } = target;
  let from = source.start;
  let to = target.start;
  for (let i = 0; i < matrices; i++, from += advance, to += outAdvance) {
    let a = words[from] as number;
    let b = words[from + step] as number;
    let c = words[from + 2 * step] as number;
    let d = words[from + 3 * step] as number;
    let e = words[from + 4 * step] as number;
    let f = words[from + 5 * step] as number;
    let g = words[from + 6 * step] as number;
    let h = words[from + 7 * step] as number;
    // Most integers are small, so their high bytes are zero.
    if ((a | b | c | d | e | f | g | h) !== 0) {
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
    }
    out[to] = a;
    out[to + outStep] = b;
    out[to + 2 * outStep] = c;
    out[to + 3 * outStep] = d;
    out[to + 4 * outStep] = e;
    out[to + 5 * outStep] = f;
    out[to + 6 * outStep] = g;
    out[to + 7 * outStep] = h;
  }
}

/** Transposes 4 x 4 byte matrices of four words: byte `b` of word `n` becomes byte `n` of word `b`. */
export function transposeByteMatrices(source: MatrixWords, target: MatrixWords, matrices: number): void {
  const { words, step, advance } = source;
  const { words: out, step: outStep, advance: outAdvance } = target;
  let from = source.start;
  let to = target.start;
  for (let i = 0; i < matrices; i++, from += advance, to += outAdvance) {
    let a = words[from] as number;
    let b = words[from + step] as number;
    let c = words[from + 2 * step] as number;
    let d = words[from + 3 * step] as number;
    let swap = ((a >>> 16) ^ c) & 0xffff;
    c ^= swap;
    a ^= swap << 16;
    swap = ((b >>> 16) ^ d) & 0xffff;
    d ^= swap;
    b ^= swap << 16;
    swap = ((a >>> 8) ^ b) & 0x00ff00ff;
    b ^= swap;
    a ^= swap << 8;
    swap = ((c >>> 8) ^ d) & 0x00ff00ff;
    d ^= swap;
    c ^= swap << 8;
    out[to] = a;
    out[to + outStep] = b;
    out[to + 2 * outStep] = c;
    out[to + 3 * outStep] = d;
  }
}
