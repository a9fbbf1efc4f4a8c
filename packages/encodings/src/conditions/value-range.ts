import { invalidArgument } from "@cfile/bytes";

/**
 * The contract of every range of values: `from` inclusive, `to` exclusive.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` unless both are integers and `0 <= from <= to <= count`
 */
export function requireRange(from: number, to: number, count: number): void {
  if (!(Number.isInteger(from) && Number.isInteger(to) && from >= 0 && from <= to && to <= count)) {
    throw invalidArgument(`values ${from} to ${to} of ${count}`, { field: "range" });
  }
}
