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
import { copyOf } from "../batch/copy-range.js";
import type { DataType } from "./data-type.js";
import type { BinaryVector, FixedVector, Vector } from "./vector.js";

/** One cell; `null` is a null, an array is an array cell. */
export type CellValue = number | bigint | boolean | string | Uint8Array | null | CellValue[];

/** What JavaScript value a cell becomes. */
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
      if (isStoredAsBytes(type, options)) {
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

/** Whether cells are arrays of bytes, one of its own for every cell given out. */
function isStoredAsBytes(type: DataType, options: CellOptions): boolean {
  return type === "BINARY" || options.strings === "bytes";
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
  if (isStoredAsBytes(type, options)) {
    return (index) => copyOf(data, offsets[index] as number, offsets[index + 1] as number);
  }
  const start = offsets[0] as number;
  const end = offsets[vector.length] as number;
  // In ASCII a byte is a character: all cells are cut from one decoded text.
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

/** Up to so many bytes of ASCII are put together here; a decoder costs more than that. */
const SHORT_TEXT = 32;

/** `bytes[start..end)` as text; ill-formed UTF-8 shows as U+FFFD. */
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
