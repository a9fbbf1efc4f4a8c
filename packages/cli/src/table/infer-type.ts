/**
 * The type of a column from its values: the first of BOOL, INT32, INT64, DOUBLE, DATE, UNIXTIME_MICROS that holds
 * all of them exactly as they are written, else STRING.
 *
 * Numbers with leading zeros or a plus sign stay text (they are codes more often than quantities), and so do integers
 * that neither INT64 nor DOUBLE holds exactly.
 */
import { parseDate, parseTimestamp } from "@cfile/cell-text";
import type { DataType } from "@cfile/encodings";
import type { LosslessNumber } from "lossless-json";

const BOOL = 1;
const INT32 = 2;
const INT64 = 4;
const DOUBLE = 8;
const DATE = 16;
const TIMESTAMP = 32;
const ANY = 63;

/** In order of preference. */
const TYPES: readonly (readonly [number, DataType])[] = [
  [BOOL, "BOOL"],
  [INT32, "INT32"],
  [INT64, "INT64"],
  [DOUBLE, "DOUBLE"],
  [DATE, "DATE"],
  [TIMESTAMP, "UNIXTIME_MICROS"],
];

const INTEGER = /^-?(?:0|[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)?(?:\.\d+|(?<=\d)\.?)(?:[eE][+-]?\d+)?$/;
const SPECIAL_NUMBER = /^(?:NaN|-?Infinity)$/;
const TRUTH = /^(?:true|false)$/i;

/** Collects the values of one column. */
export class TypeInference {
  private possible = ANY;
  private values = 0;

  /** A value written as text. */
  addText(text: string): void {
    this.values++;
    if (this.possible !== 0) {
      this.possible &= typesOfText(text);
    }
  }

  /** A JSON value: a boolean, number, string or `LosslessNumber`. Strings are dates, timestamps or text, never numbers. */
  addJson(value: boolean | number | string | LosslessNumber): void {
    this.values++;
    if (this.possible !== 0) {
      this.possible &= typesOfJson(value);
    }
  }

  get type(): DataType {
    const found = this.values === 0 ? undefined : TYPES.find(([flag]) => (this.possible & flag) !== 0);
    return found?.[1] ?? "STRING";
  }
}

function typesOfText(text: string): number {
  const first = text.charCodeAt(0);
  // Only a digit, a sign, a point, and the letters of the words below can start anything but text.
  if ((first >= 0x30 && first <= 0x39) || first === 0x2d || first === 0x2e || first === 0x2b) {
    return typesOfNumber(text) | typesOfTime(text);
  }
  return TRUTH.test(text) ? BOOL : SPECIAL_NUMBER.test(text) ? DOUBLE : 0;
}

function typesOfNumber(text: string): number {
  if (INTEGER.test(text) && text !== "-0") {
    return typesOfInteger(text);
  }
  if (SPECIAL_NUMBER.test(text)) {
    return DOUBLE;
  }
  return NUMBER.test(text) && Number.isFinite(Number(text)) ? DOUBLE : 0;
}

function typesOfInteger(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) {
    return value === (value | 0) ? INT32 | INT64 | DOUBLE : INT64 | DOUBLE;
  }
  const exact = BigInt(text);
  const isDouble = Number.isFinite(value) && BigInt(value) === exact;
  return (BigInt.asIntN(64, exact) === exact ? INT64 : 0) | (isDouble ? DOUBLE : 0);
}

function typesOfTime(text: string): number {
  if (text.length < 10 || text.indexOf("-", 1) < 0) {
    return 0;
  }
  return (parseDate(text) === undefined ? 0 : DATE) | (parseTimestamp(text) === undefined ? 0 : TIMESTAMP);
}

function typesOfJson(value: boolean | number | string | LosslessNumber): number {
  switch (typeof value) {
    case "boolean":
      return BOOL;
    case "number":
      return Number.isSafeInteger(value) && !Object.is(value, -0) ? typesOfInteger(String(value)) : DOUBLE;
    case "string":
      return typesOfTime(value);
    default:
      return typesOfNumber(value.toString());
  }
}
