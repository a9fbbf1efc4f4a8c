/** CFile types of Parquet leaves (docs/spec/parquet.md#12-mapping-between-cfile-and-parquet). */
import type { DataType } from "@cfile/encodings";
import type { ParquetType, SchemaElement } from "hyparquet";

export interface LeafKind {
  readonly type: DataType;
  readonly precision?: number;
  readonly scale?: number;
  /** How values are converted. */
  readonly change: "none" | "narrow" | "widen" | "big-endian" | "millis" | "nanos" | "int96";
}

/** The kind of value, or why a CFile cannot have it. */
export function leafKind(element: SchemaElement, type: ParquetType): LeafKind | { readonly refused: string } {
  const { logical_type: logical, converted_type: converted } = element;
  if (logical?.type === "DECIMAL" || converted === "DECIMAL") {
    return decimalKind(element, type);
  }
  switch (type) {
    case "BOOLEAN":
      return { type: "BOOL", change: "none" };
    case "FLOAT":
    case "DOUBLE":
      return { type, change: "none" };
    case "INT96":
      return { type: "UNIXTIME_MICROS", change: "int96" };
    case "INT32":
      return int32Kind(element);
    case "INT64":
      return int64Kind(element);
    case "BYTE_ARRAY":
      return { type: isText(element) ? "STRING" : "BINARY", change: "none" };
    case "FIXED_LEN_BYTE_ARRAY":
      return logical?.type === "FLOAT16" ? { refused: "FLOAT16" } : { type: "BINARY", change: "none" };
  }
}

const TEXTS: readonly unknown[] = ["STRING", "UTF8", "ENUM", "JSON"];

function isText({ logical_type: logical, converted_type: converted }: SchemaElement): boolean {
  return TEXTS.includes(logical?.type) || TEXTS.includes(converted);
}

function int32Kind({ logical_type: logical, converted_type: converted }: SchemaElement): LeafKind {
  if (logical?.type === "DATE" || converted === "DATE") {
    return { type: "DATE", change: "none" };
  }
  const bits =
    logical?.type === "INTEGER" ? logical.bitWidth : Number(/^U?INT_(\d+)$/.exec(converted ?? "")?.[1] ?? 32);
  const isUnsigned =
    logical?.type === "INTEGER" ? !logical.isSigned : converted?.startsWith("UINT_") === true;
  const type = `${isUnsigned ? "U" : ""}INT${bits === 8 ? 8 : bits === 16 ? 16 : 32}` as const;
  return { type, change: bits < 32 ? "narrow" : "none" };
}

function int64Kind({ logical_type: logical, converted_type: converted }: SchemaElement): LeafKind {
  if (logical?.type === "TIMESTAMP") {
    const { unit } = logical;
    return {
      type: "UNIXTIME_MICROS",
      change: unit === "MICROS" ? "none" : unit === "MILLIS" ? "millis" : "nanos",
    };
  }
  if (converted === "TIMESTAMP_MICROS" || converted === "TIMESTAMP_MILLIS") {
    return { type: "UNIXTIME_MICROS", change: converted === "TIMESTAMP_MICROS" ? "none" : "millis" };
  }
  const isUnsigned = logical?.type === "INTEGER" ? !logical.isSigned : converted === "UINT_64";
  return { type: isUnsigned ? "UINT64" : "INT64", change: "none" };
}

function decimalKind(element: SchemaElement, type: ParquetType): LeafKind | { readonly refused: string } {
  const { logical_type: logical } = element;
  const given =
    logical?.type === "DECIMAL" ? logical : { precision: element.precision ?? 0, scale: element.scale ?? 0 };
  const { precision, scale } = given;
  if (!(precision >= 1 && precision <= 38 && scale >= 0 && scale <= precision)) {
    return { refused: `DECIMAL(${precision}, ${scale})` };
  }
  switch (type) {
    case "INT32":
      return { type: "DECIMAL32", precision: Math.min(9, precision), scale, change: "none" };
    case "INT64":
      return { type: "DECIMAL64", precision: Math.min(18, precision), scale, change: "none" };
    case "BYTE_ARRAY":
    case "FIXED_LEN_BYTE_ARRAY": {
      const own = precision <= 9 ? "DECIMAL32" : precision <= 18 ? "DECIMAL64" : "DECIMAL128";
      return { type: own, precision, scale, change: "big-endian" };
    }
    default:
      return { refused: `DECIMAL in ${type}` };
  }
}
