/** The cells of one field of records, as JSON and as plain text. */
import { type CellTextOptions, jsonCells, plainCells } from "@cfile/cell-text";
import type { ColumnBatch } from "@cfile/encodings";
import { hybridTimeText } from "../options/hybrid-time.js";

export interface FieldCells {
  /** JSON texts; `undefined` where a record lacks the field. */
  json(): readonly (string | undefined)[];
  /** `null` for nulls, `undefined` where a record lacks the field. */
  plain(): readonly (string | null | undefined)[];
}

export function columnCells(batch: ColumnBatch, options: CellTextOptions): FieldCells {
  return {
    json: () => jsonCells(batch, options),
    plain: () => plainCells(batch, options).map((text) => text ?? null),
  };
}

/** Text, in quotes in JSON. */
export function textCells(texts: readonly (string | null)[]): FieldCells {
  return { json: () => texts.map((text) => JSON.stringify(text)), plain: () => texts };
}

/** Texts that are valid JSON as they are: numbers, `true`, `false`. */
export function literalCells(literals: readonly string[]): FieldCells {
  return { json: () => literals, plain: () => literals };
}

/** The cells where `present` is true; other records lack the field. */
export function cellsWhere(cells: FieldCells, present: readonly boolean[]): FieldCells {
  return {
    json: () => cells.json().map((cell, i) => (present[i] ? cell : undefined)),
    plain: () => cells.plain().map((cell, i) => (present[i] ? cell : undefined)),
  };
}

/** Hybrid timestamps in digits, and their times in UTC; `null` for `undefined`. */
export function timeCells(timestamps: readonly (bigint | undefined)[]): FieldCells[] {
  return [
    textCells(timestamps.map((timestamp) => (timestamp === undefined ? null : String(timestamp)))),
    textCells(timestamps.map((timestamp) => (timestamp === undefined ? null : hybridTimeText(timestamp)))),
  ];
}
