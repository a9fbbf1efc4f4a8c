import { invalidArgument } from "@cfile/bytes";

/**
 * The contract of `BlockDecoder.decode`.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` unless `0 <= from <= to <= count`
 */
export function requireRange(from: number, to: number, count: number): void {
  if (!(from >= 0 && from <= to && to <= count)) {
    throw invalidArgument(`values ${from} to ${to} of a block of ${count}`, { field: "range" });
  }
}
