/** Reproducible choices: the same seed gives the same round. */
import { randomBytes, randomNumbers } from "@cfile-tools/testkit/random";

export class Random {
  /** 0 to `limit - 1`. */
  readonly below: (limit: number) => number;

  constructor(seed: number) {
    this.below = randomNumbers(Math.imul(seed ^ 0x5bd1e995, 0x9e3779b1));
  }

  /** From `minimum` to `maximum`, both inclusive. */
  between(minimum: number, maximum: number): number {
    return minimum + this.below(maximum - minimum + 1);
  }

  /** True for one of `calls` calls, on average. */
  once(calls: number): boolean {
    return this.below(calls) === 0;
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
    return randomBytes(length, this.below);
  }
}
