/** Columns as DuckDB has them when it reads our Parquet. */
import type { DataType } from "@cfile/encodings";
import type { TableColumn } from "@cfile/format";

const TYPES: Readonly<Partial<Record<DataType, string>>> = /* @__PURE__ */ Object.freeze({
  INT8: "TINYINT",
  INT16: "SMALLINT",
  INT32: "INTEGER",
  INT64: "BIGINT",
  UINT8: "UTINYINT",
  UINT16: "USMALLINT",
  UINT32: "UINTEGER",
  UINT64: "UBIGINT",
  FLOAT: "FLOAT",
  DOUBLE: "DOUBLE",
  BOOL: "BOOLEAN",
  IS_DELETED: "BOOLEAN",
  STRING: "VARCHAR",
  VARCHAR: "VARCHAR",
  BINARY: "BLOB",
  // Not every value has 38 digits at most: its bytes, big-endian.
  INT128: "BLOB",
  DATE: "DATE",
  UNIXTIME_MICROS: "TIMESTAMPTZ",
});

/** Most digits of decimals. */
const DIGITS: Readonly<Partial<Record<DataType, number>>> = /* @__PURE__ */ Object.freeze({
  DECIMAL32: 9,
  DECIMAL64: 18,
  DECIMAL128: 38,
});

export function duckdbType({ type, array, precision = DIGITS[type], scale = 0 }: TableColumn): string {
  const own = TYPES[type] ?? `DECIMAL(${precision}, ${scale})`;
  return array ? `${own}[]` : own;
}

/** A name as SQL has it in quotes. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Text as SQL has it in quotes. */
export function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
