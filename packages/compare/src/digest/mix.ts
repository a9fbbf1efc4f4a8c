/**
 * Mixing of 32-bit words: multiplications by odd constants, and shifts. Each step can be undone. The kernels of `@cfile/kernels` have the
 * same steps for four rows at a time.
 */

/** The low word of a pair, mixed with both. */
export function foldLow(low: number, high: number): number {
  const mixed = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ high;
  const again = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return again ^ (again >>> 16);
}

/** The high word of a pair, mixed with the result of {@link foldLow}. Together, both determine the pair. */
export function foldHigh(folded: number, high: number): number {
  const mixed = Math.imul(high ^ folded, 0x27d4eb2f);
  return mixed ^ (mixed >>> 15);
}
