/**
 * The cells of a batch as text.
 *
 * | type | JSON, stored | JSON, decoded | plain text |
 * | --- | --- | --- | --- |
 * | integers to 32 bits | number | number | digits |
 * | DATE | number of days | `"2024-02-29"` | as in JSON |
 * | INT64, UINT64, INT128 | `"digits"` | `"digits"` | digits |
 * | UNIXTIME_MICROS | `"digits"` | `"2024-02-29T12:00:00.000000Z"` | as in JSON |
 * | DECIMAL32 | unscaled number | with a scale `"1.23"` | as in JSON |
 * | DECIMAL64, DECIMAL128 | `"unscaled"` | with a scale `"1.23"` | as in JSON |
 * | FLOAT, DOUBLE | `{"bits":"hex"}` | number, `"NaN"`, `"Infinity"` | number |
 * | BOOL | `true` | `true` | `true` |
 * | STRING, VARCHAR | `"hex"` | `"text"` | as in JSON |
 * | BINARY | `"hex"` | `"hex"` | hex |
 * | null | `null` | `null` | (left to the caller) |
 * | array | `[...]` of the above | `[...]` | JSON |
 *
 * Stored JSON is exact: it differs for every two columns that differ.
 */
import { toHex } from "@cfile/bytes";
import type { CellValue, ColumnBatch, DataType, ScalarBatch } from "@cfile/encodings";
import { DATA_TYPES } from "@cfile/encodings";
import { dateText, timestampText } from "./calendar.js";
import { bitsText, decimalText, doubleText, floatText } from "./numbers.js";

/** Options for converting cells to text. */
export interface CellTextOptions {
  /** Readable text instead of the stored values. */
  readonly decode: boolean;
  /** Digits after the point of decoded decimals; without it they stay unscaled. */
  readonly scale?: number | undefined;
}

/** Every cell as JSON. */
export function jsonCells(batch: ColumnBatch, options: CellTextOptions): string[] {
  if (batch.kind === "array") {
    const { offsets } = batch;
    const elements = jsonCells(batch.child, options);
    return eachCell(batch, (i) => `[${elements.slice(offsets[i], offsets[i + 1]).join(",")}]`);
  }
  if (batch.kind === "fixed" && isFloat(batch.type) && !options.decode) {
    return eachCell(batch, (i) => `{"bits":"${bitsText(batch, i)}"}`);
  }
  return plainScalars(batch, options, "null", quoting(batch.type, options));
}

/** Every cell as plain text; `undefined` for nulls. */
export function plainCells(batch: ColumnBatch, options: CellTextOptions): (string | undefined)[] {
  if (batch.kind !== "array") {
    return plainScalars(batch, options, undefined, (text) => text);
  }
  return jsonCells(batch, options).map((json, i) => (batch.isNull(i) ? undefined : json));
}

function eachCell(batch: ColumnBatch, textOf: (index: number) => string): string[] {
  return Array.from({ length: batch.length }, (_, i) => (batch.isNull(i) ? "null" : textOf(i)));
}

function plainScalars<N>(
  batch: ScalarBatch,
  options: CellTextOptions,
  ofNull: N,
  quote: (text: string) => string,
): (string | N)[] {
  const textOf = scalarText(batch.type, options);
  const cells = batch.toArray({ strings: options.decode && isText(batch.type) ? "text" : "bytes" });
  return cells.map((cell) => (cell === null ? ofNull : quote(textOf(cell))));
}

function scalarText(type: DataType, { decode, scale }: CellTextOptions): (cell: CellValue) => string {
  if (isFloat(type)) {
    return type === "FLOAT" ? (cell) => floatText(Number(cell)) : (cell) => doubleText(Number(cell));
  }
  if (decode && type === "DATE") {
    return (cell) => dateText(Number(cell));
  }
  if (decode && type === "UNIXTIME_MICROS") {
    return (cell) => (typeof cell === "bigint" ? timestampText(cell) : String(cell));
  }
  if (decode && scale !== undefined && isDecimal(type)) {
    return (cell) => decimalText(typeof cell === "bigint" ? cell : Number(cell), scale);
  }
  return (cell) => (cell instanceof Uint8Array ? toHex(cell) : String(cell));
}

function quoting(type: DataType, { decode, scale }: CellTextOptions): (text: string) => string {
  if (isFloat(type)) {
    return (text) => (/^-?\d/.test(text) ? text : `"${text}"`);
  }
  if (isText(type) && decode) {
    return (text) => JSON.stringify(text);
  }
  const isWide = DATA_TYPES[type].physical === "BINARY" || DATA_TYPES[type].width >= 8;
  const isReadable = decode && (type === "DATE" || (scale !== undefined && isDecimal(type)));
  return isWide || isReadable ? (text) => `"${text}"` : (text) => text;
}

/** Whether values of the type are IEEE 754 numbers: FLOAT or DOUBLE. */
export function isFloat(type: DataType): boolean {
  return type === "FLOAT" || type === "DOUBLE";
}

/** Whether values of the type are text, expected to be UTF-8. */
export function isText(type: DataType): boolean {
  return type === "STRING" || type === "VARCHAR";
}

/** Whether values of the type are scaled integers: DECIMAL32, DECIMAL64 or DECIMAL128. */
export function isDecimal(type: DataType): boolean {
  return type === "DECIMAL32" || type === "DECIMAL64" || type === "DECIMAL128";
}
