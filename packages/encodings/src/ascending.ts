/** Order within a vector: what a value index demands of its column. */
import { CFileError } from "@cfile/bytes";
import { requireRange } from "./value-range.js";
import type { BinaryVector, FixedVector, Vector } from "./vector.js";

/**
 * The first position in `from + 1 .. to - 1` whose value is less than the one before it; `undefined` when values
 * never descend. Order is that of keys: numeric, or unsigned bytes.
 *
 * @throws CFileError `E_UNSUPPORTED` for types without key order; `E_INVALID_ARGUMENT` for a range outside
 */
export function findDescent(vector: Vector, from: number, to: number): number | undefined {
  requireRange(from, to, vector.length);
  switch (vector.kind) {
    case "fixed":
      return fixedDescent(vector, from, to);
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

function fixedDescent(vector: FixedVector, from: number, to: number): number | undefined {
  const { physical, values } = vector;
  if (physical === "FLOAT" || physical === "DOUBLE") {
    throw unordered(physical);
  }
  if (physical === "INT64" || physical === "UINT64" || physical === "INT128") {
    return wideDescent(vector, from, to);
  }
  for (let i = from + 1; i < to; i++) {
    if ((values[i] as number) < (values[i - 1] as number)) {
      return i;
    }
  }
  return undefined;
}

/** Values of 8 or 16 bytes, compared as 32-bit words from the top: no bigint per value. */
function wideDescent({ physical, values }: FixedVector, from: number, to: number): number | undefined {
  const words = wordsOf(values);
  const perValue = physical === "INT128" ? 4 : 2;
  // Flipping the top bit makes unsigned order signed, that of the words.
  const flip = physical === "UINT64" ? 0x80000000 : 0;
  for (let i = from + 1; i < to; i++) {
    let word = (i + 1) * perValue - 1;
    const current = (words[word] as number) ^ flip;
    const previous = (words[word - perValue] as number) ^ flip;
    if (current !== previous) {
      if (current < previous) {
        return i;
      }
      continue;
    }
    for (const last = i * perValue; word-- > last; ) {
      const low = (words[word] as number) >>> 0;
      const lowBefore = (words[word - perValue] as number) >>> 0;
      if (low !== lowBefore) {
        if (low < lowBefore) {
          return i;
        }
        break;
      }
    }
  }
  return undefined;
}

function wordsOf(values: ArrayBufferView): Int32Array {
  if (values.byteOffset % 4 === 0) {
    return new Int32Array(values.buffer, values.byteOffset, values.byteLength / 4);
  }
  const start = values.byteOffset;
  return new Int32Array(values.buffer.slice(start, start + values.byteLength));
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
