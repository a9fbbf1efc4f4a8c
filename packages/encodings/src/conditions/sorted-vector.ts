/** Repeated searches in ascending values. 64-bit integers are compared as two 32-bit words, so that a search creates no bigint. */
import { commonPrefixLength, compareRange, compareToPrefix, keyHead } from "@cfile/bytes";
import type { SeekPosition, SeekTarget } from "../codecs/block-codec.js";
import { integerTarget, partitionPoint, requireBytes, seekInteger } from "../keys/seek-target.js";
import { unordered } from "../types/checks.js";
import type {
  BinaryVector,
  DictionaryVector,
  FixedValues,
  FixedVector,
  NumberValues,
  Vector,
} from "../types/vector.js";

/** Ascending values, prepared for any number of searches. */
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
    case "dictionary":
      return { seek: (target) => seekCodes(vector, length, requireBytes(target)) };
    case "bool":
      throw unordered("BOOL");
  }
}

/** Compares words, so the dictionary may be in any order. */
function seekCodes(vector: DictionaryVector, length: number, wanted: Uint8Array): SeekPosition {
  const { codes, dictionary } = vector;
  const { data, offsets } = dictionary;
  let low = 0;
  let order = 1;
  for (let high = length; low < high; ) {
    const middle = (low + high) >>> 1;
    const word = codes[middle] as number;
    const found = compareRange(data, offsets[word] as number, offsets[word + 1] as number, wanted);
    if (found < 0) {
      low = middle + 1;
    } else {
      high = middle;
      order = found;
    }
  }
  return { position: low, exact: order === 0 };
}

function sortedFixed(vector: FixedVector, length: number): SortedVector {
  const { physical, values } = vector;
  if (physical === "FLOAT" || physical === "DOUBLE") {
    throw unordered(physical);
  }
  if (physical === "INT128") {
    return { seek: (target) => seekInteger(vector, length, target) };
  }
  return values instanceof BigInt64Array || values instanceof BigUint64Array
    ? new SortedLongs(values, physical === "INT64", length)
    : new SortedNumbers(values, length);
}

/** Integers of up to 32 bits. A bigint target that is converted to a number keeps its order relative to them. */
class SortedNumbers implements SortedVector {
  private readonly values: NumberValues;
  private readonly length: number;

  constructor(values: NumberValues, length: number) {
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

const HEADS_PER_MARK = 64;

/**
 * The head of each string, the four bytes after the common prefix, is in an array of numbers: most comparisons read nothing
 * else. Every 64th head is also in a second, small array, which stays in the processor's caches: a search starts there and then
 * touches few cache lines.
 */
class SortedStrings implements SortedVector {
  private readonly strings: BinaryVector;
  private readonly length: number;
  /** Length of the common prefix of all strings. */
  private readonly shared: number;
  private readonly heads: Uint32Array;
  private readonly marks: Uint32Array;

  constructor(strings: BinaryVector, length: number) {
    const { offsets, data } = strings;
    const string = (i: number): Uint8Array => data.subarray(offsets[i], offsets[i + 1]);
    this.strings = strings;
    this.length = length;
    this.shared = length === 0 ? 0 : commonPrefixLength(string(0), string(length - 1));
    this.heads = new Uint32Array(length);
    for (let i = 0; i < length; i++) {
      this.heads[i] = keyHead(data, (offsets[i] as number) + this.shared, offsets[i + 1] as number);
    }
    this.marks = this.heads.filter((_, i) => i % HEADS_PER_MARK === 0);
  }

  seek(target: SeekTarget): SeekPosition {
    const wanted = requireBytes(target);
    const { heads, length, marks, shared } = this;
    const { data, offsets } = this.strings;
    const order = compareToPrefix(wanted, data, offsets[0] as number, shared);
    if (order !== 0) {
      return { position: order < 0 ? 0 : length, exact: false };
    }
    const head = keyHead(wanted, shared, wanted.length);
    const mark = partitionPoint(marks.length, (i) => (marks[i] as number) < head);
    const above = partitionPoint(marks.length, (i) => (marks[i] as number) <= head);
    let low = mark === 0 ? 0 : (mark - 1) * HEADS_PER_MARK + 1;
    let high = Math.min(above * HEADS_PER_MARK, length);
    while (low < high) {
      const middle = (low + high) >>> 1;
      const own = heads[middle] as number;
      if (own < head || (own === head && this.compare(middle, wanted) < 0)) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return { position: low, exact: low < length && heads[low] === head && this.compare(low, wanted) === 0 };
  }

  private compare(position: number, wanted: Uint8Array): number {
    const { data, offsets } = this.strings;
    return compareRange(data, offsets[position] as number, offsets[position + 1] as number, wanted);
  }
}
