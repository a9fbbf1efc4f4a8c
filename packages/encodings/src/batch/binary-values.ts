/** Strings of a vector, plain or in its dictionary: the input of the builders of string blocks. */
import { CFileError, corrupt, invalidArgument } from "@cfile/bytes";
import { requireRange, wrongVector } from "../types/checks.js";
import type { Vector } from "../types/vector.js";

/** Value `i` is `data[offsets[k] .. offsets[k + 1])`, where `k` is `codes[i]`, or `i` without codes. */
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
 * @throws {CFileError} `E_INVALID_ARGUMENT` for other vectors and for a range outside the vector
 */
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

/**
 * Whether `data` has bytes `start` to `end`: bad offsets, or a code outside the dictionary, give others.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT`, naming the value's `position`, when it has not
 */
export function requireInside(start: number, end: number, data: Uint8Array, position: number): void {
  if (!(start >= 0 && start <= end && end <= data.length)) {
    throw misplacedValue(position);
  }
}

export function misplacedValue(position: number): CFileError {
  const details = { field: "offsets", actual: position };
  return invalidArgument(`value ${position} is outside the vector's data`, details);
}

/** `E_LIMIT` for a block or batch of strings that 32-bit offsets cannot address. */
export function tooManyBytes(field: string): CFileError {
  const details = { field, expected: MAX_BINARY_BYTES };
  return new CFileError("E_LIMIT", `invalid ${field}: more than 2 GiB of strings`, details);
}

/** `E_CORRUPT` for a codeword outside a dictionary of `words` words; `place` names the row or value that has it. */
export function badCode(place: string, code: number, words: number, offset?: number): CFileError {
  const reason = `${place}: invalid codeword: ${code} (must be less than ${words}, the dictionary's size)`;
  return corrupt(reason, { offset, field: "codeword", expected: words, actual: code });
}
