/** DuckDB's types for the columns of the temporary Parquet files. */
import type { DataType } from "@cfile/encodings";
import type { TableColumn } from "@cfile/format";

/** DuckDB's names of types, where they differ. */
const TYPES: Readonly<Partial<Record<DataType, string>>> = /* @__PURE__ */ Object.freeze({
  INT8: "TINYINT",
  INT16: "SMALLINT",
  INT32: "INTEGER",
  INT64: "BIGINT",
  UINT8: "UTINYINT",
  UINT16: "USMALLINT",
  UINT32: "UINTEGER",
  UINT64: "UBIGINT",
  BOOL: "BOOLEAN",
  IS_DELETED: "BOOLEAN",
  STRING: "VARCHAR",
  BINARY: "BLOB",
  // Big-endian bytes, because values can exceed 38 digits.
  INT128: "BLOB",
  UNIXTIME_MICROS: "TIMESTAMPTZ",
});

/** Maximum precision of decimals. */
const DIGITS: Readonly<Partial<Record<DataType, number>>> = /* @__PURE__ */ Object.freeze({
  DECIMAL32: 9,
  DECIMAL64: 18,
  DECIMAL128: 38,
});

export function duckdbType({ type, array, precision = DIGITS[type], scale = 0 }: TableColumn): string {
  const own = TYPES[type] ?? (type in DIGITS ? `DECIMAL(${precision}, ${scale})` : type);
  return array ? `${own}[]` : own;
}

/** A quoted SQL name. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A quoted SQL string. */
export function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
