/** Stored values, the form of cells in operations and delta entries, and columns of them. */
import { decodeCell } from "@cfile/deltafile";
import type { CellValue, ColumnBatch } from "@cfile/encodings";
import { batchFromValues, bytesOf } from "@cfile/encodings/batches";
import type { KuduColumn } from "../catalog/schema-message.js";

/** @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED` if the bytes are not a valid value of the column */
export function cellValue(column: KuduColumn, data: Uint8Array): CellValue {
  return decodeCell(column, { isNull: false, data, start: 0, end: data.length }, { strings: "bytes" });
}

/**
 * A column of stored values, `null` for NULL. Floats keep their bits.
 *
 * @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED` if a cell is not a valid value of the column
 */
export function batchOfCells(column: KuduColumn, cells: readonly (Uint8Array | null)[]): ColumnBatch {
  const isFloat = !column.array && (column.type === "FLOAT" || column.type === "DOUBLE");
  const values = cells.map((cell) => (cell === null ? null : isFloat ? 0 : cellValue(column, cell)));
  const batch = batchFromValues(column, values);
  if (isFloat && batch.kind === "fixed") {
    // As a number, a NaN would lose its payload.
    const bytes = bytesOf(batch.values);
    const width = column.type === "FLOAT" ? 4 : 8;
    cells.forEach((cell, i) => {
      if (cell !== null) {
        bytes.set(cell.subarray(0, width), i * width);
      }
    });
  }
  return batch;
}
