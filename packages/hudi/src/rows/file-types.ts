/** Requires that the types of columns in Parquet files keep their meaning in the table's columns. */

import { type AvroType, nonNull } from "@cfile/avro";
import { CFileError } from "@cfile/bytes";
import type { ParquetField } from "@cfile/parquet/nested";
import { columnOf, type HudiColumn, scalarType } from "./column-type.js";
import { isTimeOf, timeOf } from "./evolved-types.js";

/** Requires that a base file is Parquet, by its name. @param path of the file @throws {CFileError} `E_UNSUPPORTED` */
export function requireParquet(name: string, path: string | undefined): void {
  if (!name.endsWith(".parquet")) {
    const reason = "unsupported format of a base file (expected Parquet)";
    throw new CFileError("E_UNSUPPORTED", reason, { path, field: "format" });
  }
}

/**
 * Requires that the types of a file's columns fit the table. Vectors do not carry the scale of decimals and the unit of times.
 * @param path of the file
 * @throws {CFileError} `E_UNSUPPORTED` for a type that does not fit
 */
export function requireFileTypes(
  fields: readonly ParquetField[],
  columns: readonly HudiColumn[],
  path: string | undefined,
): void {
  const byName = new Map(fields.map((field) => [field.name, field]));
  for (const { name, avro } of columns) {
    const field = byName.get(name);
    if (field !== undefined) {
      requireType(avro, field, path);
    }
  }
}

function requireType(type: AvroType, field: ParquetField, path: string | undefined): void {
  const target = nonNull(type);
  if (field.kind === "leaf") {
    if (!isReadable(target, field.parquetType)) {
      const { type } = columnOf(field.name, target);
      const reason = `column ${JSON.stringify(field.name)} is ${field.parquetType} in a file, and ${type} in the table`;
      throw new CFileError("E_UNSUPPORTED", reason, { path, field: field.name });
    }
  } else if (field.kind === "struct" && target.kind === "record") {
    for (const child of field.fields) {
      const own = target.fields.find(({ name }) => name === child.name);
      if (own !== undefined) {
        requireType(own.type, child, path);
      }
    }
  } else if (field.kind === "list" && target.kind === "array") {
    requireType(target.items, field.element, path);
  } else if (field.kind === "map" && target.kind === "map") {
    requireType(target.values, field.value, path);
  }
}

/** For types of Parquet, the Avro kinds of columns that can take their values. */
const TAKEN_BY: readonly (readonly [types: RegExp, kinds: readonly string[]])[] = [
  [/^BOOLEAN$/, ["boolean"]],
  [/^(U?INT[\d_(]|DATE|TIME)/, ["int", "long", "float", "double", "decimal"]],
  [/^FLOAT(16)?$/, ["float", "double"]],
  [/^DOUBLE$/, ["double"]],
  [/^DECIMAL/, ["decimal"]],
  [
    /^(STRING|UTF8|ENUM|JSON|BSON|UUID|INTERVAL|(FIXED_LEN_)?BYTE_ARRAY)/,
    ["string", "enum", "bytes", "fixed"],
  ],
];

function isReadable(column: AvroType, parquetType: string): boolean {
  const scalar = scalarType(column);
  if (scalar === undefined) {
    // Reading the vectors rejects single values.
    return true;
  }
  const kind = scalar.scale === undefined ? column.kind : "decimal";
  const [, kinds] = TAKEN_BY.find(([types]) => types.test(parquetType)) ?? [];
  if (kinds?.includes(kind) === false) {
    return false;
  }
  const [, digits] = /^DECIMAL\(\d+, (\d+)\)$/.exec(parquetType) ?? [];
  if (digits !== undefined) {
    return Number(digits) === scalar.scale;
  }
  const [own, written] = [timeOf(column), timeIn(parquetType)];
  if (parquetType === "INT96") {
    return own === "timestamp-micros" || own === "timestamp-millis";
  }
  // Hudi before version 1.1 omits the types of local timestamps in files; they have the unit of the column.
  const isUntyped = own?.startsWith("local-timestamp") === true && /^INT(64|\(64\)|_64)$/.test(parquetType);
  return isUntyped || isTimeOf(own, written);
}

/** Avro's name for a date or time of Parquet; `undefined` for other types. Times without a logical type are in UTC. */
export function timeIn(parquetType: string): string | undefined {
  const [, kind, unit = "", rest] = /^(DATE|TIME|TIMESTAMP)(?:[_(]([A-Z]+)(.*))?$/.exec(parquetType) ?? [];
  if (kind === undefined || kind === "DATE") {
    return kind?.toLowerCase();
  }
  return `${kind === "TIMESTAMP" && rest === ")" ? "local-" : ""}${kind}-${unit}`.toLowerCase();
}
