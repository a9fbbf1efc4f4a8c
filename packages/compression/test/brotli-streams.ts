/** Brotli streams that no encoder writes: one command per meta-block, with prefix codes of one symbol, which take zero bits. */

/** Writes bits, starting with the lowest bit of each byte. */
export class BitWriter {
  private readonly bits: number[] = [];

  write(value: number, count: number): this {
    for (let i = 0; i < count; i++) {
      this.bits.push(Math.floor(value / 2 ** i) % 2);
    }
    return this;
  }

  align(): this {
    return this.write(0, -this.bits.length & 7);
  }

  bytes(): Uint8Array {
    const bytes = new Uint8Array((this.bits.length + 7) >>> 3);
    for (const [i, bit] of this.bits.entries()) {
      bytes[i >>> 3] = (bytes[i >>> 3] as number) | (bit << (i & 7));
    }
    return bytes;
  }
}

/** A window of 2^24 bytes. */
export function beginStream(): BitWriter {
  return new BitWriter().write(0b1111, 4);
}

export function endStream(writer: BitWriter): Uint8Array {
  return writer.write(0b11, 2).bytes();
}

/** The header of a meta-block, up to the number of trees of its prefix codes. */
export function beginMetaBlock(writer: BitWriter, length: number): BitWriter {
  // Not last, length, compressed, one type of each block, no direct distances, context mode.
  return writer
    .write(0, 1)
    .write(0, 2)
    .write(length - 1, 16)
    .write(0, 1)
    .write(0, 3)
    .write(0, 6);
}

/** A prefix code of one symbol. */
export function oneSymbol(writer: BitWriter, symbol: number, width: number): BitWriter {
  return writer.write(1, 2).write(0, 2).write(symbol, width);
}

const WORD_COPIES = [4, 5, 6, 7, 8, 9, 10, 12, 14, 18, 22];
const WORD_COPY_BITS = [0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3];

/** Copies `length` bytes (4 to 24) from a distance, as a meta-block of `size` bytes. */
export function writeCopy(writer: BitWriter, length: number, distance: number, size: number): BitWriter {
  const place = WORD_COPIES.findLastIndex((least) => least <= length);
  const copyCode = place + 2;
  // No literals, and an explicit distance.
  const command = copyCode < 8 ? 128 + copyCode : 192 + (copyCode - 8);
  const shifted = distance + 3;
  const width = 30 - Math.clz32(shifted);
  const half = (shifted >>> width) & 1;
  beginMetaBlock(writer, size).write(0, 2).write(0, 2);
  oneSymbol(writer, 0, 8);
  oneSymbol(writer, command, 10);
  oneSymbol(writer, 16 + 2 * (width - 1) + half, 6);
  return writer
    .write(length - (WORD_COPIES[place] as number), WORD_COPY_BITS[place] as number)
    .write(shifted - ((2 + half) << width), width);
}
