/** Split block Bloom filters of xxHash64, as in Parquet files, from values in batches. */
import type { WordStrings } from "./word-table.js";

/** Values of `width` bytes. */
export interface FixedValues {
  readonly data: Uint8Array;
  readonly width: number;
}

/** Values in memory: strings, or values of one width. */
export type HashedValues = WordStrings | FixedValues;

/** Collects the hashes of values until a Bloom filter is made of them. */
export interface BloomHashes {
  /** Number of hashes. */
  readonly count: number;
  /** Adds the hashes of the first `count` values. */
  add(values: HashedValues, count: number): void;
  /**
   * Makes the filter of all hashes, and removes them.
   *
   * @param bytes a power of two, at least 32
   * @param limit the filter is halved while its share of false positives does not exceed this
   * @param use gets the filter, which is valid during the call
   */
  finish(bytes: number, limit: number, use: (filter: Uint8Array) => void): void;
}

/** Collects hashes in memory of any size, also those for which other implementations have no room. */
export interface HashStore extends BloomHashes {
  /** The hashes, two words each, low word first. */
  held(): readonly Uint32Array[];
  /** Adds a copy of such hashes. */
  hold(hashes: Uint32Array): void;
  /** Removes all hashes. */
  clear(): void;
}
