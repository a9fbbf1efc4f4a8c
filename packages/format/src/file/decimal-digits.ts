/**
 * Precision and scale of decimals, which the format itself does not have: text in metadata pairs of the footer, so that a column keeps them on
 * its way to another format and back. Other programs pass over pairs that they do not know.
 *
 * | key | value |
 * | --- | --- |
 * | `cfile.precision` | digits in all, `12` |
 * | `cfile.scale` | digits after the point, `2` |
 */
import type { DataType } from "@cfile/encodings";
import { findMetadata, type MetadataPair } from "./metadata.js";

/** Digits of a decimal column. */
export interface Digits {
  /** Digits in all. */
  readonly precision?: number | undefined;
  /** Digits after the point. */
  readonly scale?: number | undefined;
}

const PRECISION = "cfile.precision";
const SCALE = "cfile.scale";
const MOST: Readonly<Partial<Record<DataType, number>>> = /* @__PURE__ */ Object.freeze({
  DECIMAL32: 9,
  DECIMAL64: 18,
  DECIMAL128: 38,
});

/** The metadata pairs of a column with these digits; none without. */
export function digitsMetadata({ precision, scale = 0 }: Digits): MetadataPair[] {
  if (precision === undefined) {
    return [];
  }
  const encoder = new TextEncoder();
  return [
    { key: PRECISION, value: encoder.encode(String(precision)) },
    { key: SCALE, value: encoder.encode(String(scale)) },
  ];
}

/** The digits that a file's footer tells, where its type can have them. */
export function digitsOf(file: {
  readonly type: DataType;
  readonly footerMetadata: readonly MetadataPair[];
}): Digits {
  const most = MOST[file.type];
  if (most === undefined) {
    return {};
  }
  const precision = smallNumber(findMetadata([], file.footerMetadata, PRECISION));
  const scale = smallNumber(findMetadata([], file.footerMetadata, SCALE)) ?? 0;
  const isSound = precision !== undefined && precision >= 1 && precision <= most && scale <= precision;
  return isSound ? { precision, scale } : {};
}

function smallNumber(value: Uint8Array | undefined): number | undefined {
  const text = value !== undefined && value.length <= 2 ? new TextDecoder().decode(value) : "";
  return /^\d{1,2}$/.test(text) ? Number(text) : undefined;
}
