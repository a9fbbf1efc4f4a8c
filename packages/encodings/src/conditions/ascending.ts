/** Order within a vector: what a value index demands of its column. */
import { CFileError } from "@cfile/bytes";
import { portableRowKernels } from "@cfile/kernels";
import type { Integers, RowKernels } from "@cfile/kernels/rows";
import { physicalWidth } from "../types/data-type.js";
import { type BinaryVector, bytesOf, type FixedVector, type Vector } from "../types/vector.js";
import { wordsOf } from "../types/words.js";
import { requireRange } from "./value-range.js";

/**
 * The first position in `from + 1 .. to - 1` whose value is less than the one before it; `undefined` when values
 * never descend. Order is that of keys: numeric, or unsigned bytes.
 *
 * @throws CFileError `E_UNSUPPORTED` for types without key order; `E_INVALID_ARGUMENT` for a range outside
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
      return binaryDescent(vector, (position) => position, from, to);
    case "dictionary":
      return binaryDescent(vector.dictionary, (position) => vector.codes[position] as number, from, to);
    case "bool":
      throw unordered("BOOL");
  }
}

function unordered(physical: string): CFileError {
  return new CFileError("E_UNSUPPORTED", `${physical} values have no key order`, { field: "data_type" });
}

function fixedDescent(
  vector: FixedVector,
  from: number,
  to: number,
  kernels: RowKernels,
): number | undefined {
  const { physical, values } = vector;
  if (physical === "FLOAT" || physical === "DOUBLE") {
    throw unordered(physical);
  }
  const width = physicalWidth(physical);
  const perValue = physical === "INT128" ? 16 : 1;
  const found = kernels.integerDescent(integerDescent)({
    values: values.subarray(from * perValue, to * perValue),
    bytes: bytesOf(values).subarray(from * width, to * width),
    width,
    isUnsigned: physical.startsWith("UINT"),
  });
  return found < to - from ? from + found : undefined;
}

function integerDescent(integers: Integers): number {
  const { bytes, isUnsigned, values, width } = integers;
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

/** Values of several 32-bit words, compared from the top: no bigint per value. */
function longDescent(bytes: Uint8Array, perValue: number, isUnsigned: boolean): number {
  const words = wordsOf(bytes);
  // Flipping the top bit makes unsigned order signed, that of the words.
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

/** Whether of two values with the same top word the second, at `at`, is less. */
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
  wordAt: (position: number) => number,
  from: number,
  to: number,
): number | undefined {
  for (let i = from + 1; i < to; i++) {
    const left = wordAt(i - 1);
    const right = wordAt(i);
    if (left === right) {
      continue;
    }
    let a = offsets[left] as number;
    let b = offsets[right] as number;
    const aEnd = offsets[left + 1] as number;
    const bEnd = offsets[right + 1] as number;
    while (a < aEnd && b < bEnd && data[a] === data[b]) {
      a++;
      b++;
    }
    if (b === bEnd ? a < aEnd : a < aEnd && (data[b] as number) < (data[a] as number)) {
      return i;
    }
  }
  return undefined;
}
