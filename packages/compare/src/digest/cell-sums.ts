/**
 * Hashes of cells and rows, and their sums. The key of a row is the hash of its key columns, one after the other; the hash of another
 * cell depends on its column and on this key, so that two rows that exchange values change the sum of the column. The hash of a row is
 * that of the sum of its key and its cells.
 */
import { getBit } from "@cfile/bytes";
import { chooseDigestKernels, type HashedCells, type SumCells } from "@cfile/kernels/rows";
import { foldHigh, foldLow } from "./mix.js";

/** Two words for each row. */
export interface WordPairs {
  readonly low: Int32Array;
  readonly high: Int32Array;
}

/** Hashes the cells of a column with the keys of their rows. @param to may be the keys */
function foldCells(
  { words, form, validity, seed }: HashedCells,
  length: number,
  keys: WordPairs,
  to: WordPairs,
): void {
  const [seedLow, seedHigh] = seed;
  const stride = form === "pairs" ? 2 : 1;
  // The high word follows from the sign of the low one.
  const signs = form === "signed" ? -1 : 0;
  for (let i = 0; i < length; i++) {
    let x = (keys.low[i] as number) ^ seedLow;
    let y = (keys.high[i] as number) ^ seedHigh;
    if (validity === undefined || getBit(validity, i)) {
      const low = words[stride * i] as number;
      x ^= low;
      y ^= stride === 2 ? (words[2 * i + 1] as number) : (low >> 31) & signs;
    } else {
      const swapped = x;
      x = ~y;
      y = swapped;
    }
    const folded = foldLow(x, y);
    to.low[i] = folded;
    to.high[i] = foldHigh(folded, y);
  }
}

/** Hashes rows: their keys, their other cells one column at a time, and the rows themselves. */
export class HashedRows {
  keys = NO_PAIRS;
  rows = NO_PAIRS;
  private cells = NO_PAIRS;

  /** @param onCells called with the hashes of the cells of each column */
  hash(
    columns: readonly HashedCells[],
    length: number,
    onCells?: (cells: WordPairs, column: number) => void,
  ): void {
    this.keys = withRoom(this.keys, length);
    this.rows = withRoom(this.rows, length);
    this.cells = withRoom(this.cells, length);
    const { keys, rows, cells } = this;
    keys.low.fill(0, 0, length);
    keys.high.fill(0, 0, length);
    for (const [i, column] of columns.entries()) {
      if (column.isKey) {
        foldCells(column, length, keys, keys);
        onCells?.(keys, i);
      }
    }
    rows.low.set(keys.low);
    rows.high.set(keys.high);
    for (const [i, column] of columns.entries()) {
      if (!column.isKey) {
        foldCells(column, length, keys, cells);
        addPairs(cells, length, rows);
        onCells?.(cells, i);
      }
    }
    for (let row = 0; row < length; row++) {
      const high = rows.high[row] as number;
      const folded = foldLow(rows.low[row] as number, high);
      rows.low[row] = folded;
      rows.high[row] = foldHigh(folded, high);
    }
  }
}

function addPairs({ low, high }: WordPairs, length: number, rows: WordPairs): void {
  for (let i = 0; i < length; i++) {
    rows.low[i] = (rows.low[i] as number) + (low[i] as number);
    rows.high[i] = (rows.high[i] as number) + (high[i] as number);
  }
}

const NO_PAIRS: WordPairs = { low: new Int32Array(0), high: new Int32Array(0) };

function withRoom(pairs: WordPairs, length: number): WordPairs {
  return length > pairs.low.length ? { low: new Int32Array(length), high: new Int32Array(length) } : pairs;
}

/** The portable version. */
export const portableSums: SumCells = (columns, length, sums) => {
  const add = ({ low, high }: WordPairs, column: number): void => {
    for (let i = 0; i < length; i++) {
      sums[2 * column] = (sums[2 * column] as number) + (low[i] as number);
      sums[2 * column + 1] = (sums[2 * column + 1] as number) + (high[i] as number);
    }
  };
  const hashed = new HashedRows();
  hashed.hash(columns, length, add);
  add(hashed.rows, columns.length);
};

/** Adds the hashes of all cells of each column, and those of whole rows, to their sums: two words for each. */
export const sumCells: SumCells = (columns, length, sums) =>
  chooseDigestKernels().sumCells(portableSums)(columns, length, sums);
