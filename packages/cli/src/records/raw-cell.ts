/** Cells of a table's text, before they have a type. */
import { invalidArgument } from "@cfile/bytes";
import { type CellParser, cellParser, isText, type ParsedCell } from "@cfile/cell-text";
import type { InputCell } from "cfile";
import { LosslessNumber, parse as parseJson } from "lossless-json";
import type { ColumnSpec } from "../table/schema.js";

export type RawScalar = string | boolean | LosslessNumber;
export type RawCell = RawScalar | null | readonly (RawScalar | null)[];

/**
 * A JSON value as a cell.
 *
 * @param where for messages
 * @throws {CFileError} `E_INVALID_ARGUMENT` for objects and nested arrays
 */
export function rawCell(value: unknown, where: string, path: string): RawCell {
  return Array.isArray(value)
    ? value.map((element) => rawScalar(element, where, path))
    : rawScalar(value, where, path);
}

function rawScalar(value: unknown, where: string, path: string): RawScalar | null {
  if (
    value === null ||
    typeof value === "string" ||
    typeof value === "boolean" ||
    value instanceof LosslessNumber
  ) {
    return value;
  }
  const what = Array.isArray(value) ? "a nested array" : "an object";
  throw invalidArgument(`${where}: found ${what} (expected a scalar or an array of scalars)`, { path });
}

/** Makes the cells of a column. Messages name the row. */
export type CellMaker = (raw: RawCell | undefined, row: number) => InputCell;

/**
 * @param format if empty CSV fields are nulls, they become empty text in text columns that are not nullable
 * @throws {CFileError} `E_INVALID_ARGUMENT`, from the maker, naming column and row of a value that does not fit
 */
export function cellMaker(
  column: ColumnSpec,
  format: { readonly kind: "csv" | "ndjson"; readonly nullText: string },
  path: string,
): CellMaker {
  const parse = cellParser(column);
  const hasEmptyNulls = format.kind === "csv" && format.nullText === "";
  const ofNull = hasEmptyNulls && isText(column.type) && !column.nullable && !column.array ? "" : null;
  return (raw, row) => {
    if (raw === null || raw === undefined) {
      return ofNull;
    }
    try {
      return column.array ? arrayCell(raw, parse) : scalarCell(raw, parse);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw invalidArgument(`column "${column.name}": row ${row}: ${reason}`, { path });
    }
  };
}

function scalarCell(raw: RawCell, parse: CellParser): ParsedCell {
  if (raw === null || (typeof raw === "object" && !(raw instanceof LosslessNumber))) {
    throw invalidArgument("found an array (the column has single values)");
  }
  return parse(typeof raw === "string" ? raw : raw.toString());
}

/** In CSV an array is written as JSON. */
function arrayCell(raw: RawCell, parse: CellParser): (ParsedCell | null)[] {
  const elements: unknown = typeof raw === "string" ? parseJson(raw) : raw;
  if (!Array.isArray(elements)) {
    throw invalidArgument("found a single value (expected an array like [1,2])");
  }
  return elements.map((element: RawCell) => (element === null ? null : scalarCell(element, parse)));
}
