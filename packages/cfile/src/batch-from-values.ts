import type { ColumnBatch } from "@cfile/encodings";
import type { InputColumn } from "@cfile/encodings/batches";
import { batchFromValues as make } from "@cfile/encodings/batches";

/**
 * A batch of `values` that starts at row `firstRow`. (A wrapper instead of a direct export, because bundlers that split code by file
 * would then load the original in pages that only read.)
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` naming row and reason for a value that does not fit the type, a null in a column that is
 *   not nullable, or an array of more than 65535 elements
 */
export function batchFromValues(
  column: InputColumn,
  values: Parameters<typeof make>[1],
  firstRow = 0,
): ColumnBatch {
  return make(column, values, firstRow);
}
