/**
 * The two bit streams of Zstandard (RFC 8878): one is read forward from the lowest bit of the first byte, the other backward
 * from the highest 1 bit of its last byte, which marks its end. Reads are of at most 24 bits.
 */
import { type ByteReader, CFileError, corrupt } from "@cfile/bytes";

const FIELD = "Zstandard bit stream";

/** The error for bytes that no encoder writes. */
export function malformed(field: string, offset: number): CFileError {
  return corrupt(`malformed ${field}`, { offset, field });
}

/** Position of the highest 1 bit, -1 for 0. */
export function highestBit(value: number): number {
  return 31 - Math.clz32(value);
}

/** Bits `bit` to `bit + count` of the bytes at `start`; zeros follow the end of `bytes`. */
export function bitsAt(bytes: Uint8Array, start: number, bit: number, count: number): number {
  const at = start + (bit >>> 3);
  const word =
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24);
  return (word >>> (bit & 7)) & ((1 << count) - 1);
}

/** A bit stream that is read backward. */
export class BackwardBits {
  /** Number of unread bits. */
  left: number;
  private readonly bytes: Uint8Array;
  private readonly start: number;

  /** @throws {CFileError} `E_CORRUPT` when the rest of `reader` is empty or ends with a zero byte */
  constructor({ bytes, position: start, end }: ByteReader) {
    const last = end > start ? (bytes[end - 1] as number) : 0;
    if (last === 0) {
      throw corrupt("bit stream without an end mark", { offset: end, field: FIELD });
    }
    this.bytes = bytes;
    this.start = start;
    this.left = 8 * (end - start - 1) + highestBit(last);
  }

  /** @throws {CFileError} `E_TRUNCATED` when fewer bits remain */
  read(count: number): number {
    if (count > this.left) {
      throw new CFileError("E_TRUNCATED", "bit stream ends early", { offset: this.start, field: FIELD });
    }
    this.left -= count;
    return bitsAt(this.bytes, this.start, this.left, count);
  }

  /** {@link read} for up to 31 bits. */
  readLong(count: number): number {
    return count <= 24 ? this.read(count) : this.read(count - 16) * 65536 + this.read(16);
  }

  /** The next bits, which stay unread; zeros follow the last one. */
  peek(count: number): number {
    return count <= this.left
      ? bitsAt(this.bytes, this.start, this.left - count, count)
      : bitsAt(this.bytes, this.start, 0, this.left) << (count - this.left);
  }
}
