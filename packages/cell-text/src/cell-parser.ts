/**
 * Cells from text: the values of `find --value` and of `write`.
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
import { DATA_TYPES, type DataType } from "@cfile/encodings";
import { parseDate, parseTimestamp } from "./calendar.js";
import { isDecimal, isText } from "./cell-text.js";
import { parseDecimal } from "./numbers.js";
import { clipped, printable } from "./text-output.js";

/** The type of a column's cells, and the scale of its decimals. */
export interface CellFormat {
  readonly type: DataType;
  /** Digits after the point of decimals. */
  readonly scale?: number | undefined;
}

/** A cell that is neither null nor an array. */
export type ParsedCell = number | bigint | boolean | string | Uint8Array;

/** Converts text to a cell; throws `E_INVALID_ARGUMENT` for other text. Ranges are checked where the cell is used. */
export type CellParser = (text: string) => ParsedCell;

/** The parser of the cells of a column. */
export function cellParser({ type, scale }: CellFormat): CellParser {
  const { physical } = DATA_TYPES[type];
  if (isText(type)) {
    return (text) => text;
  }
  if (type === "BINARY") {
    const digits = /^(?:[0-9a-fA-F]{2})*$/;
    return checked((text) => (digits.test(text) ? fromHex(text) : undefined), "hexadecimal digits");
  }
  if (physical === "BOOL") {
    return checked(parseBool, "true or false");
  }
  if (physical === "FLOAT" || physical === "DOUBLE") {
    return checked(physical === "FLOAT" ? parseFloat32 : parseDouble, `a number in the range of ${type}`);
  }
  if (type === "DATE") {
    return checked((text) => parseDate(text) ?? parseInteger(text), "a date YYYY-MM-DD or a number of days");
  }
  if (type === "UNIXTIME_MICROS") {
    const expected = "a time like 2024-02-29T12:00:00Z or a number of microseconds";
    return checked((text) => parseTimestamp(text) ?? parseInteger(text), expected);
  }
  if (isDecimal(type) && scale !== undefined) {
    return checked((text) => parseDecimal(text, scale), `a decimal number with at most ${scale} decimals`);
  }
  return checked(parseInteger, "an integer");
}

function checked(parse: (text: string) => ParsedCell | undefined, expected: string): CellParser {
  return (text) => {
    const cell = parse(text);
    if (cell === undefined) {
      throw invalidArgument(`invalid value: "${clipped(printable(text), 60)}" (must be ${expected})`);
    }
    return cell;
  };
}

function parseInteger(text: string): number | bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) {
    return undefined;
  }
  // Integers of up to 15 characters are exact as a number.
  return text.length <= 15 ? Number(text) : BigInt(text.replace("+", ""));
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const NO_NUMBER = /^(?:(?<nan>[+]?nan)|(?<sign>[+-]?)inf(?:inity)?)$/i;

function parseDouble(text: string): number | undefined {
  if (NUMBER.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? value : undefined;
  }
  const special = NO_NUMBER.exec(text)?.groups;
  const infinity = special?.["sign"] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return special && (special["nan"] === undefined ? infinity : Number.NaN);
}

function parseFloat32(text: string): number | undefined {
  const value = parseDouble(text);
  const overflows = value !== undefined && Number.isFinite(value) && !Number.isFinite(Math.fround(value));
  return overflows ? undefined : value;
}

function parseBool(text: string): boolean | undefined {
  return /^(?:true|1)$/i.test(text) ? true : /^(?:false|0)$/i.test(text) ? false : undefined;
}
