/** Which rows a scan is about, and checks of the numbers it is given. */
import { CFileError } from "@cfile/bytes";
import type { ScanOptions } from "./reader-options.js";

const DEFAULT_BATCH_ROWS = 131072;

/** @throws CFileError `E_INVALID_ARGUMENT` for what are no row numbers */
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
    throw new CFileError("E_INVALID_ARGUMENT", `${field} is ${row}, a row number is expected`, { field });
  }
  return row;
}

/** @throws CFileError `E_INVALID_ARGUMENT` unless it is 1 or more */
export function checkBatchRows(batchRows: number = DEFAULT_BATCH_ROWS): number {
  if (!(batchRows >= 1)) {
    throw new CFileError("E_INVALID_ARGUMENT", `batchRows is ${batchRows}, at least 1 is expected`, {
      field: "batchRows",
    });
  }
  return Math.floor(batchRows);
}

/** @throws CFileError `E_INVALID_ARGUMENT` unless it is 0 or more */
export function checkLimit(limit: number = Number.POSITIVE_INFINITY): number {
  if (!(limit >= 0)) {
    throw new CFileError("E_INVALID_ARGUMENT", `limit is ${limit}, a number of rows is expected`, {
      field: "limit",
    });
  }
  return Math.floor(limit);
}
