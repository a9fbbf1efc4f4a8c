/**
 * The data of all benchmarks, the same in every run: a random walk of int32, and strings from a dictionary.
 */

/** A generator of 32-bit numbers (xorshift). Recorded figures depend on its data, so it cannot change. */
export function randomNumbers(seed: number): () => number {
  let state = seed | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

export function randomBytes(length: number): Uint8Array {
  const next = randomNumbers(5);
  return Uint8Array.from({ length }, () => next() & 0xff);
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

/** Strings of 10 to 25 characters out of 1000 distinct ones, in random order. */
export function dictionaryStrings(length: number): string[] {
  const next = randomNumbers(7);
  const words = Array.from({ length: 1000 }, (_, i) => `category-${i}-${"x".repeat(next() % 13)}`);
  return Array.from({ length }, () => words[next() % words.length] as string);
}

/** Ascending values with gaps: every even number. */
export function evenNumbers(length: number): Int32Array {
  return Int32Array.from({ length }, (_, i) => 2 * i);
}

/** A cheap, order-dependent checksum that detects wrong and misplaced values. */
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

/** A prime stride through a prime number of values: unordered, without nearby repetitions. */
export function stridedIntegers(length: number): Int32Array {
  const values = new Int32Array(length);
  for (let i = 0; i < length; i++) {
    values[i] = (i * 7919) % 1000003;
  }
  return values;
}

/** Steps of -100 to 100, decided by a multiplicative hash of the row. */
export function hashedWalk(length: number): BigInt64Array {
  const values = new BigInt64Array(length);
  let value = 0;
  for (let i = 0; i < length; i++) {
    value += ((Math.imul(i, 2654435761) >>> 16) % 201) - 100;
    values[i] = BigInt(value);
  }
  return values;
}

/** Runs of 37 equal values. */
export function integerRuns(length: number): BigInt64Array {
  const values = new BigInt64Array(length);
  for (let i = 0; i < length; i++) {
    values[i] = BigInt((Math.floor(i / 37) * 7919) % 1000003);
  }
  return values;
}

export function stridedDoubles(length: number): Float64Array {
  const values = new Float64Array(length);
  for (let i = 0; i < length; i++) {
    values[i] = ((i * 7919) % 1000003) * 0.25;
  }
  return values;
}

/** Bitmap of the rows for which `isSet` returns true. */
export function bitmapWhere(length: number, isSet: (row: number) => boolean): Uint8Array {
  const bits = new Uint8Array(Math.ceil(length / 8));
  for (let i = 0; i < length; i++) {
    if (isSet(i)) {
      bits[i >> 3] = (bits[i >> 3] as number) | (1 << (i & 7));
    }
  }
  return bits;
}

/** Ascending values with gaps, from below zero. */
export function sortedIntegers(length: number): Int32Array {
  const values = new Int32Array(length);
  for (let i = 0; i < length; i++) {
    values[i] = i * 3 - 1000;
  }
  return values;
}

/** Consecutive ASCII strings in Arrow's layout. */
export function asciiStrings(
  length: number,
  textOf: (row: number) => string,
): { readonly offsets: Int32Array; readonly data: Uint8Array } {
  const offsets = new Int32Array(length + 1);
  let data = new Uint8Array(length * 16);
  let end = 0;
  for (let i = 0; i < length; i++) {
    const text = textOf(i);
    if (end + text.length > data.length) {
      const larger = new Uint8Array(2 * (data.length + text.length));
      larger.set(data);
      data = larger;
    }
    for (let at = 0; at < text.length; at++) {
      data[end++] = text.charCodeAt(at);
    }
    offsets[i + 1] = end;
  }
  return { offsets, data: data.subarray(0, end) };
}

export const valueText = (row: number, different: number): string => `value-${(row * 7919) % different}`;

/** Ascending keys with gaps and long common prefixes. */
export const keyText = (row: number): string => `row${String(row * 7).padStart(10, "0")}`;
