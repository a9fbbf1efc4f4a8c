/**
 * Clears the marks of numbers outside a range, over whole columns: every comparison with a constant is a range check. Marks are 1
 * for selected rows and 0 for others.
 */
import type { FixedValues, NumberValues } from "../types/vector.js";
import { wordsOf } from "../types/words.js";

/** Maximum number of words that can be added without overflow of a byte. */
const MAX_WORDS = 255;

/** The first `length` marks in words of four, without the last incomplete one; none if they are not aligned. */
export function wordsOfMarks(marks: Uint8Array, length: number): Uint32Array {
  const isAligned = marks.byteOffset % 4 === 0;
  return new Uint32Array(marks.buffer, isAligned ? marks.byteOffset : 0, isAligned ? length >>> 2 : 0);
}

/** The number of ones among the first `length` marks, each 0 or 1; counts four at a time. */
export function countMarks(marks: Uint8Array, length: number): number {
  const words = wordsOfMarks(marks, length);
  let count = 0;
  for (let from = 0; from < words.length; from += MAX_WORDS) {
    const to = Math.min(from + MAX_WORDS, words.length);
    let sums = 0;
    for (let i = from; i < to; i++) {
      sums = (sums + (words[i] as number)) | 0;
    }
    count += (sums & 0xff) + ((sums >>> 8) & 0xff) + ((sums >>> 16) & 0xff) + (sums >>> 24);
  }
  for (let i = 4 * words.length; i < length; i++) {
    count += marks[i] as number;
  }
  return count;
}

/** Values from `low` to `high`, both inclusive. */
interface Range<T extends number | bigint> {
  readonly low: T;
  readonly high: T;
}

export type Comparison = "=" | "<" | "<=" | ">" | ">=";

/** The numbers that meet a comparison with a value; none for NaN. */
export function numberRange(op: Comparison, value: number): Range<number> {
  const low = op === "=" || op === ">=" ? value : op === ">" ? -below(-value) : Number.NEGATIVE_INFINITY;
  const high = op === "=" || op === "<=" ? value : op === "<" ? below(value) : Number.POSITIVE_INFINITY;
  return { low, high };
}

/** The largest number below `value`; for -Infinity NaN, which is in no range. */
function below(value: number): number {
  if (value === 0) {
    return -Number.MIN_VALUE;
  }
  if (value === Number.NEGATIVE_INFINITY) {
    return Number.NaN;
  }
  const number = new Float64Array([value]);
  const bits = new BigInt64Array(number.buffer);
  bits[0] = (bits[0] as bigint) + (value > 0 ? -1n : 1n);
  return number[0] as number;
}

/** The 64-bit integers that meet a comparison with a value; `undefined` when no integer does. */
export function longRange(op: Comparison, value: bigint, signed: boolean): Range<bigint> | undefined {
  const min = signed ? -(1n << 63n) : 0n;
  const max = signed ? (1n << 63n) - 1n : (1n << 64n) - 1n;
  const low = op === "=" || op === ">=" ? value : op === ">" ? value + 1n : min;
  const high = op === "=" || op === "<=" ? value : op === "<" ? value - 1n : max;
  return low > max || high < min ? undefined : { low, high };
}

/** 1 for a value in the range, else 0. `Number` makes it free of branches, which a processor would often predict wrongly. */
function isIn(value: number | undefined, low: number, high: number): number {
  const number = value as number;
  return Number(number >= low) & Number(number <= high);
}

/** Clears the marks of integers of up to 32 bits, FLOAT and DOUBLE outside the range. */
export function markNumbers(
  values: NumberValues,
  { low, high }: Range<number>,
  marks: Uint8Array,
  length: number,
): void {
  const words = wordsOfMarks(marks, length);
  if (values instanceof Int32Array) {
    markInt32s(values, low, high, words);
  } else {
    for (let word = 0, i = 0; word < words.length; word++, i += 4) {
      const two = isIn(values[i], low, high) | (isIn(values[i + 1], low, high) << 8);
      const next = isIn(values[i + 2], low, high) | (isIn(values[i + 3], low, high) << 8);
      words[word] = (words[word] as number) & (two | (next << 16));
    }
  }
  for (let i = 4 * words.length; i < length; i++) {
    marks[i] = (marks[i] as number) & isIn(values[i], low, high);
  }
}

/** Clears marks in words of four. In a loop for the most common type alone, the engine compares 32-bit integers. */
function markInt32s(values: Int32Array, min: number, max: number, words: Uint32Array): void {
  const first = Math.max(Math.ceil(min), -(2 ** 31));
  const last = Math.min(Math.floor(max), 2 ** 31 - 1);
  const isEmpty = !(first <= last);
  const low = isEmpty ? 1 : first | 0;
  const high = isEmpty ? 0 : last | 0;
  for (let word = 0, i = 0; word < words.length; word++, i += 4) {
    const two = isIn(values[i], low, high) | (isIn(values[i + 1], low, high) << 8);
    const next = isIn(values[i + 2], low, high) | (isIn(values[i + 3], low, high) << 8);
    words[word] = (words[word] as number) & (two | (next << 16));
  }
}

/** Clears the marks of INT64 and UINT64 outside the range. Compares two 32-bit words per value, without a bigint. */
export function markLongs(
  values: FixedValues,
  { low, high }: Range<bigint>,
  signed: boolean,
  marks: Uint8Array,
  length: number,
): void {
  const words = wordsOf(values);
  // Flipping the top bit turns unsigned order into the signed order of the words.
  const flip = signed ? 0 : 0x80000000 | 0;
  const [minLow, minHigh] = wordsOfLong(low, flip);
  const [maxLow, maxHigh] = wordsOfLong(high, flip);
  for (let i = 0; i < length; i++) {
    const top = (words[2 * i + 1] as number) ^ flip;
    const bottom = (words[2 * i] as number) >>> 0;
    const isAbove = Number(top > minHigh) | (Number(top === minHigh) & Number(bottom >= minLow));
    const isBelow = Number(top < maxHigh) | (Number(top === maxHigh) & Number(bottom <= maxLow));
    marks[i] = (marks[i] as number) & isAbove & isBelow;
  }
}

function wordsOfLong(value: bigint, flip: number): readonly [low: number, high: number] {
  return [Number(BigInt.asUintN(32, value)), Number(BigInt.asIntN(32, value >> 32n)) ^ flip];
}
