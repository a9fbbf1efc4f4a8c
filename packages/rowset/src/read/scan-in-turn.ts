/** Rows of several row sets in any order, row set after row set: nothing is compared, and all use the same memory. */
import type { TableBatch } from "@cfile/encodings/batches";
import type { RowSetReader } from "./row-set-reader.js";
import { checkLimit, type RowScanOptions } from "./scan-options.js";

/**
 * The rows, of each row set in key order. `rows` of the batches are numbers in the rows' own row sets.
 *
 * @param rowSets of one schema; each is asked for when the one before has been read
 * @throws CFileError as `RowSetReader.scan`
 */
export async function* scanInTurn(
  rowSets: Iterable<RowSetReader> | AsyncIterable<RowSetReader>,
  options: RowScanOptions = {},
): AsyncGenerator<TableBatch, void, void> {
  let left = checkLimit(options.limit);
  for await (const rowSet of rowSets) {
    for await (const batch of rowSet.scan({ ...options, limit: left })) {
      left -= batch.length;
      yield batch;
    }
    if (left === 0) {
      return;
    }
  }
}
