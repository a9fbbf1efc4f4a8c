/**
 * Cells from text: what `find --value` and `write` take for each type.
 *
 * | type | text |
 * | --- | --- |
 * | integers | digits with an optional sign |
 * | DATE | `YYYY-MM-DD`, or the number of days |
 * | UNIXTIME_MICROS | ISO 8601 date and time, or the number of microseconds |
 * | DECIMAL* | with a scale `12.34`, without one the unscaled integer |
 * | FLOAT, DOUBLE | a decimal number with an optional exponent, `NaN`, `Infinity` |
 * | BOOL | `true`, `false`, `1`, `0` |
 * | STRING, VARCHAR | the text itself |
 * | BINARY | hexadecimal digits |
 */
import { fromHex, invalidArgument } from "@cfile/bytes";
import type { DataType } from "@cfile/encodings";
import { DATA_TYPES } from "@cfile/encodings";
import { parseDate, parseTimestamp } from "./calendar.js";
import { isDecimal, isText } from "./cell-text.js";
import { parseDecimal } from "./decimal.js";
import { clipped, printable } from "./printable.js";

/** The type of a column's cells, and how many digits its decimals have. */
export interface CellFormat {
  readonly type: DataType;
  /** Digits after the point of decimals. */
  readonly scale?: number | undefined;
}

/** A cell that is neither null nor an array. */
export type ParsedCell = number | bigint | boolean | string | Uint8Array;

/** Gives the cell of a text. Ranges are checked where the cell is used. */
export type CellParser = (text: string) => ParsedCell;

/** The parser throws `E_INVALID_ARGUMENT` for text that is no value of the type. */
export function cellParser({ type, scale }: CellFormat): CellParser {
  const { physical } = DATA_TYPES[type];
  if (isText(type)) {
    return (text) => text;
  }
  if (type === "BINARY") {
    return checked(parseHex, "hexadecimal digits are");
  }
  if (physical === "BOOL") {
    return checked(parseBool, "true or false is");
  }
  if (physical === "FLOAT" || physical === "DOUBLE") {
    return checked(physical === "FLOAT" ? parseFloat32 : parseDouble, `a number in the range of ${type} is`);
  }
  if (type === "DATE") {
    return checked(
      (text) => parseDate(text) ?? parseInteger(text),
      "a date YYYY-MM-DD or a number of days is",
    );
  }
  if (type === "UNIXTIME_MICROS") {
    return checked(
      (text) => parseTimestamp(text) ?? parseInteger(text),
      "a time like 2024-02-29T12:00:00Z or a number of microseconds is",
    );
  }
  if (isDecimal(type) && scale !== undefined) {
    return checked((text) => parseDecimal(text, scale), `a decimal number with at most ${scale} decimals is`);
  }
  return checked(parseInteger, "a whole number is");
}

function checked(parse: (text: string) => ParsedCell | undefined, expected: string): CellParser {
  return (text) => {
    const cell = parse(text);
    if (cell === undefined) {
      throw invalidArgument(
        `"${clipped(printable(text), 60)}" is no value of the column: ${expected} expected`,
      );
    }
    return cell;
  };
}

/** Up to 15 digits are exact as a number. */
const EXACT_LENGTH = 15;

function parseInteger(text: string): number | bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) {
    return undefined;
  }
  return text.length <= EXACT_LENGTH ? Number(text) : BigInt(text.replace("+", ""));
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

function parseDouble(text: string): number | undefined {
  if (NUMBER.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? value : undefined;
  }
  switch (text.toLowerCase().replace("+", "")) {
    case "nan":
      return Number.NaN;
    case "inf":
    case "infinity":
      return Number.POSITIVE_INFINITY;
    case "-inf":
    case "-infinity":
      return Number.NEGATIVE_INFINITY;
    default:
      return undefined;
  }
}

function parseFloat32(text: string): number | undefined {
  const value = parseDouble(text);
  const overflows = value !== undefined && Number.isFinite(value) && !Number.isFinite(Math.fround(value));
  return overflows ? undefined : value;
}

function parseBool(text: string): boolean | undefined {
  switch (text.toLowerCase()) {
    case "true":
    case "1":
      return true;
    case "false":
    case "0":
      return false;
    default:
      return undefined;
  }
}

function parseHex(text: string): Uint8Array | undefined {
  return /^(?:[0-9a-fA-F]{2})*$/.test(text) ? fromHex(text) : undefined;
}
