/** Errors for rows that a file does not have or that its index does not lead to. */
import { type BlockLocation, CFileError, corrupt } from "@cfile/bytes";

interface RowsOfFile {
  readonly path: string;
  readonly rowCount: number;
}

/** @throws {CFileError} `E_NOT_FOUND` when the file has no such row */
export function requireRow({ path, rowCount }: RowsOfFile, row: number): void {
  if (!(Number.isInteger(row) && row >= 0 && row < rowCount)) {
    const reason = `no row ${row} in a file of ${rowCount} rows`;
    throw new CFileError("E_NOT_FOUND", reason, { path, field: "row", actual: row });
  }
}

/** The index leads to no block, or to `block`, which does not hold the row. */
export function corruptRow(path: string, row: number, block?: BlockLocation): CFileError {
  return corrupt(`index does not lead to row ${row}`, { path, block, field: "posidx_info", actual: row });
}
