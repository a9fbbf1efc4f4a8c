/**
 * xxHash64 with seed 0, the hash of Bloom filters (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md), in 32-bit words.
 * Libraries hash through BigInt or per call through WebAssembly memory, which takes microseconds per value.
 */

/** A 64-bit number that changes in place. */
class Word64 {
  low = 0;
  high = 0;

  set(low: number, high: number): this {
    this.low = low | 0;
    this.high = high | 0;
    return this;
  }

  add(low: number, high: number): this {
    const sum = (this.low >>> 0) + (low >>> 0);
    this.low = sum | 0;
    this.high = (this.high + high + (sum > 0xffffffff ? 1 : 0)) | 0;
    return this;
  }

  xor(low: number, high: number): this {
    this.low ^= low;
    this.high ^= high;
    return this;
  }

  multiply(low: number, high: number): this {
    const { low: own } = this;
    const carried = highProduct(own, low);
    this.high = (carried + Math.imul(own, high) + Math.imul(this.high, low)) | 0;
    this.low = Math.imul(own, low);
    return this;
  }

  /** Rotates left by 1 to 31 bits. */
  rotate(bits: number): this {
    const { low, high } = this;
    this.low = (low << bits) | (high >>> (32 - bits));
    this.high = (high << bits) | (low >>> (32 - bits));
    return this;
  }

  /** `this ^= this >>> (32 + bits)`. */
  foldHigh(bits: number): this {
    this.low ^= this.high >>> bits;
    return this;
  }

  /** Adds a lane of 8 bytes: one round of the specification. */
  round(low: number, high: number): this {
    LANE.set(low, high).multiply(PRIME_2[0], PRIME_2[1]);
    return this.add(LANE.low, LANE.high).rotate(31).multiply(PRIME_1[0], PRIME_1[1]);
  }
}

/** High half of an unsigned 64-bit product. */
function highProduct(a: number, b: number): number {
  const [aLow, aHigh, bLow, bHigh] = [a & 0xffff, a >>> 16, b & 0xffff, b >>> 16];
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  const other = aLow * bHigh + (middle & 0xffff);
  return (aHigh * bHigh + Math.floor(middle / 65536) + (other >>> 16)) | 0;
}

/** Primes of the specification: low word, high word. */
const PRIME_1 = [0x85ebca87, 0x9e3779b1] as const;
const PRIME_2 = [0x27d4eb4f, 0xc2b2ae3d] as const;
const PRIME_3 = [0x9e3779f9, 0x165667b1] as const;
const PRIME_4 = [0xc2b2ae63, 0x85ebca77] as const;
const PRIME_5 = [0x165667c5, 0x27d4eb2f] as const;
const LANE = /* @__PURE__ */ new Word64();
const MERGED = /* @__PURE__ */ new Word64();

/** Hashes byte strings; the result stays in `low` and `high` until the next one. */
export class Xxhash64 {
  private readonly state = new Word64();
  private readonly lanes = [new Word64(), new Word64(), new Word64(), new Word64()] as const;

  get low(): number {
    return this.state.low;
  }

  get high(): number {
    return this.state.high;
  }

  /** Hashes `bytes[from..to)`. */
  update(bytes: Uint8Array, from = 0, to: number = bytes.length): void {
    const length = to - from;
    const { state } = this;
    let at = from;
    if (length >= 32) {
      at = this.stripes(bytes, from, to);
    } else {
      state.set(PRIME_5[0], PRIME_5[1]);
    }
    state.add(length, 0);
    for (; at + 8 <= to; at += 8) {
      MERGED.set(0, 0).round(word(bytes, at), word(bytes, at + 4));
      state.xor(MERGED.low, MERGED.high).rotate(27);
      state.multiply(PRIME_1[0], PRIME_1[1]).add(PRIME_4[0], PRIME_4[1]);
    }
    if (at + 4 <= to) {
      MERGED.set(word(bytes, at), 0).multiply(PRIME_1[0], PRIME_1[1]);
      state.xor(MERGED.low, MERGED.high).rotate(23);
      state.multiply(PRIME_2[0], PRIME_2[1]).add(PRIME_3[0], PRIME_3[1]);
      at += 4;
    }
    for (; at < to; at++) {
      MERGED.set(bytes[at] as number, 0).multiply(PRIME_5[0], PRIME_5[1]);
      state.xor(MERGED.low, MERGED.high).rotate(11).multiply(PRIME_1[0], PRIME_1[1]);
    }
    state.foldHigh(1).multiply(PRIME_2[0], PRIME_2[1]);
    const { low, high } = state;
    state.xor((low >>> 29) | (high << 3), high >>> 29).multiply(PRIME_3[0], PRIME_3[1]);
    state.xor(state.high, 0);
  }

  /** Mixes whole stripes of 32 bytes into the state. @returns the position after them */
  private stripes(bytes: Uint8Array, from: number, to: number): number {
    const [a, b, c, d] = this.lanes;
    a.set(PRIME_1[0], PRIME_1[1]).add(PRIME_2[0], PRIME_2[1]);
    b.set(PRIME_2[0], PRIME_2[1]);
    c.set(0, 0);
    // Minus the first prime.
    d.set(~PRIME_1[0], ~PRIME_1[1]).add(1, 0);
    let at = from;
    for (; at + 32 <= to; at += 32) {
      a.round(word(bytes, at), word(bytes, at + 4));
      b.round(word(bytes, at + 8), word(bytes, at + 12));
      c.round(word(bytes, at + 16), word(bytes, at + 20));
      d.round(word(bytes, at + 24), word(bytes, at + 28));
    }
    const { state } = this;
    state.set(0, 0);
    for (const [lane, bits] of [
      [a, 1],
      [b, 7],
      [c, 12],
      [d, 18],
    ] as const) {
      MERGED.set(lane.low, lane.high).rotate(bits);
      state.add(MERGED.low, MERGED.high);
    }
    for (const lane of this.lanes) {
      MERGED.set(0, 0).round(lane.low, lane.high);
      state.xor(MERGED.low, MERGED.high).multiply(PRIME_1[0], PRIME_1[1]).add(PRIME_4[0], PRIME_4[1]);
    }
    return at;
  }
}

function word(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}
