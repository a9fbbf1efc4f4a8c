/** CFile types of Parquet leaves (docs/spec/parquet.md#12-mapping-between-cfile-and-parquet). */
import type { DataType } from "@cfile/encodings";
import type { ParquetType, SchemaElement } from "hyparquet";

export interface LeafKind {
  readonly type: DataType;
  readonly precision?: number;
  readonly scale?: number;
  /** How values are converted. */
  readonly change: "none" | "narrow" | "widen" | "big-endian" | "millis" | "nanos" | "int96" | "half";
}

/** Maximum precision of each type. */
export const DECIMAL_DIGITS = { DECIMAL32: 9, DECIMAL64: 18, DECIMAL128: 38 } as const;
const TEXTS: readonly unknown[] = ["STRING", "UTF8", "ENUM", "JSON"];

/** The kind of value, or the reason why a CFile cannot store it. */
export function leafKind(element: SchemaElement, type: ParquetType): LeafKind | { readonly refused: string } {
  const { logical_type: logical, converted_type: converted } = element;
  if (logical?.type === "DECIMAL" || converted === "DECIMAL") {
    const { precision = 0, scale = 0 } = logical?.type === "DECIMAL" ? logical : element;
    return decimalKind(precision, scale, type);
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
    case "INT64":
      return integerKind(element, type);
    case "BYTE_ARRAY": {
      const isText = TEXTS.includes(logical?.type) || TEXTS.includes(converted);
      return { type: isText ? "STRING" : "BINARY", change: "none" };
    }
    case "FIXED_LEN_BYTE_ARRAY":
      return logical?.type === "FLOAT16"
        ? { type: "FLOAT", change: "half" }
        : { type: "BINARY", change: "none" };
  }
}

function integerKind(element: SchemaElement, physical: "INT32" | "INT64"): LeafKind {
  const { logical_type: logical, converted_type: converted } = element;
  if (physical === "INT32" && (logical?.type === "DATE" || converted === "DATE")) {
    return { type: "DATE", change: "none" };
  }
  const unit =
    logical?.type === "TIMESTAMP" ? logical.unit : /^TIMESTAMP_(MI\w+)$/.exec(converted ?? "")?.[1];
  if (physical === "INT64" && unit !== undefined) {
    const change = unit === "MICROS" ? "none" : unit === "MILLIS" ? "millis" : "nanos";
    return { type: "UNIXTIME_MICROS", change };
  }
  const integer = logical?.type === "INTEGER" ? logical : undefined;
  const named = /^(U?)INT_(\d+)$/.exec(converted ?? "");
  const sign = (integer === undefined ? named?.[1] === "U" : !integer.isSigned) ? "U" : "";
  if (physical === "INT64") {
    return { type: `${sign}INT64`, change: "none" };
  }
  const bits = integer?.bitWidth ?? Number(named?.[2] ?? 32);
  const type = `${sign}INT${bits === 8 ? 8 : bits === 16 ? 16 : 32}` as const;
  return { type, change: bits < 32 ? "narrow" : "none" };
}

function decimalKind(
  precision: number,
  scale: number,
  physical: ParquetType,
): LeafKind | { readonly refused: string } {
  if (!(precision >= 1 && precision <= 38 && scale >= 0 && scale <= precision)) {
    return { refused: `DECIMAL(${precision}, ${scale})` };
  }
  if (physical === "INT32" || physical === "INT64") {
    const type = physical === "INT32" ? "DECIMAL32" : "DECIMAL64";
    return { type, precision: Math.min(DECIMAL_DIGITS[type], precision), scale, change: "none" };
  }
  if (physical === "BYTE_ARRAY" || physical === "FIXED_LEN_BYTE_ARRAY") {
    const type = precision <= 9 ? "DECIMAL32" : precision <= 18 ? "DECIMAL64" : "DECIMAL128";
    return { type, precision, scale, change: "big-endian" };
  }
  return { refused: `DECIMAL in ${physical}` };
}
