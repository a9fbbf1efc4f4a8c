/** Cells and keys from the command line, where what does not fit is a mistake of the command line. */

import { isCFileError } from "@cfile/bytes";
import { type CellFormat, cellParser, printable } from "@cfile/cell-text";
import type { CellValue } from "@cfile/encodings";
import { DATA_TYPES } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import type { RowSetColumn } from "@cfile/rowset";
import { UsageError } from "../program/exit-code.js";
import type { ColumnSpec } from "../table/schema.js";
import { csvList } from "./csv-list.js";

/** Gives a cell of the column that has this format; throws `UsageError`, with the option's name, for text that is none. */
export function givenCellParser(option: string, format: CellFormat): (text: string) => CellValue {
  const parse = cellParser(format);
  return (text) => {
    try {
      const cell = parse(text);
      // The parser leaves ranges to whoever uses the cell.
      batchFromValues({ type: format.type }, [cell]);
      return cell;
    } catch (error) {
      // There are no rows here.
      throw isCFileError(error)
        ? new UsageError(`${option}: ${error.reason.replace(/^row 0: /, "")}`)
        : error;
    }
  };
}

/**
 * Gives the cells of a key: of one column the whole text is its cell, of several they have commas between, as in CSV.
 *
 * @param columns of the key
 */
export function givenKeyParser(
  columns: readonly (ColumnSpec | RowSetColumn)[],
): (text: string) => CellValue[] {
  const parsers = columns.map((column) => givenCellParser(`key column "${column.name}"`, column));
  return (text) => {
    const fields = columns.length === 1 ? [text] : csvList("KEY", text);
    if (fields.length !== columns.length) {
      const names = columns.map(({ name }) => name).join(",");
      throw new UsageError(
        `"${printable(text)}" has ${fields.length} of the ${columns.length} cells of a key: ${names}`,
      );
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
      throw new UsageError(`${option}: column "${name}" is ${what}, and so cannot be part of a key`);
    }
  }
}
