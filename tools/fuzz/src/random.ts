/** Reproducible random numbers: the same seed gives the same run. */
export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** 0 to `limit - 1`. */
  below(limit: number): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

/** The seed of one case. Cases are independent of each other and of other harnesses. */
export function caseSeed(seed: number, harness: string, index: number): number {
  let mixed = seed >>> 0;
  for (let i = 0; i < harness.length; i++) {
    mixed = Math.imul(mixed ^ harness.charCodeAt(i), 0x01000193) >>> 0;
  }
  mixed = Math.imul(mixed ^ (index >>> 0), 0x9e3779b1) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b) >>> 0;
  return (mixed ^ (mixed >>> 13)) >>> 0;
}
