import { CFileError } from "@cfile/bytes";
import type { CellValue } from "./cell-value.js";
import type { DataType } from "./data-type.js";

/** What a column takes as one cell; `undefined` is a null. */
export type InputCell = CellValue | undefined | readonly (CellValue | undefined)[];

/** Names the place of a value, for errors: `row 17`. */
export type Label = (index: number) => string;

/** The error for a value that a type cannot hold. */
export function misfit(where: string, type: DataType, value: unknown, reason: string): CFileError {
  const shown =
    typeof value === "bigint"
      ? `${value}n`
      : typeof value === "string"
        ? JSON.stringify(value)
        : String(value);
  const text = shown.length > 60 ? `${shown.slice(0, 57)}...` : shown;
  return new CFileError("E_INVALID_ARGUMENT", `${where}: ${text} does not fit ${type}: ${reason}`, {
    field: "values",
    actual: text,
  });
}
