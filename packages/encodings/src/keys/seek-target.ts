/** Checks of search targets, and searches in blocks that are searched only once. */
import { compareRange, invalidOption } from "@cfile/bytes";
import type { SeekPosition, SeekTarget } from "../codecs/block-codec.js";
import { readInt128 } from "../types/cell-value.js";
import { unordered } from "../types/checks.js";
import type { PhysicalType } from "../types/data-type.js";
import { type BinaryVector, bytesOf, type FixedVector } from "../types/vector.js";

/** @throws {CFileError} `E_INVALID_ARGUMENT` for bytes, and for NaN, which is unordered */
export function integerTarget(target: SeekTarget): number | bigint {
  if (target instanceof Uint8Array || Number.isNaN(target)) {
    throw invalidOption("target", String(target), "a number or bigint");
  }
  return target;
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` unless the target is bytes */
export function requireBytes(target: SeekTarget): Uint8Array {
  if (!(target instanceof Uint8Array)) {
    throw invalidOption("target", String(target), "a Uint8Array");
  }
  return target;
}

/**
 * The first position in `0 .. count - 1` for which `isBefore` is false, or `count`. `isBefore` must be true up to some
 * position and false from there on.
 */
export function partitionPoint(count: number, isBefore: (position: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    if (isBefore(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/**
 * The first of `count` ascending integers at or after the target.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for another kind of target, `E_UNSUPPORTED` for FLOAT and DOUBLE
 */
export function seekIntegers(
  physical: PhysicalType,
  count: number,
  target: SeekTarget,
  valueAt: (position: number) => number | bigint,
): SeekPosition {
  if (physical === "FLOAT" || physical === "DOUBLE") {
    throw unordered(physical);
  }
  const wanted = integerTarget(target);
  const position = partitionPoint(count, (i) => valueAt(i) < wanted);
  return { position, exact: position < count && !(valueAt(position) > wanted) };
}

/** {@link seekIntegers} of a vector: like `sortedVector`, without the preparation that only pays off for many searches. */
export function seekInteger(vector: FixedVector, count: number, target: SeekTarget): SeekPosition {
  const { physical, values } = vector;
  const bytes = bytesOf(values);
  const int128 = (i: number): bigint => readInt128(bytes, 16 * i);
  const integer = (i: number): number | bigint => values[i] as number | bigint;
  return seekIntegers(physical, count, target, physical === "INT128" ? int128 : integer);
}

/** {@link seekInteger} for strings: the value at `position` is `data[offsets[k] .. offsets[k + 1])`, where `k` is `indexOf(position)`. */
export function seekBytes(
  { data, offsets }: BinaryVector,
  count: number,
  target: SeekTarget,
  indexOf: (position: number) => number = (position) => position,
): SeekPosition {
  const wanted = requireBytes(target);
  const compare = (position: number): number => {
    const k = indexOf(position);
    return compareRange(data, offsets[k] as number, offsets[k + 1] as number, wanted);
  };
  const position = partitionPoint(count, (i) => compare(i) < 0);
  return { position, exact: position < count && compare(position) === 0 };
}
