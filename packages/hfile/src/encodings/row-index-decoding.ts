/**
 * The data-block encoding ROW_INDEX_V1: ordinary cells, followed by where the rows begin.
 *
 * | size | field |
 * | --- | --- |
 * | n | cells |
 * | 4 | number of rows, big-endian |
 * | 4 each | where each row begins |
 * | 4 | n, big-endian |
 */
import { ByteReader, corrupt } from "@cfile/bytes";

/**
 * The cells, not copied. The rows are found without the index of rows.
 *
 * @throws CFileError `E_TRUNCATED`, `E_CORRUPT` when lengths do not add up
 */
export function rowIndexCells(body: Uint8Array): Uint8Array {
  const tail = new ByteReader(body, Math.max(0, body.length - 4));
  const length = tail.u32be("cells length");
  const reader = new ByteReader(body);
  const cells = reader.take(length, "cells");
  const rows = reader.u32be("row count");
  if (4 * rows + 4 !== reader.remaining) {
    throw corrupt(`row index of ${reader.remaining} bytes cannot have ${rows} rows`, {
      offset: length,
      field: "row count",
      actual: rows,
    });
  }
  return cells;
}
