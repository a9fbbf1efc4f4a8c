/**
 * Single cells as JavaScript values: what `batch.get(i)` and `batch.toArray()` return.
 *
 * | physical type | value |
 * | --- | --- |
 * | up to 32 bits, FLOAT, DOUBLE | number |
 * | INT64, UINT64, INT128 | bigint (or number on request, exact or an error) |
 * | BOOL | boolean |
 * | BINARY under STRING, VARCHAR | string (ill-formed UTF-8 becomes U+FFFD), or bytes on request |
 * | BINARY under BINARY | Uint8Array |
 */
import { getBit, invalidArgument } from "@cfile/bytes";
import { copyOf } from "../batch/copy-range.js";
import type { DataType } from "./data-type.js";
import type { BinaryVector, FixedVector, Vector } from "./vector.js";

/** One cell; `null` is a null, an array is an array cell. */
export type CellValue = number | bigint | boolean | string | Uint8Array | null | CellValue[];

/** How cells become JavaScript values. */
export interface CellOptions {
  /** `"number"`: 64- and 128-bit integers as number; `E_INVALID_ARGUMENT` where that would round. Default `"bigint"`. */
  readonly int64?: "bigint" | "number" | undefined;
  /** `"bytes"`: STRING and VARCHAR as Uint8Array, exactly as stored. Default `"text"`. */
  readonly strings?: "text" | "bytes" | undefined;
}

/** Reads the cell at a position. */
export type CellReader = (index: number) => CellValue;

/** The signed value of the 16 little-endian bytes at `position`. */
export function readInt128(bytes: Uint8Array, position: number): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset + position, 16);
  return (view.getBigInt64(8, true) << 64n) | view.getBigUint64(0, true);
}

/** Writes the low 128 bits of `value` as 16 little-endian bytes. */
export function writeInt128(bytes: Uint8Array, position: number, value: bigint): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset + position, 16);
  view.setBigInt64(0, BigInt.asIntN(64, value), true);
  view.setBigInt64(8, BigInt.asIntN(64, value >> 64n), true);
}

/** A reader of the cells of one vector. `bulk`: most cells will be read, so that preparing the whole vector pays off. */
export function cellReader(vector: Vector, type: DataType, options: CellOptions, bulk: boolean): CellReader {
  const asBytes = type === "BINARY" || options.strings === "bytes";
  switch (vector.kind) {
    case "fixed":
      return fixedReader(vector, options);
    case "bool":
      return (index) => getBit(vector.values, index);
    case "binary":
      return binaryReader(vector, asBytes, bulk);
    case "dictionary": {
      const word = binaryReader(vector.dictionary, asBytes, false);
      if (asBytes) {
        // Each cell is a separate array, which the caller may change.
        return (index) => word(vector.codes[index] as number);
      }
      const known: CellValue[] = [];
      return (index) => {
        const code = vector.codes[index] as number;
        known[code] ??= word(code);
        return known[code];
      };
    }
  }
}

function fixedReader({ physical, values }: FixedVector, { int64 }: CellOptions): CellReader {
  if (physical === "INT128" && values instanceof Uint8Array) {
    return int64 === "number"
      ? (index) => exactNumber(readInt128(values, 16 * index))
      : (index) => readInt128(values, 16 * index);
  }
  if (int64 === "number" && (values instanceof BigInt64Array || values instanceof BigUint64Array)) {
    return (index) => exactNumber(values[index] as bigint);
  }
  return (index) => values[index] as number | bigint;
}

function exactNumber(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) {
    throw invalidArgument(`${value} is not exact as a number; read it as bigint`, { field: "int64" });
  }
  return number;
}

/** Above this size, one string for all of `data` is not worth its memory. */
const MAX_BULK_TEXT = 1 << 24;

function binaryReader({ offsets, data, length }: BinaryVector, asBytes: boolean, bulk: boolean): CellReader {
  if (asBytes) {
    return (index) => copyOf(data, offsets[index] as number, offsets[index + 1] as number);
  }
  const start = offsets[0] as number;
  const end = offsets[length] as number;
  // In ASCII a byte is a character: all cells are slices of one decoded string.
  if (bulk && end - start <= MAX_BULK_TEXT && isAscii(data, start, end)) {
    const text = textDecoder().decode(data.subarray(start, end));
    return (index) => text.slice((offsets[index] as number) - start, (offsets[index + 1] as number) - start);
  }
  return (index) => textOf(data, offsets[index] as number, offsets[index + 1] as number);
}

let sharedDecoder: TextDecoder | undefined;

function textDecoder(): TextDecoder {
  sharedDecoder ??= new TextDecoder("utf-8", { ignoreBOM: true });
  return sharedDecoder;
}

/** ASCII of up to this many bytes is converted here, which is faster than calling a decoder. */
const SHORT_TEXT = 32;

/** `bytes[start..end)` as text; ill-formed UTF-8 becomes U+FFFD. */
function textOf(bytes: Uint8Array, start: number, end: number): string {
  if (end - start > SHORT_TEXT || !isAscii(bytes, start, end)) {
    return textDecoder().decode(bytes.subarray(start, end));
  }
  let text = "";
  let i = start;
  for (; i + 4 <= end; i += 4) {
    text += String.fromCharCode(
      bytes[i] as number,
      bytes[i + 1] as number,
      bytes[i + 2] as number,
      bytes[i + 3] as number,
    );
  }
  for (; i < end; i++) {
    text += String.fromCharCode(bytes[i] as number);
  }
  return text;
}

function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    if ((bytes[i] as number) > 0x7f) {
      return false;
    }
  }
  return true;
}
