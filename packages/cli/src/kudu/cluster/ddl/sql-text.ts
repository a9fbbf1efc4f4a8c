/** Names, types and literals of SQL statements. */
import { CFileError } from "@cfile/bytes";
import { dateText, decimalText, isDecimal, isFloat, isText, timestampText } from "@cfile/cell-text";
import { decodeCell } from "@cfile/deltafile";
import type { CellValue, DataType } from "@cfile/encodings";
import type { HashPartitioning, KuduColumn } from "@cfile/kudu-dir/catalog";
import type { DescribedTable } from "../describe-text.js";

export type SqlDialect = "impala" | "spark" | "iceberg";

const TYPES: Readonly<Record<string, string>> = {
  BOOL: "BOOLEAN",
  INT8: "TINYINT",
  INT16: "SMALLINT",
  INT32: "INT",
  INT64: "BIGINT",
  UNIXTIME_MICROS: "TIMESTAMP",
} satisfies Partial<Record<DataType, string>>;

/** Iceberg has no narrower integers, and no maximum length of strings. */
const ICEBERG_TYPES: Readonly<Record<string, string>> = { INT8: "INT", INT16: "INT", VARCHAR: "STRING" };

/** @throws {CFileError} `E_UNSUPPORTED` for arrays in Impala, which does not support them in Kudu tables */
export function sqlType(column: KuduColumn, dialect: SqlDialect): string {
  const { name, type, precision, scale = 0, length, array } = column;
  if (array && dialect === "impala") {
    const reason = `column ${JSON.stringify(name)} is an array, which Impala does not have in Kudu tables`;
    throw new CFileError("E_UNSUPPORTED", reason, { field: "type" });
  }
  const own = dialect === "iceberg" ? ICEBERG_TYPES[type] : undefined;
  const attributed = isDecimal(type)
    ? `DECIMAL(${precision}, ${scale})`
    : type === "VARCHAR"
      ? `VARCHAR(${length})`
      : (TYPES[type] ?? type);
  return array ? `ARRAY<${own ?? attributed}>` : (own ?? attributed);
}

/** A string literal. Impala and Spark both take backslashes as escapes. */
export function quoted(text: string): string {
  const escaped = text.replace(/[\\']/g, "\\$&").replaceAll("\n", "\\n").replaceAll("\r", "\\r");
  return `'${escaped.replaceAll("\t", "\\t").replaceAll("\0", "\\0")}'`;
}

/** An identifier in backticks, if it needs them. */
export function identifier(name: string): string {
  return /^[a-z_]\w*$/i.test(name) ? name : `\`${name.replaceAll("`", "``")}\``;
}

export function identifiers(columns: readonly KuduColumn[]): string {
  return columns.map(({ name }) => identifier(name)).join(", ");
}

/** A default as stored bytes or value, or a bound of a range, as a literal of the column's type. */
export function literal(column: KuduColumn, value: CellValue, dialect: SqlDialect): string {
  const { type, scale } = column;
  if (value instanceof Uint8Array) {
    if (type === "BINARY") {
      const hex = [...value].map((byte) => byte.toString(16).padStart(2, "0")).join("");
      return dialect === "impala" ? `unhex('${hex}')` : `X'${hex}'`;
    }
    if (isText(type)) {
      return quoted(new TextDecoder().decode(value));
    }
    const cell = { isNull: false, data: value, start: 0, end: value.length };
    return literal(column, decodeCell(column, cell), dialect);
  }
  if (typeof value === "string") {
    return quoted(value);
  }
  if (typeof value === "number" || typeof value === "bigint") {
    return numberLiteral(type, value, scale);
  }
  return String(value);
}

function numberLiteral(type: DataType, value: number | bigint, scale = 0): string {
  if (type === "DATE") {
    return `DATE '${dateText(Number(value))}'`;
  }
  if (type === "UNIXTIME_MICROS") {
    return `CAST('${timestampText(BigInt(value)).replace("T", " ").replace("Z", "")}' AS TIMESTAMP)`;
  }
  if (isDecimal(type)) {
    return decimalText(value, scale);
  }
  const hasDigits = typeof value === "bigint" || Number.isFinite(value);
  return isFloat(type) && !hasDigits ? `CAST('${value}' AS ${type})` : String(value);
}

/** `HASH (a, b) PARTITIONS 3` */
export function hashText({ columnIds, buckets }: HashPartitioning, table: DescribedTable): string {
  return `HASH (${identifiers(hashColumns(columnIds, table))}) PARTITIONS ${buckets}`;
}

export function hashColumns(ids: readonly number[], { columns }: DescribedTable): readonly KuduColumn[] {
  return ids.flatMap((id) => columns.filter((column) => column.id === id));
}

/** Comment lines for properties that the statement cannot express. */
export function remarkLines(remarks: readonly string[]): string[] {
  return remarks.map((remark) => `-- ${remark}`);
}

/** Properties that the statement lacks. */
export function unstated({ owner, columns }: DescribedTable): string[] {
  return [
    ...(owner === undefined
      ? ["unknown without the directories of a master: owner, comment, number of replicas, configuration"]
      : []),
    ...columns
      .filter(({ immutable }) => immutable)
      .map(({ name }) => `column ${JSON.stringify(name)} is immutable in Kudu`),
  ];
}
