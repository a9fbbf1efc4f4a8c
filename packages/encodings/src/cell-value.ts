/**
 * Single cells as JavaScript values: what `batch.get(i)` and `batch.toArray()` give.
 *
 * | physical type | value |
 * | --- | --- |
 * | up to 32 bits, FLOAT, DOUBLE | number |
 * | INT64, UINT64, INT128 | bigint (or number on request, exact or an error) |
 * | BOOL | boolean |
 * | BINARY under STRING, VARCHAR | string (ill-formed UTF-8 shows as U+FFFD), or bytes on request |
 * | BINARY under BINARY | Uint8Array |
 */
import { CFileError, getBit } from "@cfile/bytes";
import type { DataType } from "./data-type.js";
import type { BinaryVector, FixedVector, Vector } from "./vector.js";

/** One cell; `null` is a null, an array is an array cell. */
export type CellValue = number | bigint | boolean | string | Uint8Array | null | CellValue[];

export interface CellOptions {
  /** `"number"`: 64- and 128-bit integers as number; `E_INVALID_ARGUMENT` where that would round. Default `"bigint"`. */
  readonly int64?: "bigint" | "number" | undefined;
  /** `"bytes"`: STRING and VARCHAR as Uint8Array, exactly as stored. Default `"text"`. */
  readonly strings?: "text" | "bytes" | undefined;
}

/** The signed value of 16 little-endian bytes. */
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

/**
 * Makes cells of one vector. `bulk` says that most cells will be asked for, so that work on the whole vector
 * pays.
 */
export function cellReader(
  vector: Vector,
  type: DataType,
  options: CellOptions,
  bulk: boolean,
): (index: number) => CellValue {
  switch (vector.kind) {
    case "fixed":
      return fixedReader(vector, options);
    case "bool":
      return (index) => getBit(vector.values, index);
    case "binary":
      return binaryReader(vector, type, options, bulk);
    case "dictionary": {
      const word = binaryReader(vector.dictionary, type, options, false);
      const known: CellValue[] = [];
      return (index) => {
        const code = vector.codes[index] as number;
        known[code] ??= word(code);
        return known[code];
      };
    }
  }
}

function fixedReader(vector: FixedVector, options: CellOptions): (index: number) => CellValue {
  const { values } = vector;
  if (vector.physical === "INT128" && values instanceof Uint8Array) {
    return options.int64 === "number"
      ? (index) => exactNumber(readInt128(values, 16 * index))
      : (index) => readInt128(values, 16 * index);
  }
  if (options.int64 === "number" && (values instanceof BigInt64Array || values instanceof BigUint64Array)) {
    return (index) => exactNumber(values[index] as bigint);
  }
  return (index) => values[index] as number | bigint;
}

function exactNumber(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) {
    throw new CFileError("E_INVALID_ARGUMENT", `${value} is not exact as a number; read it as bigint`, {
      field: "int64",
    });
  }
  return number;
}

/** Above this, one string for the whole of `data` is not worth its memory. */
const MAX_BULK_TEXT = 1 << 24;

function binaryReader(
  vector: BinaryVector,
  type: DataType,
  options: CellOptions,
  bulk: boolean,
): (index: number) => CellValue {
  const { offsets, data } = vector;
  if (type === "BINARY" || options.strings === "bytes") {
    return (index) => data.slice(offsets[index] as number, offsets[index + 1] as number);
  }
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const start = offsets[0] as number;
  const end = offsets[vector.length] as number;
  // In ASCII a byte is a character: all cells are cut from one decoded text.
  if (bulk && end - start <= MAX_BULK_TEXT && isAscii(data, start, end)) {
    const text = decoder.decode(data.subarray(start, end));
    return (index) => text.slice((offsets[index] as number) - start, (offsets[index + 1] as number) - start);
  }
  return (index) => decoder.decode(data.subarray(offsets[index] as number, offsets[index + 1] as number));
}

function isAscii(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    if ((bytes[i] as number) > 0x7f) {
      return false;
    }
  }
  return true;
}
