/** Writes and reads a whole column with another library. */

import type { Setting } from "../measure.js";

/** Gets the cells of consecutive rows. */
export type CellVisitor = (cells: ArrayLike<unknown>) => void;

export interface ColumnPeer {
  readonly name: string;
  /**
   * Writes the column to memory, or to a file if the library cannot write to memory. Resolves to the number
   * of bytes written.
   */
  readonly write: () => Promise<number> | number;
  /** Creates the input of `write`, and releases it. */
  readonly writing?: Setting;
  /**
   * Reads the output of `write`, in the default format of the library. Resolves to the number of rows read.
   * @param visit also gets the values as JavaScript has them, to check them
   */
  readonly read: (visit?: CellVisitor) => Promise<number>;
  readonly close?: () => Promise<void>;
}
