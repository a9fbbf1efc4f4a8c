/** Which rows a scan is about, and checks of the numbers it is given. */
import { CFileError } from "@cfile/bytes";
import type { BlockReadOptions } from "../blocks/block-reader.js";
import type { SearchValue } from "./cell-target.js";
import type { FoundRow, ScanOptions } from "./reader-options.js";

const DEFAULT_BATCH_ROWS = 131072;

/** What finding the rows needs of a reader. */
export interface RangedFile {
  readonly rowCount: number;
  find(value: SearchValue, options: BlockReadOptions): Promise<FoundRow | undefined>;
}

/** @throws CFileError `E_INVALID_ARGUMENT` for what are no row numbers, and as `file.find` */
export async function rowRangeOf(
  file: RangedFile,
  { rows, values, limit, signal }: Pick<ScanOptions, "rows" | "values" | "limit" | "signal">,
): Promise<{ from: number; to: number }> {
  const { rowCount } = file;
  let from = bound(rows?.from ?? 0, "rows.from");
  let to = Math.min(rowCount, bound(rows?.to ?? rowCount, "rows.to"));
  if (values?.from !== undefined) {
    const found = await file.find(values.from, { signal });
    from = Math.max(from, found?.row ?? rowCount);
  }
  if (values?.to !== undefined) {
    const found = await file.find(values.to, { signal });
    to = Math.min(to, found?.row ?? rowCount);
  }
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
