/** The data of all benchmarks, the same in every run: a random walk of int32, and strings from a dictionary. */

/** A small generator of 32-bit numbers (xorshift), so that runs are repeatable. */
export function randomNumbers(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

/** Steps of -50 to 50. */
export function randomWalk(length: number): Int32Array {
  const next = randomNumbers(42);
  const values = new Int32Array(length);
  for (let i = 1; i < length; i++) {
    values[i] = (values[i - 1] as number) + (next() % 101) - 50;
  }
  return values;
}

/** Strings of 10 to 25 characters out of 1000 different ones, in random order. */
export function dictionaryStrings(length: number): string[] {
  const next = randomNumbers(7);
  const words = Array.from({ length: 1000 }, (_, i) => `category-${i}-${"x".repeat(next() % 13)}`);
  return Array.from({ length }, () => words[next() % words.length] as string);
}

/** Ascending values with gaps: every even number. */
export function evenNumbers(length: number): Int32Array {
  return Int32Array.from({ length }, (_, i) => 2 * i);
}

/** Order-dependent and cheap: finds a wrong or a misplaced value. */
export function checksumOfIntegers(values: ArrayLike<number>, seed = 0): number {
  let sum = seed;
  for (let i = 0; i < values.length; i++) {
    sum = (Math.imul(sum, 31) + (values[i] as number)) | 0;
  }
  return sum;
}

export function checksumOfStrings(values: ArrayLike<string>, seed = 0): number {
  let sum = seed;
  for (let i = 0; i < values.length; i++) {
    const text = values[i] as string;
    sum = (Math.imul(sum, 31) + text.length * 131 + text.charCodeAt(text.length - 1)) | 0;
    sum = (Math.imul(sum, 31) + text.charCodeAt(Math.min(10, text.length - 1))) | 0;
  }
  return sum;
}
