/** The hot loops of row sets: keys, Bloom filters, delta files. As of the other kernels, each method returns the implementation to use. */
import type { WordStrings } from "./word-table.js";

/** The hot loops of row sets; each method takes the portable implementation and returns the one to use. */
export interface RowKernels {
  /** Looks for a range of keys in a Bloom filter. */
  bloomProbe(portable: BloomProbe): BloomProbe;
  /** Encodes integers as keys. */
  integerKeys(portable: IntegerKeys): IntegerKeys;
  /** The first integer that is below the one before it; as many as there are when none is. */
  integerDescent(portable: IntegerDescent): IntegerDescent;
  /** The first of `count` strings that is not above the one before it; `count` when all are. */
  firstDescent(portable: FirstDescent): FirstDescent;
  /** Bits that are set. */
  countOnes(portable: CountOnes): CountOnes;
  /** Takes the entries of a delta file's block apart. */
  deltaEntries(portable: DeltaEntries): DeltaEntries;
}

/** Writes 1 (maybe) or 0 (absent) for each key of a range to `answers`, from `at` on. */
export type BloomProbe = (
  filter: ProbedFilter,
  keys: KeyColumn,
  range: KeyRange,
  answers: Uint8Array,
  at: number,
) => void;

/** A Bloom filter that is probed. */
export interface ProbedFilter {
  readonly bits: Uint8Array;
  readonly hashCount: number;
  /** Whether the filter may contain the key `bytes[start..end)`. */
  mayContainRange(bytes: Uint8Array, start: number, end: number): boolean;
}

/** Keys in one piece of memory: all of `width` bytes, or as `offsets` say. */
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
 * Integers of `width` bytes (1, 2, 4 or 8) as keys: the most significant byte first, and that xor `flip`.
 *
 * @param target where they go, as many bytes as `values` has
 * @returns the first that is not above the one before it; as many as there are when all are
 */
export type IntegerKeys = (values: Uint8Array, width: number, flip: number, target: Uint8Array) => number;

/** Integers of one width. */
export interface Integers {
  readonly values: ArrayLike<number | bigint>;
  /** The same as bytes. */
  readonly bytes: Uint8Array;
  /** Bytes of each: 1, 2, 4, 8 or 16. */
  readonly width: number;
  readonly isUnsigned: boolean;
}

/** The position of the first integer that is below the one before it; their count when none is. */
export type IntegerDescent = (integers: Integers) => number;

/** The position of the first of `count` strings that is not above the one before it; `count` when all are. */
export type FirstDescent = (strings: WordStrings, count: number) => number;

/** The number of bits that are set. */
export type CountOnes = (bytes: Uint8Array) => number;

/**
 * Takes the `count` values of a block of a delta file apart.
 *
 * @param isBorrowed whether what is given is valid only until the next call
 */
export type DeltaEntries = (values: WordStrings, count: number, isBorrowed: boolean) => DecodedDeltas;

/** Entries of a delta file. */
export interface DecodedDeltas {
  readonly rows: Uint32Array;
  readonly timestamps: BigUint64Array;
  /** 1 UPDATE, 2 DELETE, 3 REINSERT. */
  readonly types: Uint8Array;
  /** Mutations of entry `i` are `data[offsets[i]..offsets[i + 1])`. */
  readonly offsets: Int32Array;
  readonly data: Uint8Array;
  /** Whether each row has but one entry. */
  readonly isSingle: boolean;
  readonly deletes: number;
  readonly reinserts: number;
  readonly minTimestamp: bigint;
  readonly maxTimestamp: bigint;
  /** The first entry whose key stands in a longer form than needed; -1 when none does. */
  readonly overlong: number;
}
