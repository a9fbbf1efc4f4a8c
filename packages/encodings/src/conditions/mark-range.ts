/**
 * Clears the marks of numbers outside a range, over whole columns: every comparison with a constant is a range check. Marks are 1
 * for selected rows and 0 for others.
 */
import type { FixedValues, NumberValues } from "../types/vector.js";
import { wordsOf } from "../types/words.js";

/** Maximum number of words that can be added without overflow of a byte. */
const MAX_WORDS = 255;

/** The number of ones among the first `length` marks, each 0 or 1; counts four at a time. */
export function countMarks(marks: Uint8Array, length: number): number {
  const isAligned = marks.byteOffset % 4 === 0;
  const words = isAligned
    ? new Uint32Array(marks.buffer, marks.byteOffset, length >>> 2)
    : new Uint32Array(0);
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

/** Clears the marks of integers of up to 32 bits, FLOAT and DOUBLE outside the range. */
export function markNumbers(
  values: NumberValues,
  range: Range<number>,
  marks: Uint8Array,
  length: number,
): void {
  // The most common types have separate loops: a shared one would check the array's type per value.
  if (values instanceof Int32Array) {
    markInt32s(values, range, marks, length);
  } else if (values instanceof Float64Array) {
    markDoubles(values, range, marks, length);
  } else {
    markOthers(values, range, marks, length);
  }
}

/** One unsigned comparison per value: outside the range, the distance from the minimum exceeds that of the maximum. */
function markInt32s(values: Int32Array, range: Range<number>, marks: Uint8Array, length: number): void {
  const { low, high } = range;
  const min = Math.max(Math.ceil(low), -(2 ** 31));
  const max = Math.min(Math.floor(high), 2 ** 31 - 1);
  if (!(min <= max)) {
    marks.fill(0, 0, length);
    return;
  }
  const span = (max - min) >>> 0;
  for (let i = 0; i < length; i++) {
    const distance = ((values[i] as number) - min) >>> 0;
    marks[i] = (marks[i] as number) & (distance <= span ? 1 : 0);
  }
}

function markDoubles(values: Float64Array, range: Range<number>, marks: Uint8Array, length: number): void {
  const { low, high } = range;
  for (let i = 0; i < length; i++) {
    const value = values[i] as number;
    marks[i] = (marks[i] as number) & (value >= low && value <= high ? 1 : 0);
  }
}

function markOthers(values: NumberValues, range: Range<number>, marks: Uint8Array, length: number): void {
  const { low, high } = range;
  for (let i = 0; i < length; i++) {
    const value = values[i] as number;
    marks[i] = (marks[i] as number) & (value >= low && value <= high ? 1 : 0);
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
    const isIn =
      (top > minHigh || (top === minHigh && bottom >= minLow)) &&
      (top < maxHigh || (top === maxHigh && bottom <= maxLow));
    marks[i] = (marks[i] as number) & (isIn ? 1 : 0);
  }
}

function wordsOfLong(value: bigint, flip: number): readonly [low: number, high: number] {
  return [Number(BigInt.asUintN(32, value)), Number(BigInt.asIntN(32, value >> 32n)) ^ flip];
}
