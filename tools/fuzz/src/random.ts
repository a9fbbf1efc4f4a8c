/** Reproducible random numbers: the same seed gives the same run. */
import { randomNumbers } from "@cfile-tools/testkit/random";

export class Random {
  /** 0 to `limit - 1`. */
  readonly below: (limit: number) => number;

  constructor(seed: number) {
    this.below = randomNumbers(seed);
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
