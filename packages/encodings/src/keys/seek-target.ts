/** What a search is for, checked, and searches of a block that was not searched before. */
import { CFileError, compareRange, invalidArgument } from "@cfile/bytes";
import type { SeekPosition, SeekTarget } from "../codecs/block-codec.js";
import { lowerBound } from "../conditions/lower-bound.js";
import { readInt128 } from "../types/cell-value.js";
import { type BinaryVector, bytesOf, type FixedVector } from "../types/vector.js";

export function unordered(physical: string): CFileError {
  return new CFileError("E_UNSUPPORTED", `${physical} values have no key order`, { field: "data_type" });
}

/** @throws CFileError `E_INVALID_ARGUMENT` for bytes and for NaN, which has no place in an order */
export function integerTarget(target: SeekTarget): number | bigint {
  if (target instanceof Uint8Array || Number.isNaN(target)) {
    throw invalidArgument("integers are searched by number or bigint", {
      field: "target",
      actual: String(target),
    });
  }
  return target;
}

/** @throws CFileError `E_INVALID_ARGUMENT` unless the target is bytes */
export function requireBytes(target: SeekTarget): Uint8Array {
  if (!(target instanceof Uint8Array)) {
    throw invalidArgument("strings are searched by bytes", { field: "target", actual: String(target) });
  }
  return target;
}

/**
 * The first of ascending integers at or after the target: what `sortedVector` gives, without the work that only pays for many
 * searches.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` for another kind of target, `E_UNSUPPORTED` for FLOAT and DOUBLE
 */
export function seekInteger(
  { physical, values }: FixedVector,
  count: number,
  target: SeekTarget,
): SeekPosition {
  if (physical === "FLOAT" || physical === "DOUBLE") {
    throw unordered(physical);
  }
  const wanted = integerTarget(target);
  const bytes = bytesOf(values);
  const valueAt =
    physical === "INT128"
      ? (i: number): bigint => readInt128(bytes, 16 * i)
      : (i: number): number | bigint => values[i] as number | bigint;
  const position = lowerBound(count, (i) => valueAt(i) < wanted);
  return { position, exact: position < count && !(valueAt(position) > wanted) };
}

/** The same for strings: the value at `position` is `data[offsets[k] .. offsets[k + 1])`, where `k` is `indexOf(position)`. */
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
  const position = lowerBound(count, (i) => compare(i) < 0);
  return { position, exact: position < count && compare(position) === 0 };
}
