/** Values as machine words. A separate module, so that only the code that uses it loads it. */

/** Values of 4, 8 or 16 bytes as 32-bit words, low words first. Copies them only if they are not aligned to 4 bytes. */
export function wordsOf({ buffer, byteLength, byteOffset }: ArrayBufferView): Int32Array {
  return byteOffset % 4 === 0
    ? new Int32Array(buffer, byteOffset, byteLength >>> 2)
    : new Int32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}

/** Integers that values are moved as, so that NaN payloads survive. */
type MovedWords = Uint8Array | Uint16Array | Int32Array;

/** Values to move from `source` to `target`, each as `perValue` of the widest integers that `source` is aligned to. */
export interface MovedValues {
  readonly source: MovedWords;
  readonly target: MovedWords;
  readonly perValue: number;
}

type MovedArray = new (buffer: ArrayBufferLike, byteOffset: number, length: number) => MovedWords;

/** Prepares values of `width` bytes to be moved from `source` to the first `length` bytes of `buffer`. */
export function movedValues(
  source: Uint8Array,
  buffer: ArrayBuffer,
  length: number,
  width: number,
): MovedValues {
  const widest = Math.min(width, 4);
  const size = source.byteOffset % widest === 0 ? widest : 1;
  const Words: MovedArray = size === 4 ? Int32Array : size === 2 ? Uint16Array : Uint8Array;
  return {
    source: new Words(source.buffer, source.byteOffset, source.byteLength / size),
    target: new Words(buffer, 0, length / size),
    perValue: width / size,
  };
}
