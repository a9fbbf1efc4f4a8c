/** Timestamps of writes: Kudu's hybrid time, of which the two largest values are reserved. */
import { invalidArgument } from "@cfile/bytes";
import { LATEST_TIMESTAMP } from "@cfile/deltafile";

/**
 * @param last timestamp of the write before
 * @throws CFileError `E_INVALID_ARGUMENT` unless it is a bigint from `last` to 2^64 - 3
 */
export function checkWriteTimestamp(timestamp: bigint, last: bigint): bigint {
  if (typeof timestamp !== "bigint" || timestamp < 0n || timestamp >= LATEST_TIMESTAMP - 1n) {
    throw invalidArgument(`${String(timestamp)} is no timestamp: a bigint of 64 bits is expected`, {
      field: "timestamp",
      actual: String(timestamp),
    });
  }
  if (timestamp < last) {
    throw invalidArgument(`timestamp ${timestamp} is before ${last}, that of the write before`, {
      field: "timestamp",
      expected: `at least ${last}`,
      actual: String(timestamp),
    });
  }
  return timestamp;
}
