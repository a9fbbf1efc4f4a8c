/** The hot loops for row sets: keys, Bloom filters and delta files. */
import type { WordStrings } from "./word-table.js";

/** The hot loops for row sets; each method takes the portable implementation and returns the one to use. */
export interface RowKernels {
  /** Looks up a range of keys in a Bloom filter. */
  bloomProbe(portable: BloomProbe): BloomProbe;
  /** Encodes integers as keys. */
  integerKeys(portable: IntegerKeys): IntegerKeys;
  /** Finds the first integer that is less than its predecessor. */
  integerDescent(portable: IntegerDescent): IntegerDescent;
  /** Finds the first string that is not greater than its predecessor. */
  firstDescent(portable: FirstDescent): FirstDescent;
  /** Counts the bits that are set. */
  countOnes(portable: CountOnes): CountOnes;
  /** Parses the entries of a block of a delta file. */
  deltaEntries(portable: DeltaEntries): DeltaEntries;
}

/** Writes 1 (maybe) or 0 (absent) for each key of a range to `answers`, starting at `at`. */
export type BloomProbe = (
  filter: ProbedFilter,
  keys: KeyColumn,
  range: KeyRange,
  answers: Uint8Array,
  at: number,
) => void;

/** A Bloom filter to look up keys in. */
export interface ProbedFilter {
  readonly bits: Uint8Array;
  readonly hashCount: number;
  /** Whether the filter may contain the key `bytes[start..end)`. */
  mayContainRange(bytes: Uint8Array, start: number, end: number): boolean;
}

/** Keys back to back: all of `width` bytes, or delimited by `offsets`. */
export interface KeyColumn {
  readonly data: Uint8Array;
  readonly offsets: Int32Array | Uint32Array | undefined;
  readonly width: number;
}

/** Keys `from` (inclusive) to `to` (exclusive). */
export interface KeyRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Encodes integers of `width` bytes (1, 2, 4 or 8) as keys: the most significant byte first, xor `flip`.
 *
 * @param target as many bytes as `values`
 * @returns the index of the first integer that is not greater than its predecessor; their count if all ascend
 */
export type IntegerKeys = (values: Uint8Array, width: number, flip: number, target: Uint8Array) => number;

/** Integers of one width. */
export interface Integers {
  readonly values: ArrayLike<number | bigint>;
  /** The same memory as bytes. */
  readonly bytes: Uint8Array;
  /** Bytes per integer: 1, 2, 4, 8 or 16. */
  readonly width: number;
  readonly isUnsigned: boolean;
}

/** Finds the first integer that is less than its predecessor; returns the number of integers if all are in order. */
export type IntegerDescent = (integers: Integers) => number;

/** Finds the first of `count` strings that is not greater than its predecessor; returns `count` if all ascend. */
export type FirstDescent = (strings: WordStrings, count: number) => number;

/** Counts the bits that are set. */
export type CountOnes = (bytes: Uint8Array) => number;

/**
 * Parses the `count` values of a block of a delta file.
 *
 * @param isBorrowed whether the result may be valid only until the next call
 */
export type DeltaEntries = (values: WordStrings, count: number, isBorrowed: boolean) => DecodedDeltas;

/** Entries of a delta file. */
export interface DecodedDeltas {
  readonly rows: Uint32Array;
  readonly timestamps: BigUint64Array;
  /** 1 UPDATE, 2 DELETE, 3 REINSERT. */
  readonly types: Uint8Array;
  /** The mutations of entry `i` are `data[offsets[i]..offsets[i + 1])`. */
  readonly offsets: Int32Array;
  readonly data: Uint8Array;
  /** Whether no row has more than one entry. */
  readonly isSingle: boolean;
  readonly deletes: number;
  readonly reinserts: number;
  readonly minTimestamp: bigint;
  readonly maxTimestamp: bigint;
  /** The first entry whose key is longer than its shortest encoding, or -1. */
  readonly overlong: number;
}
