/** Mixing of 32-bit words: multiplications by odd constants, and shifts. Each step can be undone. */

/** The low word of a pair, mixed with both. */
export function foldLow(low: number, high: number): number {
  const mixed = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ high;
  const again = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return again ^ (again >>> 16);
}

/** The high word of a pair, mixed with the result of {@link foldLow}. Together, both determine the pair. */
export function foldHigh(folded: number, high: number): number {
  const mixed = Math.imul(high ^ folded, 0x27d4eb2f);
  return Math.imul(mixed ^ (mixed >>> 15), 0x165667b1);
}

/** Byte strings back to back, in Arrow's layout. */
interface Strings {
  readonly offsets: Int32Array;
  readonly data: Uint8Array;
  readonly length: number;
}

/** Hashes string `i` into `low[i]` and `high[i]`. */
export function hashStrings({ offsets, data, length }: Strings, low: Int32Array, high: Int32Array): void {
  for (let i = 0; i < length; i++) {
    let at = offsets[i] as number;
    const to = offsets[i + 1] as number;
    let a = to - at;
    let b = 0x9e3779b1 | 0;
    for (; at + 4 <= to; at += 4) {
      const word =
        (data[at] as number) |
        ((data[at + 1] as number) << 8) |
        ((data[at + 2] as number) << 16) |
        ((data[at + 3] as number) << 24);
      a = Math.imul(a ^ word, 0x85ebca6b);
      a ^= a >>> 15;
      b = Math.imul((b ^ word) + a, 0x27d4eb2f);
      b ^= b >>> 13;
    }
    let rest = 0;
    for (let shift = 0; at < to; at++, shift += 8) {
      rest |= (data[at] as number) << shift;
    }
    const folded = foldLow(a ^ rest, b);
    low[i] = folded;
    high[i] = foldHigh(folded, b ^ rest);
  }
}

/** Two words for a text, like the name of a column. */
export function textWords(text: string): readonly [low: number, high: number] {
  const data = new TextEncoder().encode(text);
  const [low, high] = [new Int32Array(1), new Int32Array(1)];
  hashStrings({ offsets: Int32Array.of(0, data.length), data, length: 1 }, low, high);
  return [low[0] as number, high[0] as number];
}
