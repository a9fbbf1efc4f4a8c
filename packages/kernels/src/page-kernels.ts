/** The hot loops of Parquet pages. As of the other kernels, each method returns the implementation to use. */
import type { ByteBuilder } from "@cfile/bytes";
import type { Integers } from "./row-kernels.js";
import type { WordStrings } from "./word-table.js";

/** The hot loops of Parquet pages; each method but `crc32` takes the portable implementation and returns the one to use. */
export interface PageKernels {
  /** CRC-32, as zlib has it. */
  crc32(bytes: Uint8Array): number;
  /** Whether no byte is above 127. */
  isAscii(portable: IsAscii): IsAscii;
  /** The minimum and maximum of integers. */
  integerBounds(portable: IntegerBounds): IntegerBounds;
  /** Appends strings behind their lengths, as PLAIN has them. */
  lengthPrefixed(portable: AppendStrings): AppendStrings;
  /** The minimum and maximum of strings, by number. */
  stringBounds(portable: StringBounds): StringBounds;
}

/** Whether no byte is above 127. */
export type IsAscii = (bytes: Uint8Array) => boolean;

/** The least and the greatest of integers, of which there is at least one: `bigint` for those of 8 bytes. */
export type IntegerBounds = (integers: Integers) => LeastAndGreatest<number | bigint>;

/** A minimum and a maximum. */
export interface LeastAndGreatest<T> {
  readonly least: T;
  readonly greatest: T;
}

/** Appends the first `count` strings, each behind its length in four bytes. */
export type AppendStrings = (strings: WordStrings, count: number, out: ByteBuilder) => void;

/** The numbers of the least and the greatest of the first `count` strings, of which there is at least one, in the order of their bytes. */
export type StringBounds = (strings: WordStrings, count: number) => LeastAndGreatest<number>;
