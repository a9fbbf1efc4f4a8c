/** Values of 8 or 16 bytes as words of 32 bits, low words first. A copy only where they do not stand at a multiple of 4 bytes. */
export function wordsOf({ buffer, byteLength, byteOffset }: ArrayBufferView): Int32Array {
  return byteOffset % 4 === 0
    ? new Int32Array(buffer, byteOffset, byteLength >>> 2)
    : new Int32Array(buffer.slice(byteOffset, byteOffset + byteLength));
}
