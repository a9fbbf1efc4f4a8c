/**
 * Column types and the Arrow types they are in both directions.
 *
 * | CFile | Arrow |
 * | --- | --- |
 * | INT8 to INT64, UINT8 to UINT64 | Int of the same width and sign |
 * | FLOAT, DOUBLE | Float32, Float64 |
 * | BOOL, IS_DELETED | Bool |
 * | STRING, VARCHAR | Utf8, or Dictionary of Utf8 with Int32 indices |
 * | BINARY | Binary, or Dictionary of Binary |
 * | DATE | Date32 (days) |
 * | UNIXTIME_MICROS | Timestamp, microseconds, UTC |
 * | DECIMAL32, DECIMAL64, DECIMAL128 | Decimal of 32, 64, 128 bits |
 * | INT128 | Decimal of 128 bits, precision 38, scale 0 |
 * | array | List of the type, elements nullable |
 *
 * A field's metadata say under `cfile.type` what it was, so that VARCHAR, IS_DELETED and INT128 come back as such.
 */
import { CFileError } from "@cfile/bytes";
import { DATA_TYPES, type DataType } from "@cfile/encodings";
import type { TableColumn } from "@cfile/format";

/** Key of a field's metadata with the name of the CFile type. */
export const TYPE_KEY = "cfile.type";

/** A column in a table. */
export type ArrowColumn = TableColumn;

/** An Arrow type without the library that has it. */
export type ArrowType =
  | { readonly kind: "int"; readonly bits: 8 | 16 | 32 | 64; readonly signed: boolean }
  | { readonly kind: "float"; readonly bits: 32 | 64 }
  | {
      readonly kind: "decimal";
      readonly bits: 32 | 64 | 128;
      readonly precision: number;
      readonly scale: number;
    }
  | { readonly kind: "bool" | "utf8" | "binary" | "date" | "timestamp" }
  | { readonly kind: "dictionary"; readonly words: "utf8" | "binary" }
  | { readonly kind: "list"; readonly item: ArrowType };

type DecimalColumn = Pick<ArrowColumn, "precision" | "scale">;

function decimal(
  bits: 32 | 64 | 128,
  most: number,
  { precision = most, scale = 0 }: DecimalColumn,
): ArrowType {
  if (!(Number.isInteger(precision) && precision >= 1 && precision <= most)) {
    throw new CFileError("E_INVALID_ARGUMENT", `precision ${precision} is not within 1 and ${most}`, {
      field: "precision",
      actual: precision,
    });
  }
  if (!(Number.isInteger(scale) && scale >= 0 && scale <= precision)) {
    throw new CFileError("E_INVALID_ARGUMENT", `scale ${scale} is not within 0 and ${precision}`, {
      field: "scale",
      actual: scale,
    });
  }
  return { kind: "decimal", bits, precision, scale };
}

/**
 * The Arrow type of a column's cells, or of its elements.
 * @throws {CFileError} `E_INVALID_ARGUMENT` for a precision or scale that the type cannot have
 */
function scalarType(type: DataType, column: DecimalColumn = {}): ArrowType {
  switch (type) {
    case "INT8":
    case "INT16":
    case "INT32":
    case "INT64":
    case "UINT8":
    case "UINT16":
    case "UINT32":
    case "UINT64":
      return { kind: "int", bits: intBits(DATA_TYPES[type].width), signed: !type.startsWith("U") };
    case "FLOAT":
      return { kind: "float", bits: 32 };
    case "DOUBLE":
      return { kind: "float", bits: 64 };
    case "BOOL":
    case "IS_DELETED":
      return { kind: "bool" };
    case "STRING":
    case "VARCHAR":
      return { kind: "utf8" };
    case "BINARY":
      return { kind: "binary" };
    case "DATE":
      return { kind: "date" };
    case "UNIXTIME_MICROS":
      return { kind: "timestamp" };
    case "DECIMAL32":
      return decimal(32, 9, column);
    case "DECIMAL64":
      return decimal(64, 18, column);
    case "DECIMAL128":
      return decimal(128, 38, column);
    case "INT128":
      return decimal(128, 38, {});
  }
}

function intBits(width: number): 8 | 16 | 32 | 64 {
  return width === 1 ? 8 : width === 2 ? 16 : width === 4 ? 32 : 64;
}

/** Whether the column's cells or elements are strings, which may come as codes of a dictionary. */
export function isText(type: DataType): boolean {
  return DATA_TYPES[type].physical === "BINARY";
}

/**
 * The Arrow type of a column.
 * @param asDictionary whether strings are codes of a dictionary
 */
export function arrowType(column: Omit<ArrowColumn, "name" | "nullable">, asDictionary = false): ArrowType {
  const plain = scalarType(column.type, column);
  const item: ArrowType =
    asDictionary && (plain.kind === "utf8" || plain.kind === "binary")
      ? { kind: "dictionary", words: plain.kind }
      : plain;
  return column.array ? { kind: "list", item } : item;
}

/** What an Arrow type is in a CFile: of the types with its layout the one that `stated`, a field's metadata, names. */
export function columnOf(
  name: string,
  type: ArrowType,
  nullable: boolean,
  stated: string | undefined,
): ArrowColumn {
  if (type.kind === "list") {
    return { ...columnOf(name, type.item, nullable, stated), array: true };
  }
  const known = dataTypesOf(type);
  if (!(known[0] in DATA_TYPES) || (type.kind === "decimal" && !hasDigits(type))) {
    throw new CFileError("E_UNSUPPORTED", `CFiles have no Arrow type ${JSON.stringify(type)}`, {
      field: name,
    });
  }
  const named = known.find((candidate) => candidate === stated) ?? known[0];
  const digits =
    type.kind === "decimal" && named !== "INT128" ? { precision: type.precision, scale: type.scale } : {};
  return { name, type: named, nullable, array: false, ...digits };
}

const MAX_DIGITS = { 32: 9, 64: 18, 128: 38 } as const;

function hasDigits({ bits, precision, scale }: Extract<ArrowType, { kind: "decimal" }>): boolean {
  return precision >= 1 && precision <= MAX_DIGITS[bits] && scale >= 0 && scale <= precision;
}

function dataTypesOf(type: Exclude<ArrowType, { kind: "list" }>): readonly [DataType, ...DataType[]] {
  switch (type.kind) {
    case "int":
      return [`${type.signed ? "" : "U"}INT${type.bits}`];
    case "float":
      return [type.bits === 32 ? "FLOAT" : "DOUBLE"];
    case "bool":
      return ["BOOL", "IS_DELETED"];
    case "utf8":
      return ["STRING", "VARCHAR"];
    case "binary":
      return ["BINARY"];
    case "date":
      return ["DATE"];
    case "timestamp":
      return ["UNIXTIME_MICROS"];
    case "decimal":
      return type.bits === 128 ? ["DECIMAL128", "INT128"] : [type.bits === 32 ? "DECIMAL32" : "DECIMAL64"];
    case "dictionary":
      return type.words === "utf8" ? ["STRING", "VARCHAR"] : ["BINARY"];
  }
}
