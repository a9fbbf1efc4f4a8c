/** Errors that name a field: where it is, what is expected, what is found. */
import { type CFileError, corrupt } from "@cfile/bytes";

/** `E_CORRUPT` for a field at `offset` of its bytes that contradicts others. */
export function mismatch(
  field: string,
  offset: number | undefined,
  expected: number | string | undefined,
  actual: number | string | undefined,
): CFileError {
  const reason = `invalid ${field}: ${actual ?? "missing"} (expected ${expected})`;
  return corrupt(reason, { field, offset, expected, actual });
}
