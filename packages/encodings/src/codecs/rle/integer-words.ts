/** Integers of 8 to 64 bits as machine words, and the typed arrays that hold them. */
import { bytesOf, type FixedValues } from "../../types/vector.js";

/** Integers as machine words, regardless of their sign: one word per value, or two (low, high) per value of 64 bits. */
export interface IntegerWords {
  readonly words: Uint8Array | Uint16Array | Int32Array;
  readonly perValue: 1 | 2;
}

/** A view of `values` as words. */
export function integerWords(values: FixedValues): IntegerWords {
  switch (values.BYTES_PER_ELEMENT) {
    case 1:
      return { words: bytesOf(values), perValue: 1 };
    case 2:
      return { words: new Uint16Array(values.buffer, values.byteOffset, values.length), perValue: 1 };
    default: {
      const words = new Int32Array(values.buffer, values.byteOffset, values.byteLength / 4);
      return { words, perValue: values.BYTES_PER_ELEMENT === 8 ? 2 : 1 };
    }
  }
}

/** Sets the values `from` to `to` to (`low`, `high`). */
export function fillWords(output: IntegerWords, from: number, to: number, low: number, high: number): void {
  const { words, perValue } = output;
  if (perValue === 1) {
    words.fill(low, from, to);
    return;
  }
  for (let i = 2 * from; i < 2 * to; i += 2) {
    words[i] = low;
    words[i + 1] = high;
  }
}

/** The first `count` integers of `bits` bits in a buffer: 8, 16, 32 or 64, unsigned. */
export function integersIn(buffer: ArrayBuffer, bits: number, count: number) {
  switch (bits) {
    case 8:
      return new Uint8Array(buffer, 0, count);
    case 16:
      return new Uint16Array(buffer, 0, count);
    case 32:
      return new Uint32Array(buffer, 0, count);
    default:
      return new BigUint64Array(buffer, 0, count);
  }
}
