/** Rows of a text table in batches of columns. */
import { CFileError, isCFileError } from "@cfile/bytes";
import { batchFromValues, type TableBatch } from "@cfile/encodings/batches";
import type { InputCell } from "cfile";
import { UsageError } from "../program/exit-code.js";
import { cellMaker } from "../records/raw-cell.js";
import type { ColumnSpec } from "./schema.js";
import type { Table, TableFormat } from "./table-rows.js";

/** A batch ends after this many rows or characters. */
const BATCH_ROWS = 4096;
const BATCH_CHARACTERS = 1 << 24;

export interface TextSource {
  /** For messages. */
  readonly path: string;
  readonly format: TableFormat;
}

/**
 * @param specs columns in the order of the batches
 * @throws UsageError for a column that is not in the header
 * @throws {CFileError} `E_INVALID_ARGUMENT` naming column and row of a value that does not fit
 */
export async function* textBatches(
  table: Table,
  specs: readonly ColumnSpec[],
  { path, format }: TextSource,
  signal: AbortSignal | undefined,
): AsyncGenerator<TableBatch, void, void> {
  const makers = specs.map((spec) => cellMaker(spec, format, path));
  const names = specs.map(({ name }) => name);
  let cells = specs.map((): InputCell[] => []);
  let firstRow = 0;
  let length = 0;
  let characters = 0;
  const takeBatch = (): TableBatch => {
    const columns = specs.map((spec, i) => {
      try {
        return batchFromValues(spec, cells[i] ?? [], firstRow);
      } catch (error) {
        throw columnError(error, spec.name, path);
      }
    });
    const batch = { length, firstRow, names, columns };
    cells = specs.map(() => []);
    firstRow += length;
    length = 0;
    characters = 0;
    return batch;
  };
  for await (const rows of table.rows) {
    signal?.throwIfAborted();
    // Later rows of NDJSON may have more columns.
    const positions = columnPositions(table, specs, { path, format });
    for (const raw of rows) {
      for (let i = 0; i < makers.length; i++) {
        const cell = raw[positions[i] ?? -1];
        characters += typeof cell === "string" ? cell.length : 1;
        cells[i]?.push(makers[i]?.(cell, firstRow + length));
      }
      if (++length >= BATCH_ROWS || characters >= BATCH_CHARACTERS) {
        yield takeBatch();
      }
    }
  }
  columnPositions(table, specs, { path, format });
  if (length > 0) {
    yield takeBatch();
  }
}

/** The position of each column in the rows; -1 for one that no row has had yet. */
function columnPositions(
  { names }: Table,
  specs: readonly ColumnSpec[],
  { path, format }: TextSource,
): number[] {
  return specs.map(({ name }) => {
    const position = names.indexOf(name);
    if (position < 0 && format.kind === "csv") {
      throw new UsageError(`--schema: no column "${name}" in ${path}; columns: ${names.join(", ")}`);
    }
    return position;
  });
}

/** The error, with the name of the column and the path of the input if it is about values. */
export function columnError(error: unknown, name: string, path: string): unknown {
  return isCFileError(error, "E_INVALID_ARGUMENT") || isCFileError(error, "E_UNSUPPORTED")
    ? new CFileError(error.code, `column "${name}": ${error.reason}`, { path, cause: error })
    : error;
}
