/** Checks of builders' input. A separate module, so that readers do not load it. */
import { type CFileError, invalidArgument, invalidOption } from "@cfile/bytes";
import { requireRange } from "../types/checks.js";
import { type FixedPhysicalType, physicalWidth } from "../types/data-type.js";
import type { FixedValues, Vector } from "../types/vector.js";

/** `E_INVALID_ARGUMENT` for a vector that is not of the builder's type. */
export function wrongVector(actual: string, expected: string): CFileError {
  return invalidOption("vector", actual, `a vector of ${expected} values`);
}

/** The values of a vector. @throws {CFileError} `E_INVALID_ARGUMENT` for another type and a range outside the vector */
export function requireFixed(vector: Vector, type: FixedPhysicalType, from: number, to: number): FixedValues {
  if (vector.kind !== "fixed" || vector.physical !== type) {
    throw wrongVector(vector.kind === "fixed" ? vector.physical : vector.kind, type);
  }
  requireRange(from, to, Math.min(vector.length, vector.values.byteLength / physicalWidth(type)));
  return vector.values;
}

/** Value `i` is `data[offsets[k] .. offsets[k + 1])`, where `k` is `codes[i]`, or `i` without codes. */
export interface BinaryValues {
  readonly codes: Int32Array | undefined;
  readonly offsets: Int32Array;
  readonly data: Uint8Array;
}

/** The strings of a vector. @throws {CFileError} `E_INVALID_ARGUMENT` for other vectors and a range outside the vector */
export function binaryValues(vector: Vector, from: number, to: number): BinaryValues {
  requireRange(from, to, vector.length);
  switch (vector.kind) {
    case "binary":
      return { codes: undefined, offsets: vector.offsets, data: vector.data };
    case "dictionary":
      return { codes: vector.codes, offsets: vector.dictionary.offsets, data: vector.dictionary.data };
    default:
      throw wrongVector(vector.kind, "BINARY");
  }
}

/** @throws {CFileError} `E_INVALID_ARGUMENT`, naming the value's position, unless `data` has bytes `start` to `end` */
export function requireInside(start: number, end: number, data: Uint8Array, position: number): void {
  if (!(start >= 0 && start <= end && end <= data.length)) {
    throw misplacedValue(position);
  }
}

export function misplacedValue(position: number): CFileError {
  const details = { field: "offsets", actual: position };
  return invalidArgument(`value ${position} is outside the vector's data`, details);
}
