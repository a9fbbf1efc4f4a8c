/** The hot loops for Parquet pages. */
import type { ByteBuilder } from "@cfile/bytes";
import type { BloomHashes, HashStore } from "./bloom-hashes.js";
import type { Integers } from "./row-kernels.js";
import type { WordStrings } from "./word-table.js";

/** The hot loops for Parquet pages; most methods take the portable implementation and return the one to use. */
export interface PageKernels {
  /**
   * CRC-32 as in zlib, of all bytes; takes no portable implementation.
   *
   * @param previous the checksum of the preceding bytes. Default 0
   */
  crc32(bytes: Uint8Array, previous?: number): number;
  /** Checks whether all bytes are at most 127. */
  isAscii(portable: IsAscii): IsAscii;
  /** Finds the minimum and maximum of integers. */
  integerBounds(portable: IntegerBounds): IntegerBounds;
  /** Appends strings after their lengths, as in PLAIN encoding. */
  lengthPrefixed(portable: AppendStrings): AppendStrings;
  /** Finds the minimum and maximum of strings. */
  stringBounds(portable: StringBounds): StringBounds;
  /** Collects hashes of values for Bloom filters, in a new instance. */
  bloomHashes(portable: HashStore): BloomHashes;
}

/** Checks whether all bytes are at most 127. */
export type IsAscii = (bytes: Uint8Array) => boolean;

/** Finds the minimum and maximum of at least one integer: `bigint` for integers of 8 bytes. */
export type IntegerBounds = (integers: Integers) => MinAndMax<number | bigint>;

/** A minimum and a maximum. */
export interface MinAndMax<T> {
  readonly min: T;
  readonly max: T;
}

/** Appends the first `count` strings, each after its length in four bytes. */
export type AppendStrings = (strings: WordStrings, count: number, out: ByteBuilder) => void;

/** Finds the indexes of the minimum and maximum, in byte order, of the first `count` strings (at least one). */
export type StringBounds = (strings: WordStrings, count: number) => MinAndMax<number>;
