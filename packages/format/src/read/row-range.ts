/** Determines the rows of a scan, and checks row numbers. */
import { CFileError, invalidOption } from "@cfile/bytes";
import { DATA_TYPES, type DataType } from "@cfile/encodings";
import type { ScanOptions } from "./reader-options.js";

/** Maximum rows that are decoded at once. */
export const MAX_DECODED_ROWS = 131072;
/** The cells of a batch as an array: V8 allocates arrays of more than 16,376 elements separately, which takes longer than filling them. */
const TEXT_BATCH_ROWS = 16_000;

/** @throws {CFileError} `E_INVALID_ARGUMENT` for bounds or limits that are not row numbers */
export function rowRangeOf(
  rowCount: number,
  { rows, limit }: Pick<ScanOptions, "rows" | "limit">,
): { readonly from: number; readonly to: number } {
  const from = bound(rows?.from ?? 0, "rows.from");
  const to = Math.min(rowCount, bound(rows?.to ?? rowCount, "rows.to"));
  return { from, to: Math.min(to, from + checkLimit(limit)) };
}

function bound(row: number, field: string): number {
  if (!(Number.isInteger(row) && row >= 0) && row !== Number.POSITIVE_INFINITY) {
    throw invalidOption(field, row, "an integer >= 0");
  }
  return row;
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` unless it is 1 or more */
export function checkBatchRows(batchRows: number | undefined, type: DataType): number {
  if (batchRows === undefined) {
    return DATA_TYPES[type].physical === "BINARY" ? TEXT_BATCH_ROWS : MAX_DECODED_ROWS;
  }
  if (!(batchRows >= 1)) {
    throw invalidOption("batchRows", batchRows, "a number >= 1");
  }
  return Math.floor(batchRows);
}

function checkLimit(limit: number = Number.POSITIVE_INFINITY): number {
  if (!(limit >= 0)) {
    throw invalidOption("limit", limit, "a number >= 0");
  }
  return Math.floor(limit);
}

/** @throws {CFileError} `E_NOT_FOUND` when the file has no such row */
export function requireRow(
  { path, rowCount }: { readonly path: string; readonly rowCount: number },
  row: number,
): void {
  if (!(Number.isInteger(row) && row >= 0 && row < rowCount)) {
    const reason = `no row ${row} in a file of ${rowCount} rows`;
    throw new CFileError("E_NOT_FOUND", reason, { path, field: "row", actual: row });
  }
}
