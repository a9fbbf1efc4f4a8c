/** The least and the greatest value of a page, in the order of its type (specification 12): NaN is neither. */
import { compareBytes, countBits } from "@cfile/bytes";
import {
  type BinaryVector,
  bytesOf,
  type DataType,
  type FixedVector,
  readInt128,
  type Vector,
} from "@cfile/encodings";
import { choosePageKernels } from "@cfile/kernels";

export type BoundValue = number | bigint | boolean | Uint8Array;

export interface Bounds {
  readonly min: BoundValue;
  readonly max: BoundValue;
}

/** Bounds of what both are bounds of. */
export function joinBounds(a: Bounds | undefined, b: Bounds | undefined): Bounds | undefined {
  if (a === undefined || b === undefined) {
    return a ?? b;
  }
  return {
    min: compareBounds(b.min, a.min) < 0 ? b.min : a.min,
    max: compareBounds(b.max, a.max) > 0 ? b.max : a.max,
  };
}

/** Values of one type. */
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
  private isUsed = new Uint8Array(0);

  constructor(type: DataType) {
    this.type = type;
  }

  /** @param vector values without nulls */
  take(vector: Vector): void {
    // 16 bytes without a meaning are compared as bytes by others, which is not their order.
    if (vector.length === 0 || this.type === "INT128") {
      return;
    }
    switch (vector.kind) {
      case "bool": {
        const ones = countBits(vector.values, 0, vector.length);
        this.join({ min: ones === vector.length, max: ones > 0 });
        return;
      }
      case "fixed":
        this.join(fixedBounds(vector));
        return;
      case "binary":
        this.join(stringBounds(vector, undefined, vector.length));
        return;
      case "dictionary":
        this.join(stringBounds(vector.dictionary, vector.codes, vector.length));
        return;
    }
  }

  /** Codes of a dictionary, whose words are compared once a page. */
  takeCodes(codes: Int32Array, length: number, dictionary: BinaryVector): void {
    if (dictionary !== this.dictionary) {
      this.joinUsed();
      this.dictionary = dictionary;
      this.isUsed = new Uint8Array(dictionary.length);
    }
    for (let i = 0; i < length; i++) {
      this.isUsed[codes[i] as number] = 1;
    }
  }

  /** The bounds, if there are values that have some; then for the next page. */
  finish(): Bounds | undefined {
    this.joinUsed();
    this.isUsed.fill(0);
    const { bounds } = this;
    this.bounds = undefined;
    return bounds;
  }

  private joinUsed(): void {
    if (this.dictionary !== undefined) {
      const used: number[] = [];
      this.isUsed.forEach((flag, code) => {
        if (flag === 1) {
          used.push(code);
        }
      });
      this.join(stringBounds(this.dictionary, used, used.length));
    }
  }

  private join(other: Bounds | undefined): void {
    this.bounds = joinBounds(this.bounds, other);
  }
}

function fixedBounds({ physical, values, length }: FixedVector): Bounds | undefined {
  if (physical === "INT128" || values instanceof BigInt64Array || values instanceof BigUint64Array) {
    return wordBounds(values, physical === "INT128" ? 4 : 2, length, physical === "UINT64");
  }
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
  // With NaN alone no comparison was true.
  if (min > max) {
    return undefined;
  }
  // Which zero it is says nothing; a bound has to hold for both.
  const isFloat = physical === "FLOAT" || physical === "DOUBLE";
  return { min: isFloat && min === 0 ? -0 : min, max: isFloat && max === 0 ? 0 : max };
}

/** Integers of several 32-bit words, which no number holds. */
function wordBounds(given: FixedVector["values"], width: 2 | 4, length: number, isUnsigned: boolean): Bounds {
  const bytes = bytesOf(given).subarray(0, 4 * width * length);
  const values = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  const words = new Int32Array(values.buffer, values.byteOffset, length * width);
  // The sign bit turned over: unsigned order becomes that of the words.
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

/** Whether the words below `top` say so: they are unsigned. */
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

function stringBounds(
  { offsets, data }: BinaryVector,
  codes: ArrayLike<number> | undefined,
  length: number,
): Bounds | undefined {
  const wordAt = (word: number): Uint8Array => data.slice(offsets[word], offsets[word + 1]);
  const kernels = codes === undefined && length > 0 ? choosePageKernels() : undefined;
  const found = kernels?.stringBounds(offsets, data, 0, length);
  if (found !== undefined) {
    return { min: wordAt(found.least), max: wordAt(found.greatest) };
  }
  let min = codes?.[0] ?? 0;
  let max = min;
  const compare = (a: number, b: number): number => {
    const [startA, endA] = [offsets[a] as number, offsets[a + 1] as number];
    const [startB, endB] = [offsets[b] as number, offsets[b + 1] as number];
    const shared = Math.min(endA - startA, endB - startB);
    for (let i = 0; i < shared; i++) {
      const difference = (data[startA + i] as number) - (data[startB + i] as number);
      if (difference !== 0) {
        return difference;
      }
    }
    return endA - startA - (endB - startB);
  };
  for (let i = 1; i < length; i++) {
    const word = codes === undefined ? i : (codes[i] as number);
    if (compare(word, min) < 0) {
      min = word;
    } else if (compare(word, max) > 0) {
      max = word;
    }
  }
  return length === 0 ? undefined : { min: wordAt(min), max: wordAt(max) };
}
