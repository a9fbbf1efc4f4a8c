/**
 * Marks of the numbers that lie in a range: what a comparison with a value comes down to, over whole columns. Marks are 1 for rows
 * that count and 0 for others; those of other numbers are cleared.
 */
import type { FixedValues } from "../types/vector.js";
import { wordsOf } from "../types/words.js";

/** Values from `low` to `high`, both of them in it. */
export interface NumberRange {
  readonly low: number;
  readonly high: number;
}

export interface LongRange {
  readonly low: bigint;
  readonly high: bigint;
}

export type Comparison = "=" | "<" | "<=" | ">" | ">=";

/** The numbers that compare so with a value; none with NaN. */
export function numberRange(op: Comparison, value: number): NumberRange {
  switch (op) {
    case "=":
      return { low: value, high: value };
    case "<":
      return { low: Number.NEGATIVE_INFINITY, high: below(value) };
    case "<=":
      return { low: Number.NEGATIVE_INFINITY, high: value };
    case ">":
      return { low: -below(-value), high: Number.POSITIVE_INFINITY };
    case ">=":
      return { low: value, high: Number.POSITIVE_INFINITY };
  }
}

/** The greatest number below; NaN, in no range, where there is none. */
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

/** The 64-bit integers that compare so with a value; `undefined` when there are none. */
export function longRange(op: Comparison, value: bigint, signed: boolean): LongRange | undefined {
  const least = signed ? -(1n << 63n) : 0n;
  const most = signed ? (1n << 63n) - 1n : (1n << 64n) - 1n;
  const low = op === "=" || op === ">=" ? value : op === ">" ? value + 1n : least;
  const high = op === "=" || op === "<=" ? value : op === "<" ? value - 1n : most;
  return low > most || high < least ? undefined : { low, high };
}

/** Of numbers of up to 32 bits, and of FLOAT and DOUBLE. */
export function markNumbers(
  values: Exclude<FixedValues, BigInt64Array | BigUint64Array>,
  range: NumberRange,
  marks: Uint8Array,
  length: number,
): void {
  // A loop for each of the types that there is most of: one for all would look at the type for each value.
  if (values instanceof Int32Array) {
    markInt32s(values, range, marks, length);
  } else if (values instanceof Float64Array) {
    markDoubles(values, range, marks, length);
  } else {
    markOthers(values, range, marks, length);
  }
}

/** With integers alone: behind the least of the range, all that are not in it are further away than the greatest. */
function markInt32s(values: Int32Array, { low, high }: NumberRange, marks: Uint8Array, length: number): void {
  const least = Math.max(Math.ceil(low), -(2 ** 31));
  const most = Math.min(Math.floor(high), 2 ** 31 - 1);
  if (!(least <= most)) {
    marks.fill(0, 0, length);
    return;
  }
  const span = (most - least) >>> 0;
  for (let i = 0; i < length; i++) {
    const distance = ((values[i] as number) - least) >>> 0;
    marks[i] = (marks[i] as number) & (distance <= span ? 1 : 0);
  }
}

function markDoubles(
  values: Float64Array,
  { low, high }: NumberRange,
  marks: Uint8Array,
  length: number,
): void {
  for (let i = 0; i < length; i++) {
    const value = values[i] as number;
    marks[i] = (marks[i] as number) & (value >= low && value <= high ? 1 : 0);
  }
}

function markOthers(
  values: Exclude<FixedValues, BigInt64Array | BigUint64Array>,
  { low, high }: NumberRange,
  marks: Uint8Array,
  length: number,
): void {
  for (let i = 0; i < length; i++) {
    const value = values[i] as number;
    marks[i] = (marks[i] as number) & (value >= low && value <= high ? 1 : 0);
  }
}

/** Of INT64 and UINT64, as two words of 32 bits each: no bigint per value. */
export function markLongs(
  values: FixedValues,
  { low, high }: LongRange,
  signed: boolean,
  marks: Uint8Array,
  length: number,
): void {
  const words = wordsOf(values);
  // Flipping the top bit makes unsigned order signed, that of the words.
  const flip = signed ? 0 : 0x80000000 | 0;
  const [lowLeast, highLeast] = wordsOfLong(low, flip);
  const [lowMost, highMost] = wordsOfLong(high, flip);
  for (let i = 0; i < length; i++) {
    const top = (words[2 * i + 1] as number) ^ flip;
    const bottom = (words[2 * i] as number) >>> 0;
    const isIn =
      (top > highLeast || (top === highLeast && bottom >= lowLeast)) &&
      (top < highMost || (top === highMost && bottom <= lowMost));
    marks[i] = (marks[i] as number) & (isIn ? 1 : 0);
  }
}

function wordsOfLong(value: bigint, flip: number): readonly [low: number, high: number] {
  return [Number(BigInt.asUintN(32, value)), Number(BigInt.asIntN(32, value >> 32n)) ^ flip];
}
