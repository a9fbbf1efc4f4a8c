/**
 * Timestamps (docs/spec/deltafile.md#32-timestamps): 64 bits. The upper 52 are microseconds since 1970,
 * the low 12 a logical counter. Batches are processed as pairs of words, low word first, without a bigint per timestamp.
 */
import { invalidOption } from "@cfile/bytes";
import type { Range } from "@cfile/format";

/** The maximum timestamp, 2^64 - 1; the snapshot at it is the latest state. */
export const LATEST_TIMESTAMP = 0xffff_ffff_ffff_ffffn;

/** Returns the timestamp. @throws {CFileError} `E_INVALID_ARGUMENT` unless it is an unsigned 64-bit bigint */
export function checkTimestamp(timestamp: bigint, field: string): bigint {
  if (typeof timestamp !== "bigint" || timestamp < 0n || timestamp > LATEST_TIMESTAMP) {
    throw invalidOption(field, timestamp, "a bigint from 0 to 2^64 - 1");
  }
  return timestamp;
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` unless the given bounds are timestamps */
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

/** Compares timestamp `i` of the words with `low` and `high`, as a sort callback. */
export function compareWords(words: Uint32Array, i: number, low: number, high: number): number {
  return (words[2 * i + 1] as number) - high || (words[2 * i] as number) - low;
}
