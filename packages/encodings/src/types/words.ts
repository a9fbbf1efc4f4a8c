/** Values as machine words. A module of its own, so that only the code that needs it loads it. */

/** Values of 4, 8 or 16 bytes as 32-bit words, low words first. A copy only if they are not aligned to 4 bytes. */
export function wordsOf({ buffer, byteLength, byteOffset }: ArrayBufferView): Int32Array {
  return byteOffset % 4 === 0
    ? new Int32Array(buffer, byteOffset, byteLength >>> 2)
    : new Int32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}

/** Integers that values are moved as, so that NaN payloads survive. */
export type MovedWords = Uint8Array | Uint16Array | Int32Array;

/** Values to move, in `source`, and where they go, each as `perValue` of the widest integers that `source` is aligned to. */
export interface MovedValues {
  readonly source: MovedWords;
  readonly target: MovedWords;
  readonly perValue: number;
}

/** Prepares values of `width` bytes to be moved from `source` to the first `length` bytes of `buffer`. */
export function movedValues(
  source: Uint8Array,
  buffer: ArrayBufferLike,
  length: number,
  width: number,
): MovedValues {
  if (width >= 4 && source.byteOffset % 4 === 0) {
    return { source: wordsOf(source), target: new Int32Array(buffer, 0, length / 4), perValue: width / 4 };
  }
  if (width === 2 && source.byteOffset % 2 === 0) {
    const words = new Uint16Array(source.buffer, source.byteOffset, source.byteLength >>> 1);
    return { source: words, target: new Uint16Array(buffer, 0, length / 2), perValue: 1 };
  }
  return { source, target: new Uint8Array(buffer, 0, length), perValue: width };
}
