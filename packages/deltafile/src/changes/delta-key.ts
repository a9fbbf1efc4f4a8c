/**
 * DeltaKey (docs/spec/deltafile.md#3-deltakey): with what every value of a delta file begins, and by what the file is indexed.
 *
 * | part | coding |
 * | --- | --- |
 * | row | memcmp varint: number of the row in the base data, 32 bits |
 * | timestamp | memcmp varint, 64 bits |
 */
import { CFileError, corrupt, invalidArgument } from "@cfile/bytes";
import type { DeltaKind } from "./delta-kind.js";
import { memcmpVarintLength, readMemcmpVarint, writeMemcmpVarint } from "./memcmp-varint.js";
import { checkTimestamp, highWord, lowWord } from "./timestamp.js";

/** Which row an entry changes, and when; see docs/spec/deltafile.md#3-deltakey. */
export interface DeltaKey {
  /** Number of the row in the base data. */
  readonly row: number;
  readonly timestamp: bigint;
}

/** Most bytes of a key: 5 of the row and 9 of the timestamp; a row in a longer form than needed may take 9. */
export const MAX_DELTA_KEY_LENGTH = 18;

/** @throws CFileError `E_INVALID_ARGUMENT` unless it is an unsigned 32-bit integer */
export function checkRow(row: number): number {
  if (row >>> 0 !== row) {
    throw invalidArgument(`row ${row} is no unsigned 32-bit integer`, { field: "row", actual: String(row) });
  }
  return row;
}

/** @throws CFileError `E_INVALID_ARGUMENT` for what is no row or no timestamp */
export function encodeDeltaKey({ row, timestamp }: DeltaKey): Uint8Array {
  checkTimestamp(timestamp, "timestamp");
  const bytes = new Uint8Array(MAX_DELTA_KEY_LENGTH);
  const afterRow = writeMemcmpVarint(bytes, 0, checkRow(row), 0);
  return bytes.slice(0, writeMemcmpVarint(bytes, afterRow, lowWord(timestamp), highWord(timestamp)));
}

/** With what the keys of a row begin: before all of them in an index, after all keys of the rows before. */
export function encodeRowKey(row: number): Uint8Array {
  const bytes = new Uint8Array(9);
  return bytes.slice(0, writeMemcmpVarint(bytes, 0, row, 0));
}

/** What {@link decodeDeltaKey} tells beside the key. */
export interface DecodedDeltaKey extends DeltaKey {
  /** Bytes that the key takes. */
  readonly length: number;
  /** Whether both parts stand in their shortest form, as every writer makes them. */
  readonly canonical: boolean;
}

/**
 * The key at the start of `bytes[start..end)`.
 *
 * @throws CFileError `E_TRUNCATED` when the bytes end inside, `E_CORRUPT` for a row above 32 bits
 */
export function decodeDeltaKey(bytes: Uint8Array, start = 0, end = bytes.length): DecodedDeltaKey {
  const words = new Uint32Array(2);
  const afterRow = readDeltaRow(bytes, start, end, words);
  const row = words[0] as number;
  const after = readDeltaTimestamp(bytes, afterRow, end, words, 0);
  const low = words[0] as number;
  const high = words[1] as number;
  return {
    row,
    timestamp: (BigInt(high) << 32n) | BigInt(low),
    length: after - start,
    canonical: after - start === memcmpVarintLength(row, 0) + memcmpVarintLength(low, high),
  };
}

/**
 * Reads the row at `position` into `words[0]` and gives the position after it.
 *
 * @throws CFileError `E_TRUNCATED`, `E_CORRUPT` for a row above 32 bits
 */
export function readDeltaRow(bytes: Uint8Array, position: number, end: number, words: Uint32Array): number {
  const after = readMemcmpVarint(bytes, position, end, words, 0);
  if (after < 0) {
    throw truncatedKey(position, "row");
  }
  if (words[1] !== 0) {
    throw corrupt("a row number of more than 32 bits", { offset: position, field: "row" });
  }
  return after;
}

/**
 * Reads the timestamp at `position` into two words from `at` on and gives the position after it.
 *
 * @throws CFileError `E_TRUNCATED`
 */
export function readDeltaTimestamp(
  bytes: Uint8Array,
  position: number,
  end: number,
  words: Uint32Array,
  at: number,
): number {
  const after = readMemcmpVarint(bytes, position, end, words, at);
  if (after < 0) {
    throw truncatedKey(position, "timestamp");
  }
  return after;
}

function truncatedKey(offset: number, field: string): CFileError {
  return new CFileError("E_TRUNCATED", `the value ends inside the ${field} of its delta key`, {
    offset,
    field,
  });
}

/** The order of entries in a file of this kind: negative, zero or positive like a sort callback. */
export function compareDeltaKeys(kind: DeltaKind, left: DeltaKey, right: DeltaKey): number {
  if (left.row !== right.row || left.timestamp === right.timestamp) {
    return left.row - right.row;
  }
  return left.timestamp < right.timestamp === (kind === "redo") ? -1 : 1;
}
