/**
 * Search in ascending values: what every `seek` comes down to once values are decoded. Integers of 64 bits are compared as
 * two 32-bit words, so that a search makes no bigint.
 */
import { compareRange } from "@cfile/bytes";
import type { SeekPosition, SeekTarget } from "../codecs/block-codec.js";
import { integerTarget, requireBytes, unordered } from "../keys/seek-target.js";
import { readInt128 } from "../types/cell-value.js";
import {
  bytesOf,
  type DictionaryVector,
  type FixedValues,
  type FixedVector,
  type Vector,
} from "../types/vector.js";
import { lowerBound } from "./lower-bound.js";
import { SortedStrings } from "./sorted-strings.js";

/** Ascending values, to be searched any number of times. */
export interface SortedVector {
  /**
   * The first value at or after `target`; the number of values when all are before it.
   *
   * @throws CFileError `E_INVALID_ARGUMENT` when the target is not of the values' kind
   */
  seek(target: SeekTarget): SeekPosition;
}

/**
 * Takes the leading `length` values of a vector; that they ascend is up to the caller.
 *
 * @throws CFileError `E_UNSUPPORTED` for BOOL, FLOAT and DOUBLE, which have no key order
 */
export function sortedVector(vector: Vector, length: number = vector.length): SortedVector {
  switch (vector.kind) {
    case "fixed":
      return sortedFixed(vector, length);
    case "binary":
      return new SortedStrings(vector, length);
    case "dictionary":
      return new SortedCodes(vector, length);
    case "bool":
      throw unordered("BOOL");
  }
}

function sortedFixed({ physical, values }: FixedVector, length: number): SortedVector {
  switch (physical) {
    case "FLOAT":
    case "DOUBLE":
      throw unordered(physical);
    case "INT64":
      return new SortedLongs(values, true, length);
    case "UINT64":
      return new SortedLongs(values, false, length);
    case "INT128":
      return new SortedInt128(bytesOf(values), length);
    default:
      return new SortedNumbers(values as Int32Array, length);
  }
}

/** Up to 32 bits; a `Number` keeps the order of every bigint against them. */
class SortedNumbers implements SortedVector {
  private readonly values: Int32Array;
  private readonly length: number;

  constructor(values: Int32Array, length: number) {
    this.values = values;
    this.length = length;
  }

  seek(target: SeekTarget): SeekPosition {
    const wanted = Number(integerTarget(target));
    const { length, values } = this;
    let low = 0;
    let high = length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((values[middle] as number) < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return { position: low, exact: low < length && values[low] === wanted };
  }
}

const WORD = 2 ** 32;

class SortedLongs implements SortedVector {
  /** Value `i`: low word at `2 i`, high word behind it. */
  private readonly words: Int32Array;
  private readonly length: number;
  private readonly least: bigint;
  private readonly most: bigint;
  /** What makes the signed order of high words that of the values. */
  private readonly flip: number;

  constructor(values: FixedValues, signed: boolean, length: number) {
    this.words = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
    this.length = length;
    this.least = signed ? -(1n << 63n) : 0n;
    this.most = signed ? (1n << 63n) - 1n : (1n << 64n) - 1n;
    this.flip = signed ? 0 : 0x80000000 | 0;
  }

  seek(target: SeekTarget): SeekPosition {
    const wanted = integerTarget(target);
    if (typeof wanted === "number" && Number.isSafeInteger(wanted)) {
      return wanted < this.least
        ? { position: 0, exact: false }
        : this.search(Math.floor(wanted / WORD), wanted | 0);
    }
    if (wanted < this.least) {
      return { position: 0, exact: false };
    }
    if (wanted > this.most) {
      return { position: this.length, exact: false };
    }
    if (typeof wanted === "number") {
      const above = BigInt(Math.ceil(wanted));
      const found = this.seek(above);
      return { position: found.position, exact: found.exact && Number.isInteger(wanted) };
    }
    return this.search(Number(BigInt.asIntN(32, wanted >> 32n)), Number(BigInt.asIntN(32, wanted)));
  }

  private search(highWord: number, lowWord: number): SeekPosition {
    const { flip, length, words } = this;
    const wantedHigh = (highWord | 0) ^ flip;
    const wantedLow = lowWord >>> 0;
    let low = 0;
    let high = length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const top = (words[2 * middle + 1] as number) ^ flip;
      if (top < wantedHigh || (top === wantedHigh && (words[2 * middle] as number) >>> 0 < wantedLow)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    const exact =
      low < length &&
      ((words[2 * low + 1] as number) ^ flip) === wantedHigh &&
      (words[2 * low] as number) >>> 0 === wantedLow;
    return { position: low, exact };
  }
}

class SortedInt128 implements SortedVector {
  private readonly bytes: Uint8Array;
  private readonly length: number;

  constructor(bytes: Uint8Array, length: number) {
    this.bytes = bytes;
    this.length = length;
  }

  seek(target: SeekTarget): SeekPosition {
    const wanted = integerTarget(target);
    const valueAt = (i: number): bigint => readInt128(this.bytes, 16 * i);
    const position = lowerBound(this.length, (i) => valueAt(i) < wanted);
    return { position, exact: position < this.length && !(valueAt(position) > wanted) };
  }
}

/** Codes of strings: words are compared, so any order of the dictionary will do. */
class SortedCodes implements SortedVector {
  private readonly offsets: Int32Array;
  private readonly data: Uint8Array;
  private readonly codes: Int32Array;
  private readonly length: number;

  constructor({ codes, dictionary }: DictionaryVector, length: number) {
    this.offsets = dictionary.offsets;
    this.data = dictionary.data;
    this.codes = codes;
    this.length = length;
  }

  seek(target: SeekTarget): SeekPosition {
    const wanted = requireBytes(target);
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(middle, wanted) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return { position: low, exact: low < this.length && this.compare(low, wanted) === 0 };
  }

  private compare(position: number, wanted: Uint8Array): number {
    const { data, offsets } = this;
    const word = this.codes[position] as number;
    return compareRange(data, offsets[word] as number, offsets[word + 1] as number, wanted);
  }
}
