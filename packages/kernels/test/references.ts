/** The same functions as the kernels, written for clarity. */

export function crcBitwise(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) {
      crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
    }
  }
  return ~crc >>> 0;
}

/** Expands a sound LZ4 block of `size` bytes. */
export function lz4Expand(block: Uint8Array, size: number): Uint8Array {
  const output: number[] = [];
  let at = 0;
  const length = (nibble: number): number => {
    let total = nibble;
    if (nibble === 15) {
      let more: number;
      do {
        more = block[at++] as number;
        total += more;
      } while (more === 255);
    }
    return total;
  };
  for (;;) {
    const token = block[at++] as number;
    for (let i = length(token >> 4); i > 0; i--) {
      output.push(block[at++] as number);
    }
    if (at >= block.length) {
      break;
    }
    const distance = (block[at] as number) | ((block[at + 1] as number) << 8);
    at += 2;
    for (let i = length(token & 15) + 4; i > 0; i--) {
      output.push(output[output.length - distance] as number);
    }
  }
  if (output.length !== size) {
    throw new RangeError(`${output.length} bytes instead of ${size}`);
  }
  return Uint8Array.from(output);
}

/** Bit `b` of all elements becomes one row of bits. */
export function shuffleBits(elements: Uint8Array, size: number): Uint8Array {
  const count = elements.length / size;
  const output = new Uint8Array(elements.length);
  for (let bit = 0; bit < 8 * size; bit++) {
    for (let i = 0; i < count; i++) {
      const value = ((elements[i * size + (bit >> 3)] as number) >> (bit & 7)) & 1;
      const at = (bit * count) / 8 + (i >> 3);
      output[at] = (output[at] as number) | (value << (i & 7));
    }
  }
  return output;
}
