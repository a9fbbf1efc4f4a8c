/**
 * The data-block encoding DIFF: per cell flags, the lengths that differ from the previous cell's, the key without its common prefix,
 * and the timestamp as a difference.
 *
 * | size | field |
 * | --- | --- |
 * | 4 | bytes of all cells when decoded, big-endian |
 * | 1, F | family of all cells |
 * | 1 | per cell: flags, below |
 * | varint | key length, unless the same |
 * | varint | value length, unless the same |
 * | varint | bytes in common with the previous key, including the family when the row is the same |
 * | n | rest of row and qualifier |
 * | 1 … 8 | timestamp or difference, without sign, little-endian |
 * | 0, 1 | type, unless the same |
 * | V | value |
 * | … | tags; in files with tags only |
 * | 1 … 9 | MVCC number, as in an ordinary block |
 *
 * Flags: 1 same key length, 2 same value length, 4 same type, 8 difference to the previous timestamp, 16 … 64 bytes of the timestamp
 * minus one, 128 negative.
 */
import type { ByteReader, Limits } from "@cfile/bytes";
import type { CellLayout } from "../cells/cell-batch.js";
import { CellRebuilder } from "./cell-rebuilder.js";

const SAME_KEY_LENGTH = 1;
const SAME_VALUE_LENGTH = 2;
const SAME_TYPE = 4;
const IS_DIFFERENCE = 8;
const NEGATIVE = 128;

/** @throws {CFileError} `E_TRUNCATED`, `E_CORRUPT`, `E_LIMIT` */
export function decodeDiff(reader: ByteReader, layout: CellLayout, limits: Limits): Uint8Array {
  const cells = new CellRebuilder(reader, layout, limits);
  const familyStart = reader.position;
  reader.skip(reader.u8("family length"), "family");
  const family = reader.bytes.subarray(familyStart, reader.position);
  const eight = new Uint8Array(8);
  const view = new DataView(eight.buffer);
  let timestamp = 0n;
  let type = 0;
  let rowLength = 0;
  while (reader.remaining > 0) {
    const flags = reader.u8("flags");
    const wasFirst = cells.isFirst;
    const common = cells.begin((flags & SAME_KEY_LENGTH) === 0, (flags & SAME_VALUE_LENGTH) === 0);
    if (wasFirst || common < rowLength + 2) {
      rowLength = cells.takeRow(common);
      cells.appendBytes(family, "family");
    }
    cells.takeQualifier();
    eight.fill(0);
    eight.set(reader.take(((flags >>> 4) & 7) + 1, "timestamp"));
    const magnitude = view.getBigInt64(0, true);
    const stored = (flags & NEGATIVE) !== 0 ? -magnitude : magnitude;
    timestamp = BigInt.asIntN(64, (flags & IS_DIFFERENCE) !== 0 ? timestamp - stored : stored);
    view.setBigInt64(0, timestamp);
    cells.appendBytes(eight, "timestamp");
    type = (flags & SAME_TYPE) !== 0 ? type : reader.u8("type");
    cells.appendBytes(Uint8Array.of(type), "type");
    cells.end();
  }
  return cells.finish();
}
