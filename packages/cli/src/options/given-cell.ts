/** Cells and keys from the command line, where a value that does not fit is a usage error. */
import { isCFileError } from "@cfile/bytes";
import { type CellFormat, cellParser } from "@cfile/cell-text";
import { type CellValue, DATA_TYPES } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import type { RowSetColumn } from "@cfile/rowset";
import { UsageError } from "../program/exit-code.js";
import { invalidValue } from "../program/option.js";
import type { ColumnSpec } from "../table/schema.js";
import { csvList } from "./csv-list.js";

/** Makes cells of this format; the parser throws `UsageError`, with the option's name, for text that does not fit. */
export function givenCellParser(option: string, format: CellFormat): (text: string) => CellValue {
  const parse = cellParser(format);
  return (text) => {
    try {
      const cell = parse(text);
      // Checks the range of the type, which the parser does not.
      batchFromValues({ type: format.type }, [cell]);
      return cell;
    } catch (error) {
      // Drops the row number: there are no rows here.
      throw isCFileError(error)
        ? new UsageError(`invalid ${option}: ${error.reason.replace(/^row 0: /, "")}`)
        : error;
    }
  };
}

/**
 * Makes the cells of a key. The whole text is the cell of a key of one column; the cells of several columns are separated
 * by commas, as in CSV.
 *
 * @param columns of the key
 */
export function givenKeyParser(
  columns: readonly (ColumnSpec | RowSetColumn)[],
): (text: string) => CellValue[] {
  const parsers = columns.map((column) => givenCellParser(`key column "${column.name}"`, column));
  return (text) => {
    const fields = columns.length === 1 ? [text] : csvList("key", text);
    if (fields.length !== columns.length) {
      const names = columns.map(({ name }) => name).join(",");
      throw invalidValue("key", text, `expected ${columns.length} values: ${names}; found ${fields.length}`);
    }
    return parsers.map((parse, i) => parse(fields[i] ?? ""));
  };
}

/**
 * Checks that columns can be part of a primary key.
 *
 * @throws UsageError naming the option and the column that cannot
 */
export function requireKeyColumns(option: string, columns: readonly ColumnSpec[]): void {
  for (const { name, type, nullable, array } of columns) {
    if (nullable || array || !DATA_TYPES[type].isKey) {
      const what = array ? "an array" : nullable ? "nullable" : type;
      throw new UsageError(`${option}: column "${name}" is ${what} and cannot be part of a key`);
    }
  }
}
