/**
 * DeltaKey (docs/spec/deltafile.md#3-deltakey): the start of every value of a delta file and the key of its index.
 *
 * | part | coding |
 * | --- | --- |
 * | row | memcmp varint: row number in the base data, 32 bits |
 * | timestamp | memcmp varint, 64 bits |
 */
import { CFileError, corrupt, invalidOption } from "@cfile/bytes";
import type { DeltaKind } from "./delta-kind.js";
import { memcmpVarintLength, readMemcmpVarint, writeMemcmpVarint } from "./memcmp-varint.js";
import { checkTimestamp, highWord, lowWord } from "./timestamp.js";

/** The row that an entry changes, and the timestamp. */
export interface DeltaKey {
  /** Row number in the base data. */
  readonly row: number;
  readonly timestamp: bigint;
}

/** Maximum bytes of a key: 9 for the timestamp and 5 for the row, or 9 if its form is longer than necessary. */
export const MAX_DELTA_KEY_LENGTH = 18;

/** @throws {CFileError} `E_INVALID_ARGUMENT` unless it is an unsigned 32-bit integer */
export function checkRow(row: number): number {
  if (row >>> 0 !== row) {
    throw invalidOption("row", row, "an integer from 0 to 2^32 - 1");
  }
  return row;
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` for an invalid row or timestamp */
export function encodeDeltaKey({ row, timestamp }: DeltaKey): Uint8Array {
  checkTimestamp(timestamp, "timestamp");
  const bytes = new Uint8Array(MAX_DELTA_KEY_LENGTH);
  const afterRow = writeMemcmpVarint(bytes, 0, checkRow(row), 0);
  return bytes.slice(0, writeMemcmpVarint(bytes, afterRow, lowWord(timestamp), highWord(timestamp)));
}

/** The prefix of all keys of a row. In an index it sorts before them and after the keys of earlier rows. */
export function encodeRowKey(row: number): Uint8Array {
  const bytes = new Uint8Array(9);
  return bytes.slice(0, writeMemcmpVarint(bytes, 0, row, 0));
}

/** The result of {@link decodeDeltaKey}. */
export interface DecodedDeltaKey extends DeltaKey {
  /** Length of the key in bytes. */
  readonly length: number;
  /** Whether both parts are in their shortest form, the only one that writers use. */
  readonly canonical: boolean;
}

/** Decodes the key at the start of `bytes[start..end)`. @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED` for an invalid key */
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
 * Reads the row at `position` into `words[0]`, using `words[1]`, and returns the position after it.
 *
 * @throws {CFileError} `E_TRUNCATED` if the bytes end inside it, `E_CORRUPT` for a row above 32 bits
 */
export function readDeltaRow(bytes: Uint8Array, position: number, end: number, words: Uint32Array): number {
  const after = readMemcmpVarint(bytes, position, end, words, 0);
  if (after < 0) {
    throw truncatedKey(position, "row");
  }
  if (words[1] !== 0) {
    throw corrupt("row number exceeds 32 bits", { offset: position, field: "row" });
  }
  return after;
}

/** Reads the timestamp at `position` into `words[at]` and `words[at + 1]`. Returns and throws as {@link readDeltaRow}. */
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
  return new CFileError("E_TRUNCATED", `value ends inside the ${field} of its delta key`, { offset, field });
}

/** The order of entries in a file of this kind, as a sort callback. */
export function compareDeltaKeys(kind: DeltaKind, left: DeltaKey, right: DeltaKey): number {
  if (left.row !== right.row || left.timestamp === right.timestamp) {
    return left.row - right.row;
  }
  return left.timestamp < right.timestamp === (kind === "redo") ? -1 : 1;
}
