/**
 * The data-block encoding PREFIX: a key without what it begins with in common with the key before.
 *
 * | size | field |
 * | --- | --- |
 * | 4 | bytes of all cells when decoded, big-endian |
 * | varint | per cell: key bytes that follow |
 * | varint | value length |
 * | varint | bytes in common with the key before |
 * | n, V | key bytes, value |
 * | 1 … 9 | MVCC number, as in an ordinary block |
 */
import type { ByteReader, Limits } from "@cfile/bytes";
import { readVarint32 } from "@cfile/varint";
import type { CellLayout } from "../cells/cell-batch.js";
import { CellRebuilder } from "./cell-rebuilder.js";

/** @throws CFileError `E_TRUNCATED`, `E_CORRUPT`, `E_LIMIT` */
export function decodePrefix(reader: ByteReader, layout: CellLayout, limits: Limits): Uint8Array {
  const cells = new CellRebuilder(reader, layout, limits);
  while (reader.remaining > 0) {
    const rest = readVarint32(reader, "key length");
    const valueLength = readVarint32(reader, "value length");
    const common = readVarint32(reader, "common key length");
    cells.begin(common + rest, valueLength);
    if (common > 0) {
      cells.fromPrevious(0, common, "common key");
    }
    cells.fromInput(rest, "key");
    cells.end(undefined);
  }
  return cells.finish();
}
