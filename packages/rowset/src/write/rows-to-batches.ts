/** Converts rows of JavaScript values to column batches. */
import { CFileError, invalidArgument, isCFileError } from "@cfile/bytes";
import type { ColumnBatch, InputCell } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import type { RowSetColumn, RowSetSchema } from "../schema/schema.js";

/** A row: an object by column name, or its cells in schema order. Missing cells are null. */
export type RowInput = readonly InputCell[] | Readonly<Record<string, InputCell>>;

/**
 * One batch per column, in schema order.
 *
 * @param firstRow number of the first row, for errors
 * @throws {CFileError} `E_INVALID_ARGUMENT` naming row and column for a value that does not fit and an unknown column
 */
export function batchesOfRows(
  schema: RowSetSchema,
  rows: readonly RowInput[],
  firstRow = 0,
): readonly ColumnBatch[] {
  rows.forEach((row, i) => {
    checkRow(schema, row, firstRow + i);
  });
  return schema.columns.map((column, position) => batchOfColumn(column, position, rows, firstRow));
}

/** The batches of the key columns alone; rows may lack other cells. Errors as {@link batchesOfRows}. */
export function keyBatchesOfRows(schema: RowSetSchema, rows: readonly RowInput[]): readonly ColumnBatch[] {
  return schema.columns.flatMap((column, position) =>
    column.isKey ? [batchOfColumn(column, position, rows, 0)] : [],
  );
}

function batchOfColumn(
  column: RowSetColumn,
  position: number,
  rows: readonly RowInput[],
  firstRow: number,
): ColumnBatch {
  try {
    const cells = rows.map((row) => cellOf(row, column.name, position));
    return batchFromValues(column, cells, firstRow);
  } catch (error) {
    throw isCFileError(error) ? misfit(column, error, error.reason) : error;
  }
}

/** The error for a cell that does not fit its column. */
export function misfit({ name }: RowSetColumn, cause: CFileError, reason: string): CFileError {
  const details = { field: name, actual: cause.actual, cause };
  return new CFileError(cause.code, `column ${JSON.stringify(name)}, ${reason}`, details);
}

/** The cell of a column; `undefined` when the row lacks it. */
export function cellOf(row: RowInput, name: string, position: number): InputCell {
  if (isArrayRow(row)) {
    return row[position];
  }
  return Object.hasOwn(row, name) ? row[name] : undefined;
}

function isArrayRow(row: RowInput): row is readonly InputCell[] {
  return Array.isArray(row);
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` for a value that is not a row, and for unknown columns */
export function checkRow({ columns }: RowSetSchema, row: RowInput, number: number): void {
  if (typeof row !== "object" || row === null) {
    throw invalidArgument(`row ${number} must be an object or an array`, { field: "row", actual: number });
  }
  if (isArrayRow(row)) {
    if (row.length > columns.length) {
      const reason = `row ${number} has ${row.length} cells for ${columns.length} columns`;
      throw invalidArgument(reason, { field: "row", actual: row.length });
    }
    return;
  }
  for (const name of Object.keys(row)) {
    if (!columns.some((column) => column.name === name)) {
      throw invalidArgument(`row ${number} has an unknown column ${JSON.stringify(name)}`, { field: name });
    }
  }
}
