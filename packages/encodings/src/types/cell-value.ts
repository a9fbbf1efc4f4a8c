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
import { textOf, wordTexts } from "./text-cells.js";
import type { BinaryVector, FixedVector, Vector } from "./vector.js";

/** One cell; `null` is a null, an array is an array cell. */
export type CellValue = number | bigint | boolean | string | Uint8Array | null | CellValue[];

/** Options for converting cells to JavaScript values. */
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

/** Whether the cells of strings are text, as opposed to bytes. */
export function areTexts(type: DataType, { strings }: CellOptions): boolean {
  return type !== "BINARY" && strings !== "bytes";
}

/** A reader of the cells of one vector. */
export function cellReader(vector: Vector, type: DataType, options: CellOptions): CellReader {
  switch (vector.kind) {
    case "fixed":
      return fixedReader(vector, options);
    case "bool":
      return (index) => getBit(vector.values, index);
    case "binary":
      return areTexts(type, options) ? textReader(vector) : bytesReader(vector);
    case "dictionary": {
      const { codes, dictionary } = vector;
      if (areTexts(type, options)) {
        const words = wordTexts(dictionary);
        return (index) => words[codes[index] as number] as string;
      }
      const word = bytesReader(dictionary);
      return (index) => word(codes[index] as number);
    }
  }
}

function textReader({ offsets, data }: BinaryVector): CellReader {
  return (index) => textOf(data, offsets[index] as number, offsets[index + 1] as number);
}

/** Each cell is a separate array, which the caller may change. */
function bytesReader({ offsets, data }: BinaryVector): CellReader {
  return (index) => copyOf(data, offsets[index] as number, offsets[index + 1] as number);
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
