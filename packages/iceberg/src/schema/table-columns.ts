/** Converts the columns of an Iceberg table. */
import { CFileError } from "@cfile/bytes";
import type { DataType } from "@cfile/encodings";
import type { TableColumn } from "@cfile/format";
import type { IcebergField } from "./iceberg-schema.js";

const TYPES: ReadonlyMap<string, DataType> = /* @__PURE__ */ new Map([
  ["boolean", "BOOL"],
  ["int", "INT32"],
  ["long", "INT64"],
  ["float", "FLOAT"],
  ["double", "DOUBLE"],
  ["date", "DATE"],
  ["timestamp", "UNIXTIME_MICROS"],
  ["timestamptz", "UNIXTIME_MICROS"],
  ["string", "STRING"],
  ["binary", "BINARY"],
  ["uuid", "BINARY"],
]);

/** @throws {CFileError} `E_UNSUPPORTED` for a type without an equivalent */
export function tableColumn({ name, required, type }: IcebergField): TableColumn {
  const array = typeof type !== "string" && type.type === "list" && typeof type.element === "string";
  const scalar = array ? type.element : type;
  const rest = { name, nullable: !required, array };
  if (typeof scalar === "string") {
    const [, precision, scale] = /^decimal\((\d+), ?(\d+)\)$/.exec(scalar) ?? [];
    const digits = Number(precision);
    if (digits <= 38) {
      const decimal = digits <= 9 ? "DECIMAL32" : digits <= 18 ? "DECIMAL64" : "DECIMAL128";
      return { ...rest, type: decimal, precision: digits, scale: Number(scale) };
    }
    const known = scalar.startsWith("fixed[") ? "BINARY" : TYPES.get(scalar);
    if (known !== undefined) {
      return { ...rest, type: known };
    }
  }
  const text = JSON.stringify(scalar);
  throw new CFileError("E_UNSUPPORTED", `unsupported type of column ${JSON.stringify(name)}: ${text}`, {
    field: name,
  });
}
