/**
 * Hashes of rows, 64 bits in two words: of the key, and of all cells together. The hash of a cell depends on its column and on the key
 * of its row, so that two rows that exchange values do not keep their hashes. The hash of a row is the sum of its cells.
 */
import { getBit, invalidArgument } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import type { TableBatch } from "@cfile/encodings/batches";
import { CellWordMaker, type CellWords } from "./cell-words.js";
import { foldHigh, foldLow, textWords } from "./mix.js";

/** Hashes of the rows of a batch. */
export interface RowHashes {
  readonly length: number;
  readonly keyLow: Int32Array;
  readonly keyHigh: Int32Array;
  readonly rowLow: Int32Array;
  readonly rowHigh: Int32Array;
}

/** Sums of the hashes of all cells of each column, modulo 2^32. */
export interface ColumnSums {
  readonly low: Int32Array;
  readonly high: Int32Array;
}

const NO_ROWS = new Int32Array(0);

export class RowHasher {
  private readonly names: readonly string[];
  private readonly isKey: readonly boolean[];
  private readonly seeds: readonly (readonly [number, number])[];
  private readonly makers: readonly CellWordMaker[];
  private hashes: RowHashes = {
    length: 0,
    keyLow: NO_ROWS,
    keyHigh: NO_ROWS,
    rowLow: NO_ROWS,
    rowHigh: NO_ROWS,
  };

  /**
   * @param names the columns
   * @param keyNames those of the key; without any, all columns are the key
   */
  constructor(names: readonly string[], keyNames: readonly string[]) {
    this.names = names;
    this.isKey = names.map((name) => keyNames.length === 0 || keyNames.includes(name));
    this.seeds = names.map((name) => textWords(name));
    this.makers = names.map(() => new CellWordMaker());
  }

  /**
   * @param sums get the hashes of the cells added
   * @returns the hashes, in memory that the next call uses again
   * @throws {CFileError} `E_INVALID_ARGUMENT` for a batch that lacks a column
   */
  hash(batch: TableBatch, sums?: ColumnSums): RowHashes {
    const hashes = this.cleared(batch.length);
    const cells: { readonly column: ColumnBatch; readonly words: CellWords }[] = [];
    for (const [i, name] of this.names.entries()) {
      const column = batch.columns[batch.names.indexOf(name)];
      const words = column && this.makers[i]?.of(column);
      if (column === undefined || words === undefined) {
        throw invalidArgument("a batch lacks a column of its table", { field: name });
      }
      cells.push({ column, words });
    }
    for (const [i, { column, words }] of cells.entries()) {
      if (this.isKey[i]) {
        addToKeys(column, words, this.seeds[i] ?? [0, 0], hashes);
      }
    }
    for (const [i, { column, words }] of cells.entries()) {
      const [low, high] = addToRows(column, words, this.seeds[i] ?? [0, 0], hashes);
      if (sums !== undefined) {
        sums.low[i] = (sums.low[i] ?? 0) + low;
        sums.high[i] = (sums.high[i] ?? 0) + high;
      }
    }
    return hashes;
  }

  private cleared(length: number): RowHashes {
    const room = this.hashes.keyLow.length;
    const words = (): Int32Array => new Int32Array(Math.max(length, 2 * room));
    this.hashes =
      length <= room
        ? { ...this.hashes, length }
        : { length, keyLow: words(), keyHigh: words(), rowLow: words(), rowHigh: words() };
    this.hashes.keyLow.fill(0, 0, length);
    this.hashes.keyHigh.fill(0, 0, length);
    this.hashes.rowLow.fill(0, 0, length);
    this.hashes.rowHigh.fill(0, 0, length);
    return this.hashes;
  }
}

function addToKeys(
  { validity }: ColumnBatch,
  { low, high, stride }: CellWords,
  [seedLow, seedHigh]: readonly [number, number],
  { length, keyLow, keyHigh }: RowHashes,
): void {
  for (let i = 0; i < length; i++) {
    const isNull = validity !== undefined && !getBit(validity, i);
    const x = (keyLow[i] as number) ^ seedLow ^ (isNull ? -1 : (low[stride * i] as number));
    const y = (keyHigh[i] as number) ^ seedHigh ^ (isNull ? 1 : (high[stride * i] as number));
    const folded = foldLow(x, y);
    keyLow[i] = folded;
    keyHigh[i] = foldHigh(folded, isNull ? ~y : y);
  }
}

/** Adds the hashes of a column's cells to their rows. @returns the sums of these hashes */
function addToRows(
  { validity }: ColumnBatch,
  { low, high, stride }: CellWords,
  [seedLow, seedHigh]: readonly [number, number],
  { length, keyLow, keyHigh, rowLow, rowHigh }: RowHashes,
): readonly [low: number, high: number] {
  let [sumLow, sumHigh] = [0, 0];
  for (let i = 0; i < length; i++) {
    let x = (keyLow[i] as number) ^ seedLow;
    let y = (keyHigh[i] as number) ^ seedHigh;
    if (validity === undefined || getBit(validity, i)) {
      x ^= low[stride * i] as number;
      y ^= high[stride * i] as number;
    } else {
      [x, y] = [~y, x];
    }
    const folded = foldLow(x, y);
    const folded2 = foldHigh(folded, y);
    sumLow = (sumLow + folded) | 0;
    sumHigh = (sumHigh + folded2) | 0;
    rowLow[i] = (rowLow[i] as number) + folded;
    rowHigh[i] = (rowHigh[i] as number) + folded2;
  }
  return [sumLow, sumHigh];
}
