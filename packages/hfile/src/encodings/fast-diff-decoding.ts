/**
 * The data-block encoding FAST_DIFF: as DIFF, but the timestamp keeps the bytes that differ, the family is in the
 * first key only, and a value may be the one before.
 *
 * | size | field |
 * | --- | --- |
 * | 4 | bytes of all cells when decoded, big-endian |
 * | 1 | per cell: flags, below |
 * | varint | key length, unless the same |
 * | varint | value length, unless the same |
 * | varint | bytes in common with the key before, family included when the row is the same |
 * | n | first cell: the whole key; others: rest of row and qualifier |
 * | 8 - k | rest of the timestamp; not in the first cell |
 * | 0, 1 | type, unless the same; not in the first cell |
 * | V | value, unless the same |
 * | 1 … 9 | MVCC number, as in an ordinary block |
 *
 * Flags: 1 … 4 bytes k in common with the timestamp before, 8 same key length, 16 same value length, 32 same type, 64
 * same value.
 */
import type { ByteReader, Limits } from "@cfile/bytes";
import { type CellLayout, TIMESTAMP_AND_TYPE } from "../cells/cell-batch.js";
import { CellRebuilder } from "./cell-rebuilder.js";

const COMMON_TIMESTAMP = 7;
const SAME_KEY_LENGTH = 8;
const SAME_VALUE_LENGTH = 16;
const SAME_TYPE = 32;
const SAME_VALUE = 64;

/** @throws {CFileError} `E_TRUNCATED`, `E_CORRUPT`, `E_LIMIT` */
export function decodeFastDiff(reader: ByteReader, layout: CellLayout, limits: Limits): Uint8Array {
  const cells = new CellRebuilder(reader, layout, limits);
  let rowLength = 0;
  while (reader.remaining > 0) {
    const flags = reader.u8("flags");
    const previousKeyLength = cells.keyLength;
    const wasFirst = cells.isFirst;
    const common = cells.begin((flags & SAME_KEY_LENGTH) === 0, (flags & SAME_VALUE_LENGTH) === 0);
    if (wasFirst) {
      cells.fromInput(cells.keyLength, "key");
      rowLength = cells.keyLength < 2 ? 0 : cells.rowLength();
      cells.end(undefined);
      continue;
    }
    if (common < rowLength + 2) {
      const familyAt = rowLength + 2;
      rowLength = cells.takeRow(common);
      cells.fromPrevious(familyAt, 1 + cells.previousByte(familyAt), "family");
    }
    cells.takeQualifier();
    const commonTimestamp = flags & COMMON_TIMESTAMP;
    const timestampAt = previousKeyLength - TIMESTAMP_AND_TYPE;
    cells.fromPrevious(timestampAt, commonTimestamp, "timestamp");
    cells.fromInput(8 - commonTimestamp, "timestamp");
    if ((flags & SAME_TYPE) !== 0) {
      cells.fromPrevious(timestampAt + 8, 1, "type");
    } else {
      cells.fromInput(1, "type");
    }
    cells.end((flags & SAME_VALUE) !== 0 ? previousKeyLength : undefined);
  }
  return cells.finish();
}
