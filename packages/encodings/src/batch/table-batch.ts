/** Table batches: the same rows of several columns. */
import type { ColumnBatch, NumberedRows, RowNumbers } from "./column-batch.js";
import { sliceRows, takeRows } from "./take-rows.js";

/** The same rows of several columns. */
export interface TableBatch extends NumberedRows {
  readonly names: readonly string[];
  /** One per name, of `length` rows. A column's own `firstRow` is a row number of its file. */
  readonly columns: readonly ColumnBatch[];
}

/** Rows `from` (inclusive) to `to` (exclusive), counted from the start of the batch; shares the batch's memory. */
export function sliceTable(batch: TableBatch, from: number, to: number): TableBatch {
  return from === 0 && to === batch.length
    ? batch
    : {
        length: to - from,
        firstRow: batch.rows?.[from] ?? batch.firstRow + from,
        rows: batch.rows?.subarray(from, to),
        names: batch.names,
        columns: batch.columns.map((column) => sliceRows(column, from, to)),
      };
}

/** Copies of the rows at these positions, in their order. */
export function takeTable(batch: TableBatch, positions: Uint32Array): TableBatch {
  const rows = rowNumbersAt(batch, positions);
  // A loop, not `map`: a closure per batch would be compiled repeatedly.
  const columns: ColumnBatch[] = [];
  for (const column of batch.columns) {
    columns.push(takeRows(column, positions));
  }
  return { length: positions.length, firstRow: rows[0] ?? batch.firstRow, rows, names: batch.names, columns };
}

function rowNumbersAt({ firstRow, length, rows }: NumberedRows, positions: Uint32Array): RowNumbers {
  const isLarge = rows === undefined ? firstRow + length > 0xffffffff : rows instanceof Float64Array;
  const numbers = isLarge ? new Float64Array(positions.length) : new Uint32Array(positions.length);
  for (let i = 0; i < positions.length; i++) {
    const position = positions[i] as number;
    numbers[i] = rows?.[position] ?? firstRow + position;
  }
  return numbers;
}
