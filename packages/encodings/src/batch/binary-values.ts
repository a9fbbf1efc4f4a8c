/** Strings of a vector, whether they stand in it or in its dictionary: what the builders of string blocks take. */
import { CFileError, invalidArgument } from "@cfile/bytes";
import { requireRange } from "../conditions/value-range.js";
import type { Vector } from "../types/vector.js";

/** Value `i` is `data[offsets[k] .. offsets[k + 1])`, where `k` is `codes[i]`, or `i` when there are no codes. */
export interface BinaryValues {
  readonly codes: Int32Array | undefined;
  readonly offsets: Int32Array;
  readonly data: Uint8Array;
}

/** Offsets are signed 32-bit integers. */
export const MAX_BINARY_BYTES = 0x7fffffff;

/**
 * The strings of `vector[from..to)`.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` for other vectors and for a range that is not in it
 */
export function binaryValues(vector: Vector, from: number, to: number): BinaryValues {
  requireRange(from, to, vector.length);
  switch (vector.kind) {
    case "binary":
      return { codes: undefined, offsets: vector.offsets, data: vector.data };
    case "dictionary":
      return { codes: vector.codes, offsets: vector.dictionary.offsets, data: vector.dictionary.data };
    default:
      throw invalidArgument(`a ${vector.kind} vector has no strings`, { field: "vector" });
  }
}

/**
 * For a value whose `start` and `end` do not lie in `data` one after the other, as they come from bad offsets or a
 * code outside the dictionary.
 */
export function misplacedValue(position: number): CFileError {
  return invalidArgument(`value ${position} does not lie in the vector's data`, {
    field: "offsets",
    actual: position,
  });
}

export function tooManyBytes(field: string): CFileError {
  return new CFileError("E_LIMIT", `a ${field} of more than 2 GiB`, {
    field,
    expected: MAX_BINARY_BYTES,
  });
}
