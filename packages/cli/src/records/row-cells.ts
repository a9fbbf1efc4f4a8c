/** Rows of row sets as records. */
import type { CellValue, DataType } from "@cfile/encodings";
import { batchFromValues, type TableBatch } from "@cfile/encodings/batches";
import type { RowSetColumn, RowSetSchema } from "@cfile/rowset";
import { UsageError } from "../program/exit-code.js";
import type { ColumnSpec } from "../table/schema.js";
import { columnCells, type FieldCells } from "./field-cells.js";
import type { Column } from "./table.js";

/** The columns of these names, in their order; all without names. */
export function wantedColumns(
  { columns }: RowSetSchema,
  names: readonly string[] | undefined,
): readonly RowSetColumn[] {
  return (
    names?.map((name) => {
      const column = columns.find((candidate) => candidate.name === name);
      if (column === undefined) {
        const known = columns.map((candidate) => candidate.name).join(", ");
        throw new UsageError(`--columns: there is no column "${name}"; there are ${known}`);
      }
      return column;
    }) ?? columns
  );
}

export function columnField({ name, type, array }: Pick<ColumnSpec, "name" | "type" | "array">): Column {
  return { title: name, align: array || TEXTS.includes(type) ? "left" : "right" };
}

/** Types whose cells do not look like numbers. */
const TEXTS: readonly DataType[] = ["STRING", "VARCHAR", "BINARY", "BOOL", "DATE", "UNIXTIME_MICROS"];

/** The cells of a batch that has these columns. */
export function batchCells(columns: readonly RowSetColumn[], batch: TableBatch): FieldCells[] {
  return columns.flatMap((column, i) => {
    const cells = batch.columns[i];
    return cells === undefined ? [] : [columnCells(cells, { decode: true, scale: column.scale })];
  });
}

/** Single rows, each with a cell for each of these columns. */
export function rowCells(
  columns: readonly RowSetColumn[],
  rows: readonly (readonly CellValue[])[],
): FieldCells[] {
  return columns.map((column, i) =>
    columnCells(
      batchFromValues(
        { ...column, nullable: true },
        rows.map((row) => row[i] ?? null),
      ),
      { decode: true, scale: column.scale },
    ),
  );
}
