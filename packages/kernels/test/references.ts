/** Straightforward implementations of the kernels. */

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

/** Decompresses a valid LZ4 block of `size` bytes. */
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

/** A group varint sequence. */
export function groupVarints(values: readonly number[]): Uint8Array {
  const bytes: number[] = [];
  for (let i = 0; i < values.length; i += 4) {
    const group = [0, 1, 2, 3].map((k) => {
      const value = values[i + k] ?? 0;
      const length = value < 0x100 ? 1 : value < 0x10000 ? 2 : value < 0x1000000 ? 3 : 4;
      return Array.from({ length }, (_, byte) => (value >>> (8 * byte)) & 255);
    });
    bytes.push(
      group.reduce((selector, part) => (selector << 2) | (part.length - 1), 0),
      ...group.flat(),
    );
  }
  return Uint8Array.from(bytes);
}

/** Entries and restarts of a prefix block, after some bytes of header. */
export function prefixBlock(
  values: readonly Uint8Array[],
  interval: number,
): { block: Uint8Array; entriesStart: number; entriesEnd: number } {
  const bytes = [1, 2, 3, 4, 5];
  const restarts: number[] = [];
  const varint = (value: number): number[] =>
    value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
  values.forEach((value, i) => {
    let shared = 0;
    if (i % interval === 0) {
      if (i > 0) {
        restarts.push(bytes.length);
      }
    } else {
      const previous = values[i - 1] as Uint8Array;
      while (shared < Math.min(value.length, previous.length) && value[shared] === previous[shared]) {
        shared++;
      }
    }
    bytes.push(...varint(shared), ...varint(value.length - shared), ...value.subarray(shared));
  });
  const entriesEnd = bytes.length;
  for (const word of [...restarts, restarts.length]) {
    bytes.push(word & 255, (word >> 8) & 255, (word >> 16) & 255, 0);
  }
  return { block: Uint8Array.from(bytes), entriesStart: 5, entriesEnd };
}

/** Decompresses a valid Snappy stream. */
export function snappyExpand(stream: Uint8Array): Uint8Array {
  const output: number[] = [];
  let at = 0;
  const little = (width: number): number => {
    let value = 0;
    for (let i = 0; i < width; i++) {
      value += (stream[at++] as number) * 256 ** i;
    }
    return value;
  };
  while ((stream[at++] as number) >= 0x80) {
    // The length is known from the output.
  }
  while (at < stream.length) {
    const tag = stream[at++] as number;
    let length = (tag >> 2) + 1;
    if ((tag & 3) === 0) {
      length = length > 60 ? little(length - 60) + 1 : length;
      for (; length > 0; length--) {
        output.push(stream[at++] as number);
      }
      continue;
    }
    let distance: number;
    if ((tag & 3) === 1) {
      length = ((tag >> 2) & 7) + 4;
      distance = ((tag & 0xe0) << 3) | little(1);
    } else {
      distance = little((tag & 3) === 2 ? 2 : 4);
    }
    for (; length > 0; length--) {
      output.push(output[output.length - distance] as number);
    }
  }
  return Uint8Array.from(output);
}

/** Runs of an RLE stream: a value that is repeated, or single values (whole groups of eight). */
export type RleRun =
  | { readonly value: bigint; readonly times: number }
  | { readonly values: readonly bigint[] };

/** An RLE stream of whole runs, without the last `cut` bytes. */
export function rleStream(runs: readonly RleRun[], width: number, cut = 0): Uint8Array {
  const bytes: number[] = [];
  const varint = (value: number): void => {
    for (; value > 0x7f; value >>>= 7) {
      bytes.push((value & 0x7f) | 0x80);
    }
    bytes.push(value);
  };
  const wholeBytes = (value: bigint, length: number): void => {
    for (let i = 0; i < length; i++) {
      bytes.push(Number((value >> BigInt(8 * i)) & 0xffn));
    }
  };
  for (const run of runs) {
    if ("times" in run) {
      varint(2 * run.times);
      wholeBytes(run.value, Math.ceil(width / 8));
    } else {
      varint((run.values.length / 8) * 2 + 1);
      const packed = run.values.reduce((sum, value, i) => sum | (value << BigInt(i * width)), 0n);
      wholeBytes(packed, (run.values.length * width) / 8);
    }
  }
  return Uint8Array.from(bytes).subarray(0, bytes.length - cut);
}

/** Packs values of `width` bits, the lowest bits first. */
export function packed(values: readonly bigint[], width: number): Uint8Array {
  const bytes = new Uint8Array(Math.ceil((values.length * width) / 8));
  for (const [i, value] of values.entries()) {
    for (let bit = 0; bit < width; bit++) {
      const at = i * width + bit;
      bytes[at >> 3] = (bytes[at >> 3] as number) | (Number((value >> BigInt(bit)) & 1n) << (at & 7));
    }
  }
  return bytes;
}
