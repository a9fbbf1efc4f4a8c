/**
 * Converts values to JSON without loss.
 *
 * | type | JSON |
 * | --- | --- |
 * | timestamp | microseconds since 1970 |
 * | date, decimal, 64-bit integer beyond 2^53, NaN, infinity | text |
 * | binary | hexadecimal text |
 * | struct, map | array, object with sorted keys |
 */

import { type AvroType, nonNull } from "@cfile/avro";
import { CFileError, corrupt, toHex } from "@cfile/bytes";
import type { CellValue } from "@cfile/encodings";
import type { NestedVector } from "@cfile/parquet/nested";
import { compareText } from "../timeline/instant.js";
import { type ScalarType, scalarType } from "./column-type.js";

/** A JSON value. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

const DAY = 86_400_000;
/** Maximum days before and after 1970 of JavaScript's dates. */
const MAX_DAYS = 100_000_000;

/** The values of a column, in the order of its rows. */
export function jsonValues(type: AvroType, vector: NestedVector): JsonValue[] {
  const target = nonNull(type);
  const isPresent = (i: number): boolean => !vector.isNull(i);
  if (vector.kind === "struct" && target.kind === "record") {
    const children = target.fields.map((field, i) => {
      const child = vector.children[i];
      if (child === undefined) {
        throw corrupt(`struct has no field ${JSON.stringify(field.name)}`, { field: "schema" });
      }
      return jsonValues(field.type, child);
    });
    return rowsOf(vector.length, (i) => (isPresent(i) ? children.map((child) => child[i] ?? null) : null));
  }
  if (vector.kind === "list" && target.kind === "array") {
    const elements = jsonValues(target.items, vector.child);
    const { offsets } = vector;
    return rowsOf(vector.length, (i) => (isPresent(i) ? elements.slice(offsets[i], offsets[i + 1]) : null));
  }
  if (vector.kind === "map" && target.kind === "map") {
    const keys = vector.keys.toArray().map(String);
    const values = jsonValues(target.values, vector.values);
    const { offsets } = vector;
    return rowsOf(vector.length, (i) => {
      const own = keys.slice(offsets[i], offsets[i + 1]).map((key, at): [string, JsonValue] => {
        // There is a value for each key.
        return [key, values[(offsets[i] as number) + at] as JsonValue];
      });
      return isPresent(i) ? Object.fromEntries(own.sort(([a], [b]) => compareText(a, b))) : null;
    });
  }
  const scalar = scalarType(target);
  if (scalar === undefined || vector.kind === "struct" || vector.kind === "list" || vector.kind === "map") {
    throw corrupt(`column of ${target.kind} has ${vector.kind} values in a file`, { field: "schema" });
  }
  return vector.toArray().map((cell) => jsonCell(cell, scalar));
}

/** A decimal as text. */
function decimalText(unscaled: bigint, scale: number): string {
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, "0");
  const end = digits.length - scale;
  const text = scale === 0 ? digits : `${digits.slice(0, end)}.${digits.slice(end)}`;
  return unscaled < 0n ? `-${text}` : text;
}

/** A date as `yyyy-MM-dd`, from days since 1970. @throws {CFileError} `E_UNSUPPORTED` for more than 100 million days */
export function dateText(days: number): string {
  if (Math.abs(days) > MAX_DAYS) {
    throw new CFileError("E_UNSUPPORTED", `unsupported date: ${days} days since 1970`, { field: "date" });
  }
  const text = new Date(days * DAY).toISOString();
  return text.slice(0, text.indexOf("T"));
}

function jsonCell(cell: CellValue, { type, scale }: ScalarType): JsonValue {
  if (cell === null || typeof cell === "boolean" || typeof cell === "string") {
    return cell;
  }
  if (cell instanceof Uint8Array) {
    return toHex(cell);
  }
  if (typeof cell === "object") {
    throw corrupt("column of single values has an array in a file", { field: "schema" });
  }
  if (scale !== undefined) {
    return decimalText(BigInt(cell), scale);
  }
  if (type === "DATE") {
    return dateText(Number(cell));
  }
  const number = Number(cell);
  if (typeof cell === "bigint") {
    return Number.isSafeInteger(number) ? number : String(cell);
  }
  return Number.isFinite(number) ? number : String(number);
}

function rowsOf(length: number, value: (row: number) => JsonValue): JsonValue[] {
  return Array.from({ length }, (_, i) => value(i));
}
