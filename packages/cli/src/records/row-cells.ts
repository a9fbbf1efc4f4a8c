/** Rows of tables as records. */
import type { CellValue, DataType } from "@cfile/encodings";
import { batchFromValues, type TableBatch } from "@cfile/encodings/batches";
import type { RowSetColumn } from "@cfile/rowset";
import { type ColumnSpec, findColumn } from "../table/schema.js";
import { columnCells, type FieldCells } from "./field-cells.js";
import { type Column, left, right } from "./table.js";

/**
 * The columns with these names, in the order of the names; without names, all columns.
 *
 * @throws UsageError for an unknown column
 */
export function selectedColumns<C extends { readonly name: string }>(
  columns: readonly C[],
  names: readonly string[] | undefined,
): readonly C[] {
  return names?.map((name) => findColumn("--columns", name, columns)) ?? columns;
}

export function columnField({ name, type, array }: Pick<ColumnSpec, "name" | "type" | "array">): Column {
  return array || TEXTS.includes(type) ? left(name) : right(name);
}

/** Types whose cells are not numbers. */
const TEXTS: readonly DataType[] = ["STRING", "VARCHAR", "BINARY", "BOOL", "DATE", "UNIXTIME_MICROS"];

/** The cells of a batch with these columns. */
export function batchCells(columns: readonly RowSetColumn[], batch: TableBatch): FieldCells[] {
  return columns.flatMap((column, i) => {
    const cells = batch.columns[i];
    return cells === undefined ? [] : [columnCells(cells, { decode: true, scale: column.scale })];
  });
}

/** The cells of single rows, each with a cell per column. */
export function rowCells(
  columns: readonly RowSetColumn[],
  rows: readonly (readonly CellValue[])[],
): FieldCells[] {
  return columns.map((column, i) => {
    const cells = rows.map((row) => row[i] ?? null);
    return columnCells(batchFromValues({ ...column, nullable: true }, cells), {
      decode: true,
      scale: column.scale,
    });
  });
}
