/**
 * The two bit streams of Zstandard (RFC 8878): one read forwards, from the low bit of the first byte on; one backwards,
 * whose last byte ends with its highest 1 bit. All reads are of at most 24 bits.
 */
import { CFileError, corrupt } from "@cfile/bytes";

/** Position of the highest 1 bit, -1 for 0. */
export function highestBit(value: number): number {
  return 31 - Math.clz32(value);
}

/** Bits `bit` to `bit + count` of the bytes from `start` on. What is after the end of `bytes` counts as zeros. */
export function bitsAt(bytes: Uint8Array, start: number, bit: number, count: number): number {
  const at = start + (bit >>> 3);
  const word =
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24);
  return (word >>> (bit & 7)) & ((1 << count) - 1);
}

export class BackwardBits {
  /** Bits that are left. */
  left: number;
  private readonly bytes: Uint8Array;
  private readonly start: number;

  /** @throws CFileError `E_CORRUPT` when `bytes[start..end)` ends with a zero byte or is empty */
  constructor(bytes: Uint8Array, start: number, end: number) {
    const last = end > start ? (bytes[end - 1] as number) : 0;
    if (last === 0) {
      throw corrupt("a bit stream has no end mark", { offset: end, field: "Zstandard bit stream" });
    }
    this.bytes = bytes;
    this.start = start;
    this.left = 8 * (end - start - 1) + highestBit(last);
  }

  /** @throws CFileError `E_TRUNCATED` when fewer are left */
  read(count: number): number {
    if (count > this.left) {
      throw new CFileError("E_TRUNCATED", "a bit stream is used up", {
        offset: this.start,
        field: "Zstandard bit stream",
      });
    }
    this.left -= count;
    return bitsAt(this.bytes, this.start, this.left, count);
  }

  /** As {@link read}, up to 31 bits. */
  readLong(count: number): number {
    return count <= 24 ? this.read(count) : this.read(count - 16) * 65536 + this.read(16);
  }

  /** The next bits without taking them; zeros follow the last one. */
  peek(count: number): number {
    return count <= this.left
      ? bitsAt(this.bytes, this.start, this.left - count, count)
      : bitsAt(this.bytes, this.start, 0, this.left) << (count - this.left);
  }
}
