/** Columns of a table: their Avro types, their names in Spark, and their types as batches. */

import { type AvroRecord, type AvroType, nonNull } from "@cfile/avro";
import { CFileError } from "@cfile/bytes";
import type { DataType } from "@cfile/encodings";
import { isBinary } from "./evolved-types.js";

/** A column of a table. */
export interface HudiColumn {
  readonly name: string;
  /** The type as Spark names it, such as `bigint`, `decimal(12,3)`, `struct<city:string,zip:int>`. */
  readonly type: string;
  /** The type without null. */
  readonly avro: AvroType;
  /** How single values are stored; `undefined` for arrays, structs and maps. */
  readonly scalar: ScalarType | undefined;
  /** How the elements of an array of single values are stored; `undefined` for other types. */
  readonly element: ScalarType | undefined;
  /** Its field in the table's schema, if rows without the column have a default other than null. */
  readonly absent?: AvroRecord["fields"][number] | undefined;
}

/** A type whose values are single cells of a batch. */
export interface ScalarType {
  readonly type: DataType;
  /** Digits after the decimal point, for decimals. */
  readonly scale?: number;
  /** The unit of timestamps. Default: microseconds. */
  readonly unit?: "millis";
}

/** The column for a field of a record. @throws {CFileError} `E_UNSUPPORTED` for types that Spark has no column for */
export function columnOf(name: string, type: AvroType): HudiColumn {
  const avro = nonNull(type);
  const element = avro.kind === "array" ? scalarType(nonNull(avro.items)) : undefined;
  return { name, type: sparkType(avro, 0), avro, scalar: scalarType(avro), element };
}

/** How single values of a type are stored; `undefined` for arrays, structs and maps. @throws {CFileError} `E_UNSUPPORTED` */
export function scalarType(avro: AvroType): ScalarType | undefined {
  switch (avro.kind) {
    case "boolean":
      return { type: "BOOL" };
    case "int":
      return { type: avro.logical === "date" ? "DATE" : "INT32" };
    case "long":
      return longType(avro.logical);
    case "float":
      return { type: "FLOAT" };
    case "double":
      return { type: "DOUBLE" };
    case "string":
    case "enum":
      return { type: "STRING" };
    case "bytes":
    case "fixed":
      return avro.logical === "decimal"
        ? decimalType(avro.precision ?? 0, avro.scale ?? 0)
        : { type: "BINARY" };
    case "array":
    case "map":
    case "record":
      return undefined;
    default:
      throw unsupported(avro.kind);
  }
}

function longType(logical: string | undefined): ScalarType {
  switch (logical) {
    case "timestamp-micros":
    case "local-timestamp-micros":
      return { type: "UNIXTIME_MICROS" };
    case "timestamp-millis":
    case "local-timestamp-millis":
      return { type: "UNIXTIME_MICROS", unit: "millis" };
    default:
      return { type: "INT64" };
  }
}

function decimalType(precision: number, scale: number): ScalarType {
  if (precision < 1 || precision > 38 || scale < 0 || scale > precision) {
    throw unsupported(`decimal(${precision},${scale})`);
  }
  return { type: precision <= 9 ? "DECIMAL32" : precision <= 18 ? "DECIMAL64" : "DECIMAL128", scale };
}

function sparkType(avro: AvroType, depth: number): string {
  if (depth > 32) {
    throw unsupported("a recursive type");
  }
  const inner = (type: AvroType): string => sparkType(nonNull(type), depth + 1);
  switch (avro.kind) {
    case "array":
      return `array<${inner(avro.items)}>`;
    case "map":
      return `map<string,${inner(avro.values)}>`;
    case "record":
      return `struct<${avro.fields.map(({ name, type }) => `${name}:${inner(type)}`).join(",")}>`;
    default:
      return scalarName(avro);
  }
}

function scalarName(avro: AvroType): string {
  // The caller has handled arrays, maps and records.
  const { type, scale } = scalarType(avro) as ScalarType;
  if (scale !== undefined && isBinary(avro)) {
    return `decimal(${avro.precision},${scale})`;
  }
  switch (type) {
    case "BOOL":
      return "boolean";
    case "INT32":
      return "int";
    case "INT64":
      return "bigint";
    case "UNIXTIME_MICROS":
      return "logical" in avro && avro.logical?.startsWith("local-") ? "timestamp_ntz" : "timestamp";
    default:
      return type.toLowerCase();
  }
}

function unsupported(what: string): CFileError {
  return new CFileError("E_UNSUPPORTED", `unsupported column type: ${what}`, { field: "schema" });
}
