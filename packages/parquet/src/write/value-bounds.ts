/** Minimum and maximum of a page, ignoring NaN (docs/spec/parquet.md#12-mapping-between-cfile-and-parquet). */
import { compareBytes, compareWithin, countBits } from "@cfile/bytes";
import type { BinaryVector, DataType, FixedVector, Vector } from "@cfile/encodings";
import { physicalWidth, readInt128 } from "@cfile/encodings";
import { bytesOf } from "@cfile/encodings/batches";
import {
  choosePageKernels,
  type IntegerBounds,
  type MinAndMax,
  type StringBounds,
} from "@cfile/kernels/pages";

export type BoundValue = number | bigint | boolean | Uint8Array;

export interface Bounds<T = BoundValue> {
  readonly min: T;
  readonly max: T;
}

/** Bounds that cover both. */
export function joinBounds(a: Bounds | undefined, b: Bounds | undefined): Bounds | undefined {
  if (a === undefined || b === undefined) {
    return a ?? b;
  }
  return {
    min: compareBounds(b.min, a.min) < 0 ? b.min : a.min,
    max: compareBounds(b.max, a.max) > 0 ? b.max : a.max,
  };
}

/** Order of two values of one type. */
export function compareBounds(a: BoundValue, b: BoundValue): number {
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    return compareBytes(a, b);
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Bounds of the values of a page. */
export class ValueBounds {
  private readonly type: DataType;
  private bounds: Bounds | undefined;
  private dictionary: BinaryVector | undefined;
  /** 1 for words that occur in the page. */
  private isUsed = new Uint8Array(0);
  private areUsed = false;

  constructor(type: DataType) {
    this.type = type;
  }

  /** @param vector values without nulls */
  take(vector: Vector): void {
    // Other readers compare these values as 16 bytes, which is not their numeric order.
    if (vector.length > 0 && this.type !== "INT128") {
      this.join(boundsOf(vector));
    }
  }

  /** Takes codes of a dictionary; words are compared once per page. */
  takeCodes(codes: Int32Array, length: number, dictionary: BinaryVector): void {
    if (dictionary !== this.dictionary) {
      this.joinUsed();
      this.dictionary = dictionary;
      this.isUsed = new Uint8Array(dictionary.length);
    }
    const { isUsed } = this;
    for (let i = 0; i < length; i++) {
      isUsed[codes[i] as number] = 1;
    }
    this.areUsed ||= length > 0;
  }

  /** Bounds of the page, if any; starts the next page. */
  finish(): Bounds | undefined {
    this.joinUsed();
    const { bounds } = this;
    this.bounds = undefined;
    return bounds;
  }

  private joinUsed(): void {
    if (this.dictionary === undefined || !this.areUsed) {
      return;
    }
    const { isUsed } = this;
    const used = new Int32Array(isUsed.length);
    let count = 0;
    for (let code = 0; code < isUsed.length; code++) {
      used[count] = code;
      count += isUsed[code] as number;
    }
    this.join(wordsAt(this.dictionary, boundsOfWords(this.dictionary, used, count)));
    isUsed.fill(0);
    this.areUsed = false;
  }

  private join(other: Bounds | undefined): void {
    this.bounds = joinBounds(this.bounds, other);
  }
}

function boundsOf(vector: Vector): Bounds | undefined {
  switch (vector.kind) {
    case "bool": {
      const ones = countBits(vector.values, 0, vector.length);
      return { min: ones === vector.length, max: ones > 0 };
    }
    case "fixed":
      return fixedBounds(vector);
    case "binary":
      return wordsAt(vector, choosePageKernels().stringBounds(boundsOfStrings)(vector, vector.length));
    case "dictionary":
      return wordsAt(vector.dictionary, boundsOfWords(vector.dictionary, vector.codes, vector.length));
  }
}

function fixedBounds({ physical, values, length }: FixedVector): Bounds | undefined {
  if (physical === "INT128") {
    return wordBounds(values, 4, length, false);
  }
  if (physical === "FLOAT" || physical === "DOUBLE") {
    return floatBounds(values, length);
  }
  const width = physicalWidth(physical);
  return choosePageKernels().integerBounds(integerBounds)({
    values: values.subarray(0, length),
    bytes: bytesOf(values).subarray(0, length * width),
    width,
    isUnsigned: physical.startsWith("UINT"),
  });
}

const integerBounds: IntegerBounds = ({ values, bytes, isUnsigned, width }) => {
  if (width === 8) {
    return wordBounds(bytes, 2, values.length, isUnsigned);
  }
  let min = values[0] as number;
  let max = min;
  for (let i = 1; i < values.length; i++) {
    const value = values[i] as number;
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  return { min, max };
};

function floatBounds(values: ArrayLike<number | bigint>, length: number): Bounds | undefined {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < length; i++) {
    const value = values[i] as number;
    if (value < min) {
      min = value;
    }
    if (value > max) {
      max = value;
    }
  }
  // All values are NaN.
  if (min > max) {
    return undefined;
  }
  // A bound must hold for both zeros.
  return { min: min === 0 ? -0 : min, max: max === 0 ? 0 : max };
}

/** Bounds of integers of several 32-bit words. */
function wordBounds(
  given: FixedVector["values"],
  width: 2 | 4,
  length: number,
  isUnsigned: boolean,
): Bounds<bigint> {
  const bytes = bytesOf(given).subarray(0, 4 * width * length);
  const values = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const words = new Int32Array(values.buffer, values.byteOffset, length * width);
  // With the sign bit flipped, unsigned order is that of signed words.
  const sign = isUnsigned ? 0x80000000 : 0;
  const top = width - 1;
  let min = 0;
  let max = 0;
  let least = (words[top] as number) ^ sign;
  let greatest = least;
  for (let i = 1; i < length; i++) {
    const value = (words[i * width + top] as number) ^ sign;
    if (value < least || (value === least && isBelow(words, i * width, min * width, top))) {
      min = i;
      least = value;
    }
    if (value > greatest || (value === greatest && isBelow(words, max * width, i * width, top))) {
      max = i;
      greatest = value;
    }
  }
  const valueAt = (i: number): bigint => {
    if (width === 4) {
      return readInt128(values, 16 * i);
    }
    const value =
      (BigInt((words[2 * i + 1] as number) >>> 0) << 32n) | BigInt((words[2 * i] as number) >>> 0);
    return isUnsigned ? value : BigInt.asIntN(64, value);
  };
  return { min: valueAt(min), max: valueAt(max) };
}

/** Order by the words below `top`, which are unsigned. */
function isBelow(words: Int32Array, a: number, b: number, top: number): boolean {
  for (let at = top - 1; at >= 0; at--) {
    const wordA = (words[a + at] as number) >>> 0;
    const wordB = (words[b + at] as number) >>> 0;
    if (wordA !== wordB) {
      return wordA < wordB;
    }
  }
  return false;
}

function wordsAt({ offsets, data }: BinaryVector, { min, max }: MinAndMax<number>): Bounds {
  return {
    min: data.slice(offsets[min], offsets[min + 1]),
    max: data.slice(offsets[max], offsets[max + 1]),
  };
}

const boundsOfStrings: StringBounds = (strings, count) => boundsOfWords(strings, undefined, count);

function boundsOfWords(
  { offsets, data }: Pick<BinaryVector, "offsets" | "data">,
  codes: ArrayLike<number> | undefined,
  length: number,
): MinAndMax<number> {
  let min = codes?.[0] ?? 0;
  let max = min;
  for (let i = 1; i < length; i++) {
    const word = codes === undefined ? i : (codes[i] as number);
    if (compareWords(offsets, data, word, min) < 0) {
      min = word;
    } else if (compareWords(offsets, data, word, max) > 0) {
      max = word;
    }
  }
  return { min, max };
}

function compareWords(offsets: Int32Array, data: Uint8Array, a: number, b: number): number {
  const start = offsets[b] as number;
  const end = offsets[b + 1] as number;
  return compareWithin(data, offsets[a] as number, offsets[a + 1] as number, start, end);
}
