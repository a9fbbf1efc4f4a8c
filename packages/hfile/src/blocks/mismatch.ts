/** Errors that name a field: its offset, the expected and the actual value. */
import { CFileError, type CFileErrorDetails, corrupt, type Limits } from "@cfile/bytes";

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

/** @throws {CFileError} `E_LIMIT` for a size above a limit */
export function requireWithin(
  limits: Limits,
  name: "maxBlockSize" | "maxStoredBlockSize" | "maxKeyLength",
  size: number,
  what: string,
  details: CFileErrorDetails,
): void {
  const expected = limits[name];
  if (size > expected) {
    const reason = `${what} of ${size} bytes exceeds ${name} ${expected}`;
    throw new CFileError("E_LIMIT", reason, { ...details, expected, actual: size });
  }
}
