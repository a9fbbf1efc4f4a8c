/** Order within a vector: what a value index demands of its column. */
import { CFileError } from "@cfile/bytes";
import type { RowKernels } from "@cfile/kernels/rows";
import { physicalWidth } from "../types/data-type.js";
import { type BinaryVector, bytesOf, type FixedVector, type Vector } from "../types/vector.js";
import { wordsOf } from "../types/words.js";
import { requireRange } from "./value-range.js";

/**
 * The first position in `from + 1 .. to - 1` whose value is less than the one before it; `undefined` when values
 * never descend. Order is that of keys: numeric, or unsigned bytes.
 *
 * @param kernels compare integers, if given
 * @throws CFileError `E_UNSUPPORTED` for types without key order; `E_INVALID_ARGUMENT` for a range outside
 */
export function findDescent(
  vector: Vector,
  from: number,
  to: number,
  kernels?: Pick<RowKernels, "integerDescent">,
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
  kernels: Pick<RowKernels, "integerDescent"> | undefined,
): number | undefined {
  const { physical, values } = vector;
  if (physical === "FLOAT" || physical === "DOUBLE") {
    throw unordered(physical);
  }
  const width = physicalWidth(physical);
  const bytes = bytesOf(values).subarray(from * width, to * width);
  const found = kernels?.integerDescent(bytes, width, physical.startsWith("UINT"));
  if (found !== undefined) {
    return found < to - from ? from + found : undefined;
  }
  if (physical === "INT64" || physical === "UINT64") {
    return longDescent(vector, from, to);
  }
  if (physical === "INT128") {
    return int128Descent(vector, from, to);
  }
  for (let i = from + 1; i < to; i++) {
    if ((values[i] as number) < (values[i - 1] as number)) {
      return i;
    }
  }
  return undefined;
}

/** Values of 8 bytes, compared as two words: no bigint per value. */
function longDescent({ physical, values }: FixedVector, from: number, to: number): number | undefined {
  const words = wordsOf(values);
  // Flipping the top bit makes unsigned order signed, that of the words.
  const flip = physical === "UINT64" ? 0x80000000 : 0;
  let highBefore = (words[2 * from + 1] as number) ^ flip;
  let lowBefore = (words[2 * from] as number) >>> 0;
  for (let i = from + 1; i < to; i++) {
    const high = (words[2 * i + 1] as number) ^ flip;
    const low = (words[2 * i] as number) >>> 0;
    if (high < highBefore || (high === highBefore && low < lowBefore)) {
      return i;
    }
    highBefore = high;
    lowBefore = low;
  }
  return undefined;
}

/** Values of 16 bytes, compared as words from the top. */
function int128Descent({ values }: FixedVector, from: number, to: number): number | undefined {
  const words = wordsOf(values);
  for (let i = from + 1; i < to; i++) {
    for (let word = 4 * i + 3; word >= 4 * i; word--) {
      const isTop = word === 4 * i + 3;
      const current = isTop ? (words[word] as number) : (words[word] as number) >>> 0;
      const before = isTop ? (words[word - 4] as number) : (words[word - 4] as number) >>> 0;
      if (current !== before) {
        if (current < before) {
          return i;
        }
        break;
      }
    }
  }
  return undefined;
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
