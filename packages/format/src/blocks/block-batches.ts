/** Batches of blocks that have more rows than a batch. Loaded lazily, which keeps it out of a page's initial code. */
import type { ColumnBatch } from "@cfile/encodings";
import { sliceRows } from "@cfile/encodings/batches";
import { MAX_DECODED_ROWS } from "../read/row-range.js";

/** Rows `from` to `to` (exclusive) of a block in batches that share memory, since decoding many rows at once costs less. */
export function* batchesOf(
  decode: (from: number, to: number) => ColumnBatch,
  from: number,
  to: number,
  batchRows: number,
): Generator<ColumnBatch, void, void> {
  const step = batchRows * Math.max(1, Math.floor(MAX_DECODED_ROWS / batchRows));
  for (let row = from; row < to; row += step) {
    const decoded = decode(row, Math.min(to, row + step));
    for (let start = 0; start < decoded.length; start += batchRows) {
      yield sliceRows(decoded, start, Math.min(decoded.length, start + batchRows));
    }
  }
}
