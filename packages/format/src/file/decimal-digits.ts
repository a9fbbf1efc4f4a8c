/**
 * Precision and scale of decimals. The format has no field for them; metadata pairs in the footer preserve them when a column is
 * converted to another format and back. Other programs ignore unknown pairs.
 *
 * | key | value, as text |
 * | --- | --- |
 * | `cfile.precision` | total digits, e.g. `12` |
 * | `cfile.scale` | digits after the decimal point, e.g. `2` |
 */
import { utf8Bytes } from "@cfile/bytes";
import type { DataType } from "@cfile/encodings";
import { findMetadata, type MetadataPair } from "./metadata.js";

/** Digits of a decimal column. */
export interface Digits {
  /** Total digits. */
  readonly precision?: number | undefined;
  /** Digits after the decimal point. */
  readonly scale?: number | undefined;
}

const PRECISION = "cfile.precision";
const SCALE = "cfile.scale";
const MAX_PRECISION: Readonly<Partial<Record<DataType, number>>> = /* @__PURE__ */ Object.freeze({
  DECIMAL32: 9,
  DECIMAL64: 18,
  DECIMAL128: 38,
});

/** The metadata pairs for these digits; none without a precision. */
export function digitsMetadata({ precision, scale = 0 }: Digits): MetadataPair[] {
  if (precision === undefined) {
    return [];
  }
  return [
    { key: PRECISION, value: utf8Bytes(String(precision)) },
    { key: SCALE, value: utf8Bytes(String(scale)) },
  ];
}

/** The digits in a file's footer; none for types other than decimals or for invalid pairs. */
export function digitsOf(file: {
  readonly type: DataType;
  readonly footerMetadata: readonly MetadataPair[];
}): Digits {
  const max = MAX_PRECISION[file.type];
  if (max === undefined) {
    return {};
  }
  const precision = smallNumber(findMetadata(file.footerMetadata, PRECISION));
  const scale = smallNumber(findMetadata(file.footerMetadata, SCALE)) ?? 0;
  const isValid = precision !== undefined && precision >= 1 && precision <= max && scale <= precision;
  return isValid ? { precision, scale } : {};
}

function smallNumber(value: Uint8Array | undefined): number | undefined {
  const text = value !== undefined && value.length <= 2 ? new TextDecoder().decode(value) : "";
  return /^\d{1,2}$/.test(text) ? Number(text) : undefined;
}
