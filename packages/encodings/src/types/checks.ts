/** Checks that all encodings share, and their errors: `invalid FIELD: ACTUAL (RULE)`. */
import { CFileError, corrupt, invalidArgument } from "@cfile/bytes";

/** `E_CORRUPT` for a field of a block that breaks `rule`. */
export function badField(
  field: string,
  offset: number | undefined,
  actual: number,
  rule: string,
  expected?: number,
): CFileError {
  return corrupt(`invalid ${field}: ${actual} (${rule})`, { offset, field, expected, actual });
}

/** `E_INVALID_ARGUMENT` for an argument that breaks `rule`. */
export function badArgument(field: string, actual: number | string, rule: string): CFileError {
  return invalidArgument(`invalid ${field}: ${actual} (${rule})`, { field, actual });
}

/** `E_LIMIT` for a size above `limit`. */
export function aboveLimit(
  field: string,
  actual: number,
  limit: number,
  offset?: number,
  unit = "",
): CFileError {
  const reason = `invalid ${field}: ${actual} (must be at most ${limit}${unit})`;
  return new CFileError("E_LIMIT", reason, { offset, field, expected: limit, actual });
}

/** Unit of sizes that `maxDecodedBytes` bounds. */
export const DECODED = " decoded bytes";

/** `E_UNSUPPORTED` for a search, or a check of the order, of values whose type has no key order. */
export function unordered(physical: string): CFileError {
  return new CFileError("E_UNSUPPORTED", `${physical} values have no key order`, { field: "data_type" });
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` unless `from` and `to` are integers and `0 <= from <= to <= count` */
export function requireRange(from: number, to: number, count: number): void {
  if (!(Number.isInteger(from) && Number.isInteger(to) && from >= 0 && from <= to && to <= count)) {
    throw badArgument("range", `${from} to ${to}`, `must be within the ${count} values`);
  }
}
