/**
 * 64-bit unsigned arithmetic, modulo 2^64, on two 32-bit halves, for the hashes.
 *
 * | half | content |
 * | --- | --- |
 * | `lo` | bits 0 to 31, as a signed 32-bit integer |
 * | `hi` | bits 32 to 63, as a signed 32-bit integer |
 *
 * Operations change the word in place and return it, so that a hash reads as one formula and allocates nothing.
 */
export class Word64 {
  lo: number;
  hi: number;

  constructor(hi = 0, lo = 0) {
    this.lo = lo | 0;
    this.hi = hi | 0;
  }

  /** Sets both halves; only their low 32 bits count. */
  set(hi: number, lo: number): this {
    this.lo = lo | 0;
    this.hi = hi | 0;
    return this;
  }

  /** Sets the value of another word. */
  copy(other: Word64): this {
    return this.set(other.hi, other.lo);
  }

  /** Sets the little-endian value of eight bytes. */
  load(bytes: Uint8Array, position: number): this {
    return this.set(load32(bytes, position + 4), load32(bytes, position));
  }

  /** Adds, modulo 2^64. */
  add(other: Word64): this {
    const lo = (this.lo + other.lo) | 0;
    const carry = lo >>> 0 < other.lo >>> 0 ? 1 : 0;
    this.hi = (this.hi + other.hi + carry) | 0;
    this.lo = lo;
    return this;
  }

  /** Adds an integer from 0 to 2^32 - 1. */
  addNumber(value: number): this {
    const lo = (this.lo + value) | 0;
    this.hi = (this.hi + (lo >>> 0 < value ? 1 : 0)) | 0;
    this.lo = lo;
    return this;
  }

  /** Subtracts, modulo 2^64. */
  subtract(other: Word64): this {
    const borrow = this.lo >>> 0 < other.lo >>> 0 ? 1 : 0;
    this.lo = (this.lo - other.lo) | 0;
    this.hi = (this.hi - other.hi - borrow) | 0;
    return this;
  }

  /** Exclusive or. */
  xor(other: Word64): this {
    this.lo ^= other.lo;
    this.hi ^= other.hi;
    return this;
  }

  /** Multiplies, modulo 2^64. */
  multiply(other: Word64): this {
    const left = this.lo;
    const right = other.lo;
    const cross = (Math.imul(this.hi, right) + Math.imul(left, other.hi)) | 0;
    this.lo = Math.imul(left, right);
    this.hi = (cross + multiplyHigh(left, right)) | 0;
    return this;
  }

  /** Rotates towards the lowest bit, by 0 to 63 bits. */
  rotateRight(bits: number): this {
    const shift = bits & 31;
    const low = bits >= 32 ? this.hi : this.lo;
    const high = bits >= 32 ? this.lo : this.hi;
    return shift === 0
      ? this.set(high, low)
      : this.set((high >>> shift) | (low << (32 - shift)), (low >>> shift) | (high << (32 - shift)));
  }

  /** `word ^ (word >> bits)`; `bits` is 1 to 63. */
  xorShiftRight(bits: number): this {
    const { lo, hi } = this;
    if (bits >= 32) {
      this.lo = lo ^ (hi >>> (bits - 32));
    } else {
      this.lo = lo ^ ((lo >>> bits) | (hi << (32 - bits)));
      this.hi = hi ^ (hi >>> bits);
    }
    return this;
  }

  /** As an unsigned integer. */
  toBigInt(): bigint {
    return (BigInt(this.hi >>> 0) << 32n) | BigInt(this.lo >>> 0);
  }
}

/** The little-endian value of four bytes, as a signed integer. */
export function load32(bytes: Uint8Array, position: number): number {
  return (
    (bytes[position] as number) |
    ((bytes[position + 1] as number) << 8) |
    ((bytes[position + 2] as number) << 16) |
    ((bytes[position + 3] as number) << 24)
  );
}

/** Bits 32 to 63 of the unsigned product of two 32-bit integers, computed from products of their 16-bit halves. */
function multiplyHigh(left: number, right: number): number {
  const leftLow = left & 0xffff;
  const leftHigh = left >>> 16;
  const rightLow = right & 0xffff;
  const rightHigh = right >>> 16;
  const low = Math.imul(leftLow, rightLow) >>> 16;
  const middle = (Math.imul(leftHigh, rightLow) + low) >>> 0;
  const middleLow = (Math.imul(leftLow, rightHigh) + (middle & 0xffff)) >>> 0;
  return (Math.imul(leftHigh, rightHigh) + (middle >>> 16) + (middleLow >>> 16)) | 0;
}

/** Sets `out` to the little-endian value of the one to seven bytes `bytes[start..end)`. */
export function loadTail(bytes: Uint8Array, start: number, end: number, out: Word64): Word64 {
  let lo = 0;
  let hi = 0;
  for (let position = end - 1; position >= start; position--) {
    hi = (hi << 8) | (lo >>> 24);
    lo = (lo << 8) | (bytes[position] as number);
  }
  return out.set(hi, lo);
}
