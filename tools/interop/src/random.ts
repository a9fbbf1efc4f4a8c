/** Reproducible choices: the same seed gives the same round. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = Math.imul(seed ^ 0x5bd1e995, 0x9e3779b1) >>> 0;
  }

  /** 0 to `limit - 1`. */
  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  /** From `least` to `most`, both inclusive. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  /** True once in `often` calls, on average. */
  once(often: number): boolean {
    return this.below(often) === 0;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  shuffled<T>(list: readonly T[]): T[] {
    const result = [...list];
    for (let i = result.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [result[i], result[j]] = [result[j] as T, result[i] as T];
    }
    return result;
  }

  /** A signed integer of `bits` bits. */
  signed(bits: number): bigint {
    let value = 0n;
    for (let i = 0; i < bits; i += 16) {
      value = (value << 16n) | BigInt(this.below(0x10000));
    }
    return BigInt.asIntN(bits, value);
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.below(256));
  }
}
