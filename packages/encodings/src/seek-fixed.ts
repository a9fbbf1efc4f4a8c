/** Search in ascending values of fixed width, for the block decoders' `seek`. */
import { CFileError, invalidArgument } from "@cfile/bytes";
import type { SeekPosition, SeekTarget } from "./block-codec.js";
import { readInt128 } from "./cell-value.js";
import { lowerBound } from "./lower-bound.js";
import type { FixedVector } from "./vector.js";

/**
 * The first of the vector's leading `length` values that is at or after `target`, by binary search.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` when the target is not a number; `E_UNSUPPORTED` for FLOAT and DOUBLE
 */
export function seekFixed(vector: FixedVector, target: SeekTarget, length = vector.length): SeekPosition {
  const { physical } = vector;
  if (physical === "FLOAT" || physical === "DOUBLE") {
    throw new CFileError("E_UNSUPPORTED", `${physical} values have no key order`, { field: "data_type" });
  }
  const wanted = integerTarget(target);
  const position = lowerBound(length, (i) => integerAt(vector, i) < wanted);
  return { position, exact: position < length && !(integerAt(vector, position) > wanted) };
}

function integerAt({ physical, values }: FixedVector, index: number): number | bigint {
  return physical === "INT128" && values instanceof Uint8Array
    ? readInt128(values, 16 * index)
    : (values[index] as number | bigint);
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
