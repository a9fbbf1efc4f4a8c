/** Tables: rows of several columns, and the columns' names and types. */
import { invalidArgument } from "@cfile/bytes";
import { ArrayBatch, type BinaryBatch, type ColumnBatch, DictionaryBatch } from "@cfile/encodings";
import { expandDictionaries, type TableBatch } from "@cfile/encodings/batches";
import type { TableRows } from "@cfile/format";
import { type ArrowColumn, isText } from "./arrow-type.js";

/** How strings of a dictionary appear in a table. */
export interface TableOptions {
  /**
   * `"keep"`: all strings become codes; a batch without a dictionary gets its own, and only the stream form can change
   * dictionaries. `"expand"`: codes become strings. Default `"expand"`.
   */
  readonly dictionaries?: "keep" | "expand" | undefined;
}

/**
 * A scan of a row set as a table.
 * @param columns all columns of the schema
 * @param names of the scanned columns; default: all
 * @throws {CFileError} `E_INVALID_ARGUMENT` for an unknown name
 */
export function tableOfScan(
  columns: readonly ArrowColumn[],
  rows: AsyncIterable<TableBatch>,
  names: readonly string[] = columns.map(({ name }) => name),
): TableRows {
  const chosen = names.map((name) => {
    const column = columns.find((candidate) => candidate.name === name);
    if (column === undefined) {
      throw invalidArgument(`no column ${JSON.stringify(name)}`, { field: "names" });
    }
    return column;
  });
  return { columns: chosen, rows };
}

/** The batches of some rows, with dictionaries kept or expanded for the whole table. */
export function batchesOfRows(
  table: TableRows,
  { columns }: TableBatch,
  { dictionaries }: TableOptions,
): readonly ColumnBatch[] {
  if (columns.length !== table.columns.length) {
    const reason = `${columns.length} batches for ${table.columns.length} columns`;
    throw invalidArgument(reason, { field: "columns" });
  }
  return columns.map((batch) =>
    dictionaries === "keep" ? withOwnDictionary(batch) : expandDictionaries(batch),
  );
}

/** Strings as dictionary codes, as in other batches of the column: each string becomes a word, without copying. */
function withOwnDictionary(batch: ColumnBatch): ColumnBatch {
  if (batch.kind === "array" && batch.child.kind === "binary") {
    return new ArrayBatch(batch, batch.offsets, coded(batch.child));
  }
  return batch.kind === "binary" ? coded(batch) : batch;
}

function coded(batch: BinaryBatch): DictionaryBatch {
  const { length, offsets, data } = batch;
  const codes = Int32Array.from({ length }, (_, i) => (batch.isNull(i) ? 0 : i));
  return new DictionaryBatch(batch, codes, { kind: "binary", length, offsets, data });
}

/** Whether the table has the column's strings as dictionary codes. */
export function isCoded(column: ArrowColumn, { dictionaries }: TableOptions): boolean {
  return dictionaries === "keep" && isText(column.type);
}
