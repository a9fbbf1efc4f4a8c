/**
 * Earlier types of columns: Iceberg allows widening of numbers, which preserves their values.
 * Specified at https://iceberg.apache.org/spec/#schema-evolution.
 */
import { CFileError } from "@cfile/bytes";
import type { CellValue, ColumnBatch, DataType } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import type { TableColumn } from "@cfile/format";

/** Each list from the narrowest to the widest. */
const NUMBERS: readonly (readonly DataType[])[] = [
  ["INT8", "INT16", "INT32", "INT64"],
  ["FLOAT", "DOUBLE"],
  ["DECIMAL32", "DECIMAL64", "DECIMAL128"],
];
const BYTES: readonly DataType[] = ["STRING", "VARCHAR", "BINARY"];

/**
 * Requires that the cells of two columns can be compared: keys of deletes, and the column of a data file.
 *
 * @param path of the file with the column `found`
 * @throws {CFileError} `E_UNSUPPORTED` for another type
 */
export function requireComparable(path: string, column: TableColumn, found: TableColumn): void {
  if (kindOf(column) !== kindOf(found)) {
    throw otherType(path, column, found);
  }
}

/**
 * Requires that a column of a data file has the type of the table's column, or a narrower one.
 *
 * @param path of the data file
 * @throws {CFileError} `E_UNSUPPORTED` for another type
 */
export function requirePromotable(path: string, column: TableColumn, found: TableColumn): void {
  requireComparable(path, column, found);
  const types = NUMBERS.find((each) => each.includes(column.type)) ?? [];
  if (types.indexOf(found.type) > types.indexOf(column.type)) {
    throw otherType(path, column, found);
  }
}

/** The cells in the type that the column has in the table. */
export function promoted(batch: ColumnBatch, { type, array }: TableColumn): ColumnBatch {
  if (batch.type === type || BYTES.includes(type)) {
    return batch;
  }
  const widen = type === "INT64" ? wide : (cell: CellValue): CellValue => cell;
  return batchFromValues({ type, array, nullable: true }, batch.toArray().map(widen));
}

/** 64-bit integers are BigInts, narrower ones are numbers. */
function wide(cell: CellValue): CellValue {
  return Array.isArray(cell) ? cell.map(wide) : typeof cell === "number" ? BigInt(cell) : cell;
}

function kindOf({ type, scale = 0, array }: TableColumn): string {
  const kind = [...NUMBERS, BYTES].find((types) => types.includes(type))?.[0] ?? type;
  return `${kind.startsWith("DECIMAL") ? `decimal of scale ${scale}` : kind}${array ? " array" : ""}`;
}

function otherType(path: string, column: TableColumn, found: TableColumn): CFileError {
  const name = ({ type, scale, array }: TableColumn): string =>
    `${type}${scale === undefined ? "" : ` of scale ${scale}`}${array ? " array" : ""}`;
  const reason = `column ${JSON.stringify(column.name)} is ${name(found)} in a data file, and ${name(column)} in the table or its deletes`;
  return new CFileError("E_UNSUPPORTED", reason, { path, field: column.name });
}
