/**
 * Timestamps (docs/spec/deltafile.md#32-timestamps): 64 bits, microseconds since 1970 shifted left by 12 bits, and a logical
 * counter in the low 12. In batches they are taken as pairs of words, low word first, so that none becomes a bigint of its own.
 */
import { invalidArgument } from "@cfile/bytes";
import type { Range } from "@cfile/format";

/** The largest timestamp, 2^64 - 1; a snapshot at it is the latest state. */
export const LATEST_TIMESTAMP = 0xffff_ffff_ffff_ffffn;

/** @throws CFileError `E_INVALID_ARGUMENT` unless it is a bigint of 64 bits */
export function checkTimestamp(timestamp: bigint, field: string): bigint {
  if (typeof timestamp !== "bigint" || timestamp < 0n || timestamp > LATEST_TIMESTAMP) {
    throw invalidArgument(`${field} is ${String(timestamp)}, a bigint of 0 to 2^64 - 1 is expected`, {
      field,
      actual: String(timestamp),
    });
  }
  return timestamp;
}

/** @throws CFileError `E_INVALID_ARGUMENT` unless the bounds that there are, are timestamps */
export function checkTimestamps({ from, to }: Range<bigint>): void {
  for (const bound of [from, to]) {
    if (bound !== undefined) {
      checkTimestamp(bound, "timestamps");
    }
  }
}

export function lowWord(timestamp: bigint): number {
  return Number(timestamp & 0xffff_ffffn);
}

export function highWord(timestamp: bigint): number {
  return Number(timestamp >> 32n);
}

/** The timestamps as words: low word of `i` at `2 * i`, high word after it. */
export function wordsOf(timestamps: BigUint64Array): Uint32Array {
  return new Uint32Array(timestamps.buffer, timestamps.byteOffset, 2 * timestamps.length);
}

/** Negative, zero or positive, as timestamp `i` of the words is less than, equal to or greater than the other. */
export function compareWords(words: Uint32Array, i: number, low: number, high: number): number {
  return (words[2 * i + 1] as number) - high || (words[2 * i] as number) - low;
}
