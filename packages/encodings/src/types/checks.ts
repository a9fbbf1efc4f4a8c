/** Checks and errors shared by all encodings. */
import { CFileError, corrupt, invalidOption } from "@cfile/bytes";

/** `E_CORRUPT` for a field of a block: `WHERE: invalid FIELD (expected EXPECTED, found ACTUAL)`. */
export function badField(
  field: string,
  offset: number | undefined,
  actual: number,
  expected: number | string,
  where?: string,
): CFileError {
  const reason = `${where === undefined ? "" : `${where}: `}invalid ${field}`;
  return corrupt(reason, { offset, field, expected, actual });
}

/** `E_LIMIT` for a size above `limit`. */
export function aboveLimit(field: string, actual: number, limit: number, offset?: number, unit = "") {
  const expected = `at most ${limit}${unit}`;
  return new CFileError("E_LIMIT", `${field} exceeds the limit`, { offset, field, expected, actual });
}

/** Unit of sizes that `maxDecodedBytes` bounds. */
export const DECODED = " decoded bytes";

/** `E_UNSUPPORTED` for a search or order check of values whose type has no key order. */
export function unordered(physical: string): CFileError {
  return new CFileError("E_UNSUPPORTED", `${physical} values have no key order`, { field: "data_type" });
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` unless `from` and `to` are integers and `0 <= from <= to <= count` */
export function requireRange(from: number, to: number, count: number): void {
  if (!(Number.isInteger(from) && Number.isInteger(to) && from >= 0 && from <= to && to <= count)) {
    throw invalidOption("range", `${from} to ${to}`, `within the ${count} values`);
  }
}
