/** A whole column written and read by another library. */

import type { Setting } from "../measure.js";

/** Is given the cells of consecutive rows. */
export type CellVisitor = (cells: ArrayLike<unknown>) => void;

export interface ColumnPeer {
  readonly name: string;
  /** Writes the column to memory or, where the library has no other way, to a file; resolves to the bytes written. */
  readonly write: () => Promise<number> | number;
  /** Makes what `write` begins with and lets it go. */
  readonly writing?: Setting;
  /**
   * Reads what `write` once wrote, in the form that the library gives out by itself; resolves to the rows read.
   *
   * @param visit is given the values, too, as JavaScript has them: to check them
   */
  readonly read: (visit?: CellVisitor) => Promise<number>;
  readonly close?: () => Promise<void>;
}
