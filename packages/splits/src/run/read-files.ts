/** The rows of a split of CFiles. */

import { corrupt, type MemoryArena } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import type { TableBatch } from "@cfile/encodings/batches";
import type { RowSetColumn } from "@cfile/rowset";
import { scanSlice } from "cfile/dataset";
import type { FilePiece, FileSplit } from "../lines/split.js";
import { type OpenLocation, openUnchanged } from "../plan/source-identity.js";

export interface ReadOptions {
  readonly open: OpenLocation;
  /** With it, batches are valid until the next, and one piece after the other is read into the same memory. */
  readonly arena?: MemoryArena | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a split asks of each of its pieces. */
export interface WantedRows extends Pick<FileSplit, "schema" | "columns" | "where"> {
  /** Names of all columns that are read: those that are wanted first. */
  readonly names: readonly string[];
}

export function wantedRows({
  schema,
  columns,
  where,
}: Pick<FileSplit, "schema" | "columns" | "where">): WantedRows {
  return { schema, columns, where, names: [...new Set([...columns, ...where.map(({ column }) => column)])] };
}

/**
 * @throws CFileError `E_SOURCE_CHANGED` when a file is another one than when the split was made; `E_CORRUPT` when it is not what the
 *   split says; as scanning does
 */
export async function* readPiece(
  piece: FilePiece,
  wanted: WantedRows,
  { open, arena, signal }: ReadOptions,
): AsyncGenerator<TableBatch, void, void> {
  const { columns, names, where } = wanted;
  const files = new Map(piece.files.map((file) => [file.path, file]));
  const { from, to } = piece.rows ?? { from: 0, to: Number.MAX_SAFE_INTEGER };
  const slice = {
    files: piece.files.map(({ path }) => path),
    columns: piece.files.map(({ column }) => column),
    rows: { from, to },
    firstRow: from,
    bytes: 0,
  };
  const scan = scanSlice(slice, {
    open: (path) => openUnchanged(files.get(path) ?? { path, size: 0 }, open, { signal }),
    columns: names,
    arena,
    where,
    signal,
  });
  let rows = 0;
  for await (const batch of scan) {
    checkColumns(batch.columns, names, wanted, piece);
    rows += batch.length;
    yield { ...batch, columns: batch.columns.slice(0, columns.length), names: columns };
  }
  if (where.length === 0 && piece.rows !== undefined && rows < to - from) {
    throw corrupt(`${rows} rows where the split has ${to - from}`, {
      path: piece.files[0]?.path,
      field: "rows",
      expected: to - from,
      actual: rows,
    });
  }
}

/** @throws CFileError `E_CORRUPT` for a column of another kind than the schema says */
function checkColumns(
  batches: readonly ColumnBatch[],
  names: readonly string[],
  { schema }: WantedRows,
  { files }: FilePiece,
): void {
  for (const [i, batch] of batches.entries()) {
    const column = schema.find(({ name }) => name === names[i]) as RowSetColumn;
    const isFit =
      batch.type === column.type &&
      (batch.kind === "array") === column.array &&
      (column.nullable || batch.nullCount === 0);
    if (!isFit) {
      throw corrupt(`the column is of ${batch.type}, the split says ${column.type}`, {
        path: files.find((file) => file.column === column.name)?.path,
        field: "data_type",
        expected: column.type,
        actual: batch.type,
      });
    }
  }
}
