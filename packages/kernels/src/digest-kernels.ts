/** The hot loops for digests of rows. */
import type { WordStrings } from "./word-table.js";

/** The hot loops for digests; each method takes the portable implementation and returns the one to use. */
export interface DigestKernels {
  /** Hashes strings. */
  hashStrings(portable: HashStrings): HashStrings;
  /** Hashes the cells of rows and adds up the hashes of each column. */
  sumCells(portable: SumCells): SumCells;
}

/** Writes two words for each of the first `count` strings to `hashes`. */
export type HashStrings = (strings: WordStrings, count: number, hashes: Int32Array) => void;

/**
 * Adds the hashes of all cells of column `i`, modulo 2^32, to `sums[2 * i]` (low words) and `sums[2 * i + 1]` (high words). Adds the
 * hashes of whole rows to the two words after the sums of all columns.
 */
export type SumCells = (columns: readonly HashedCells[], length: number, sums: Int32Array) => void;

/** The cells of a column as words. The words of nulls are undefined. */
export interface HashedCells extends CellWords {
  /** The rows with a value; `undefined` without nulls. */
  readonly validity: Uint8Array | undefined;
  /** Distinguishes the column from others. */
  readonly seed: readonly [low: number, high: number];
  /** Whether the column is part of the key. The hashes of all cells of a row depend on its key. */
  readonly isKey: boolean;
}

/** Words of cells. */
export interface CellWords {
  readonly words: Int32Array;
  /** Words per cell: a low and a high word; or only a low word, whose sign (or 0) determines the high word. */
  readonly form: "pairs" | "signed" | "unsigned";
}
