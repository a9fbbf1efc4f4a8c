/**
 * Transpositions of small matrices that stand in 32-bit words, the two steps of a bit transposition. Each swaps
 * blocks of ever smaller size between pairs of words; each is its own inverse.
 *
 * Matrix `i` takes its word `n` from `source[from + n * sourceStep + i * sourceAdvance]`, and likewise for the target.
 */

/**
 * Eight words are four 8 x 8 bit matrices side by side, one per byte. Each is transposed: bit `b` of a byte in word
 * `n` becomes bit `n` of the same byte in word `b`.
 */
export function transposeBitMatrices(
  source: Int32Array,
  from: number,
  sourceStep: number,
  sourceAdvance: number,
  target: Int32Array,
  to: number,
  targetStep: number,
  targetAdvance: number,
  matrices: number,
): void {
  for (let i = 0; i < matrices; i++, from += sourceAdvance, to += targetAdvance) {
    let a = source[from] as number;
    let b = source[from + sourceStep] as number;
    let c = source[from + 2 * sourceStep] as number;
    let d = source[from + 3 * sourceStep] as number;
    let e = source[from + 4 * sourceStep] as number;
    let f = source[from + 5 * sourceStep] as number;
    let g = source[from + 6 * sourceStep] as number;
    let h = source[from + 7 * sourceStep] as number;
    // Most integers are small: whole bytes of their elements are zero.
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
    target[to] = a;
    target[to + targetStep] = b;
    target[to + 2 * targetStep] = c;
    target[to + 3 * targetStep] = d;
    target[to + 4 * targetStep] = e;
    target[to + 5 * targetStep] = f;
    target[to + 6 * targetStep] = g;
    target[to + 7 * targetStep] = h;
  }
}

/** Four words are a 4 x 4 byte matrix. It is transposed: byte `b` of word `n` becomes byte `n` of word `b`. */
export function transposeByteMatrices(
  source: Int32Array,
  from: number,
  sourceStep: number,
  sourceAdvance: number,
  target: Int32Array,
  to: number,
  targetStep: number,
  targetAdvance: number,
  matrices: number,
): void {
  for (let i = 0; i < matrices; i++, from += sourceAdvance, to += targetAdvance) {
    let a = source[from] as number;
    let b = source[from + sourceStep] as number;
    let c = source[from + 2 * sourceStep] as number;
    let d = source[from + 3 * sourceStep] as number;
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
    target[to] = a;
    target[to + targetStep] = b;
    target[to + 2 * targetStep] = c;
    target[to + 3 * targetStep] = d;
  }
}
