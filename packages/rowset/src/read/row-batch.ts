/** Rows of a row set as columns. */
import type { CellValue, ColumnBatch } from "@cfile/encodings";

/** Some rows in key order, of each the columns that were asked for. */
export interface RowBatch {
  /** Number of rows. */
  readonly length: number;
  /** The number of each row in its row set. */
  readonly rows: Uint32Array;
  /** One a column, each of `length` rows, in the order in which they were asked for. */
  readonly columns: readonly ColumnBatch[];
  /** Names of the columns. */
  readonly names: readonly string[];
}

/** Rows that changed between two timestamps, as they are at the later one. */
export interface ChangeBatch extends RowBatch {
  /** 1 for rows that are deleted, whose cells are the last ones; 0 for others. */
  readonly deleted: Uint8Array;
  /** When each row changed last, between the two timestamps. */
  readonly changedAt: BigUint64Array;
}

/** One row. */
export interface RowCells {
  /** The row's number in its row set. */
  readonly row: number;
  readonly names: readonly string[];
  readonly cells: readonly CellValue[];
}

/** Rows that follow each other in their row set; their numbers are made for who asks for them. */
export function consecutiveRows(
  first: number,
  length: number,
  columns: readonly ColumnBatch[],
  names: readonly string[],
): RowBatch {
  let rows: Uint32Array | undefined;
  return {
    length,
    get rows() {
      rows ??= rowNumbers(first, length);
      return rows;
    },
    columns,
    names,
  };
}

function rowNumbers(first: number, length: number): Uint32Array {
  const rows = new Uint32Array(length);
  for (let i = 0; i < length; i++) {
    rows[i] = first + i;
  }
  return rows;
}
