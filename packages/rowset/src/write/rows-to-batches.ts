/** Rows as JavaScript has them, as column batches. */
import { CFileError, invalidArgument, isCFileError } from "@cfile/bytes";
import type { ColumnBatch, InputCell } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import type { RowSetColumn, RowSetSchema } from "../schema/schema.js";

/** A row: an object by column name, or its cells in the order of the schema. A cell that is missing is null. */
export type RowInput = readonly InputCell[] | Readonly<Record<string, InputCell>>;

/**
 * A batch for each column, in the order of the schema.
 *
 * @param firstRow number of the first row, for errors
 * @throws CFileError `E_INVALID_ARGUMENT` naming row and column: a value that does not fit, a column that the schema does not have
 */
export function batchesOfRows(
  schema: RowSetSchema,
  rows: readonly RowInput[],
  firstRow = 0,
): readonly ColumnBatch[] {
  const { columns } = schema;
  rows.forEach((row, i) => {
    checkRow(schema, row, firstRow + i);
  });
  return columns.map((column, position) => batchOfColumn(column, position, rows, firstRow));
}

/** The batches of the key columns alone; rows need not have cells of others. Errors are those of {@link batchesOfRows}. */
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
    return batchFromValues(
      column,
      rows.map((row) => cellOf(row, column.name, position)),
      firstRow,
    );
  } catch (error) {
    if (isCFileError(error)) {
      throw new CFileError(error.code, `column ${JSON.stringify(column.name)}, ${error.reason}`, {
        field: column.name,
        actual: error.actual,
        cause: error,
      });
    }
    throw error;
  }
}

/** The cell of a column; `undefined` when the row does not have it. */
export function cellOf(row: RowInput, name: string, position: number): InputCell {
  if (isArrayRow(row)) {
    return row[position];
  }
  return Object.hasOwn(row, name) ? row[name] : undefined;
}

function isArrayRow(row: RowInput): row is readonly InputCell[] {
  return Array.isArray(row);
}

/** @throws CFileError `E_INVALID_ARGUMENT` for what is no row, and for columns that the schema does not have */
export function checkRow({ columns }: RowSetSchema, row: RowInput, number: number): void {
  if (typeof row !== "object" || row === null) {
    throw invalidArgument(`row ${number} is neither an object nor an array`, {
      field: "row",
      actual: number,
    });
  }
  if (isArrayRow(row)) {
    if (row.length > columns.length) {
      throw invalidArgument(`row ${number} has ${row.length} cells for ${columns.length} columns`, {
        field: "row",
        actual: row.length,
      });
    }
    return;
  }
  for (const name of Object.keys(row)) {
    if (!columns.some((column) => column.name === name)) {
      throw invalidArgument(
        `row ${number} has a column ${JSON.stringify(name)} that the schema does not have`,
        {
          field: name,
        },
      );
    }
  }
}
