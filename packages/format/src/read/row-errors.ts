/** Rows that a file does not have, and rows that its index does not lead to. */
import { type BlockLocation, CFileError } from "@cfile/bytes";

interface RowsOfFile {
  readonly path: string;
  readonly rowCount: number;
}

/** @throws CFileError `E_NOT_FOUND` when the file has no such row */
export function requireRow(file: RowsOfFile, row: number): void {
  if (!(Number.isInteger(row) && row >= 0 && row < file.rowCount)) {
    throw new CFileError("E_NOT_FOUND", `row ${row} is not in a file of ${file.rowCount} rows`, {
      path: file.path,
      field: "row",
      actual: row,
    });
  }
}

/** The index leads nowhere, or to `block`, which does not hold the row. */
export function corruptRow(path: string, row: number, block?: BlockLocation): CFileError {
  return new CFileError("E_CORRUPT", `the index does not lead to row ${row}`, {
    path,
    block,
    field: "posidx_info",
    actual: row,
  });
}
