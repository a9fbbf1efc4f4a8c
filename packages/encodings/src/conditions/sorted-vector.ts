/** Repeated searches in ascending values. Integers of 64 bits are compared as two 32-bit words, so that a search makes no bigint. */
import type { SeekPosition, SeekTarget } from "../codecs/block-codec.js";
import { integerTarget, seekBytes, seekInteger } from "../keys/seek-target.js";
import { unordered } from "../types/checks.js";
import type { FixedValues, FixedVector, Vector } from "../types/vector.js";
import { SortedStrings } from "./sorted-strings.js";

/** Ascending values, to be searched any number of times. */
export interface SortedVector {
  /**
   * The first value at or after `target`; the number of values when all are before it.
   *
   * @throws {CFileError} `E_INVALID_ARGUMENT` for another kind of target
   */
  seek(target: SeekTarget): SeekPosition;
}

/**
 * Prepares the first `length` values of a vector for searches; the caller makes sure that they ascend.
 *
 * @throws {CFileError} `E_UNSUPPORTED` for BOOL, FLOAT and DOUBLE, which have no key order
 */
export function sortedVector(vector: Vector, length: number = vector.length): SortedVector {
  switch (vector.kind) {
    case "fixed":
      return sortedFixed(vector, length);
    case "binary":
      return new SortedStrings(vector, length);
    case "dictionary": {
      // Compares words, so the dictionary may be in any order.
      const { codes, dictionary } = vector;
      return { seek: (target) => seekBytes(dictionary, length, target, (i) => codes[i] as number) };
    }
    case "bool":
      throw unordered("BOOL");
  }
}

function sortedFixed(vector: FixedVector, length: number): SortedVector {
  const { physical, values } = vector;
  switch (physical) {
    case "FLOAT":
    case "DOUBLE":
      throw unordered(physical);
    case "INT64":
    case "UINT64":
      return new SortedLongs(values, physical === "INT64", length);
    case "INT128":
      return { seek: (target) => seekInteger(vector, length, target) };
    default:
      return new SortedNumbers(values as Int32Array, length);
  }
}

/** Up to 32 bits; converting a bigint to a number keeps its order against them. */
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

class SortedLongs implements SortedVector {
  /** Value `i`: low word at `2 i`, then the high word. */
  private readonly words: Int32Array;
  private readonly length: number;
  private readonly min: bigint;
  private readonly max: bigint;
  /** Turns the signed order of high words into that of the values. */
  private readonly flip: number;

  constructor(values: FixedValues, signed: boolean, length: number) {
    this.words = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
    this.length = length;
    this.min = signed ? -(1n << 63n) : 0n;
    this.max = signed ? (1n << 63n) - 1n : (1n << 64n) - 1n;
    this.flip = signed ? 0 : 0x80000000 | 0;
  }

  seek(target: SeekTarget): SeekPosition {
    const wanted = integerTarget(target);
    if (wanted < this.min) {
      return { position: 0, exact: false };
    }
    if (typeof wanted === "number" && Number.isSafeInteger(wanted)) {
      return this.search(Math.floor(wanted / 2 ** 32), wanted | 0);
    }
    if (wanted > this.max) {
      return { position: this.length, exact: false };
    }
    const integer = typeof wanted === "number" ? BigInt(Math.ceil(wanted)) : wanted;
    const high = Number(BigInt.asIntN(32, integer >> 32n));
    const { position, exact } = this.search(high, Number(BigInt.asIntN(32, integer)));
    return { position, exact: exact && (typeof wanted === "bigint" || Number.isInteger(wanted)) };
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
