import { type CFileError, invalidArgument } from "@cfile/bytes";
import type { CellValue } from "./cell-value.js";
import type { DataType } from "./data-type.js";

/** What a column takes as one cell; `undefined` is a null. */
export type InputCell = CellValue | undefined | readonly (CellValue | undefined)[];

/** Names the place of a value, for errors: `row 17`. */
export type Label = (index: number) => string;

/** The error for a value that a type cannot hold. */
export function misfit(where: string, type: DataType, value: unknown, reason: string): CFileError {
  const shown = shownValue(value);
  const actual = shown.length > 60 ? `${shown.slice(0, 57)}...` : shown;
  return invalidArgument(`${where}: ${actual} does not fit ${type}: ${reason}`, { field: "values", actual });
}

function shownValue(value: unknown): string {
  switch (typeof value) {
    case "bigint":
      return `${value}n`;
    case "string":
      return JSON.stringify(value);
    case "object":
      // Not String(): the conversion of an object to text may be missing or throw.
      return value === null ? "null" : Object.prototype.toString.call(value);
    default:
      return String(value);
  }
}
