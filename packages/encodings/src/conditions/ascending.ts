/** Checks that the values of a vector ascend, as a value index requires. */
import { compareWithin } from "@cfile/bytes";
import { portableRowKernels } from "@cfile/kernels";
import type { Integers, RowKernels } from "@cfile/kernels/rows";
import { requireRange, unordered } from "../types/checks.js";
import { physicalWidth } from "../types/data-type.js";
import type { BinaryVector, FixedVector, Vector } from "../types/vector.js";
import { bytesOf, elementsPerValue } from "../types/vector.js";
import { wordsOf } from "../types/words.js";

/**
 * The first position in `from + 1 .. to - 1` whose value is less than the one before it; `undefined` when values
 * never descend. The order is that of keys: numeric, or unsigned bytes.
 *
 * @throws {CFileError} `E_UNSUPPORTED` for types without key order; `E_INVALID_ARGUMENT` for a range outside the vector
 */
export function findDescent(
  vector: Vector,
  from: number,
  to: number,
  kernels: RowKernels = portableRowKernels,
): number | undefined {
  requireRange(from, to, vector.length);
  switch (vector.kind) {
    case "fixed":
      return fixedDescent(vector, from, to, kernels);
    case "binary":
      return binaryDescent(vector, undefined, from, to);
    case "dictionary":
      return binaryDescent(vector.dictionary, vector.codes, from, to);
    case "bool":
      throw unordered("BOOL");
  }
}

function fixedDescent(
  { physical, values }: FixedVector,
  from: number,
  to: number,
  kernels: RowKernels,
): number | undefined {
  if (physical === "FLOAT" || physical === "DOUBLE") {
    throw unordered(physical);
  }
  const perValue = elementsPerValue(physical);
  const part = values.subarray(from * perValue, to * perValue);
  const found = kernels.integerDescent(integerDescent)({
    values: part,
    bytes: bytesOf(part),
    width: physicalWidth(physical),
    isUnsigned: physical.startsWith("UINT"),
  });
  return found < to - from ? from + found : undefined;
}

function integerDescent({ bytes, isUnsigned, values, width }: Integers): number {
  if (width >= 8) {
    return longDescent(bytes, width / 4, isUnsigned);
  }
  for (let i = 1; i < values.length; i++) {
    if ((values[i] as number) < (values[i - 1] as number)) {
      return i;
    }
  }
  return values.length;
}

/** Compares values of several 32-bit words from the highest word on, without a bigint per value. */
function longDescent(bytes: Uint8Array, perValue: number, isUnsigned: boolean): number {
  const words = wordsOf(bytes);
  // Flipping the top bit turns unsigned order into the signed order of the words.
  const flip = isUnsigned ? 0x80000000 : 0;
  const top = perValue - 1;
  for (let at = perValue; at < words.length; at += perValue) {
    const high = (words[at + top] as number) ^ flip;
    const highBefore = (words[at + top - perValue] as number) ^ flip;
    if (high < highBefore || (high === highBefore && isBelow(words, at, perValue))) {
      return at / perValue;
    }
  }
  return words.length / perValue;
}

/** Whether the second of two values with the same top word, at `at`, is less. */
function isBelow(words: Int32Array, at: number, perValue: number): boolean {
  for (let word = at + perValue - 2; word >= at; word--) {
    const current = (words[word] as number) >>> 0;
    const before = (words[word - perValue] as number) >>> 0;
    if (current !== before) {
      return current < before;
    }
  }
  return false;
}

function binaryDescent(
  { offsets, data }: BinaryVector,
  codes: Int32Array | undefined,
  from: number,
  to: number,
): number | undefined {
  for (let i = from + 1; i < to; i++) {
    const left = codes === undefined ? i - 1 : (codes[i - 1] as number);
    const right = codes === undefined ? i : (codes[i] as number);
    const start = offsets[left] as number;
    const end = offsets[left + 1] as number;
    const next = offsets[right] as number;
    if (left !== right && compareWithin(data, start, end, next, offsets[right + 1] as number) > 0) {
      return i;
    }
  }
  return undefined;
}
