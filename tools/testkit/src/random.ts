/** Returns integers below a limit; the same sequence for the same seed. */
export type Random = (below: number) => number;

/** The generator mulberry32: 32 bits of state, so every seed yields all of its 2³² numbers. */
export function randomNumbers(seed: number): Random {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** Random bytes. */
export function randomBytes(length: number, random: Random): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, () => random(256));
}
