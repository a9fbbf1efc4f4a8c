/** What is made a table: rows of several columns, and the columns' names and types. */
import { invalidArgument } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import { expandDictionaries, type TableBatch } from "@cfile/encodings/batches";
import type { TableRows } from "@cfile/format";
import { type ArrowColumn, isText } from "./arrow-type.js";

/** How strings of a dictionary appear in a table. */
export interface TableOptions {
  /**
   * Whether strings of a dictionary stay codes (`"keep"`) or become the strings themselves. With `"keep"` every batch of
   * strings becomes codes, those without a dictionary with one of their own, which only the stream form can change. Default
   * `"expand"`.
   */
  readonly dictionaries?: "keep" | "expand" | undefined;
}

/**
 * The scan of a row set as a table.
 * @param columns the schema's, of which those stay that the scan gives
 * @throws {CFileError} as the scan
 */
export function tableOfScan(
  columns: readonly ArrowColumn[],
  rows: AsyncIterable<TableBatch>,
  names: readonly string[] = columns.map(({ name }) => name),
): TableRows {
  const chosen = names.map((name) => {
    const column = columns.find((candidate) => candidate.name === name);
    if (column === undefined) {
      throw invalidArgument(`there is no column ${JSON.stringify(name)}`, { field: "names" });
    }
    return column;
  });
  return { columns: chosen, rows };
}

/** The batches of some rows, each in the form that its column has in the whole table. */
export function batchesOfRows(
  table: TableRows,
  rows: TableBatch,
  { dictionaries }: TableOptions,
): readonly ColumnBatch[] {
  if (rows.columns.length !== table.columns.length) {
    throw invalidArgument(`${rows.columns.length} batches for ${table.columns.length} columns`, {
      field: "columns",
    });
  }
  return dictionaries === "keep" ? rows.columns : rows.columns.map((batch) => expandDictionaries(batch));
}

/** Whether a column's strings are codes in the table. */
export function isCoded(column: ArrowColumn, { dictionaries }: TableOptions): boolean {
  return dictionaries === "keep" && isText(column.type);
}
