/** Row ordinals as blocks store them: u32le (docs/spec/cfile.md#41-layouts). */
import { invalidArgument } from "@cfile/bytes";

/** @throws CFileError `E_INVALID_ARGUMENT` unless `ordinal` is an integer of 0 to 2^32 - 1 */
export function requireOrdinal(ordinal: number): void {
  if (ordinal >>> 0 !== ordinal) {
    throw invalidArgument(`row ordinal ${ordinal}, an unsigned 32-bit integer is expected`, {
      field: "ordinal",
      actual: ordinal,
    });
  }
}
