/** Reads the rows of splits of CFiles. */
import { corrupt } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import type { TableBatch } from "@cfile/encodings/batches";
import { scanSlice } from "cfile/dataset";
import type { FilePiece, FileSplit } from "../lines/split.js";
import { columnNamed } from "../lines/split-columns.js";
import { openUnchanged } from "../plan/source-identity.js";
import type { ReadOptions } from "./read-options.js";

/** The columns and rows to read from each piece of a split. */
export interface WantedRows extends Pick<FileSplit, "schema" | "columns" | "where"> {
  /** Names of all columns to read, requested ones first. */
  readonly names: readonly string[];
}

export function wantedRows({ schema, columns, where }: FileSplit): WantedRows {
  return { schema, columns, where, names: [...new Set([...columns, ...where.map(({ column }) => column)])] };
}

/**
 * @throws {CFileError} `E_SOURCE_CHANGED` if a file has changed since the split was planned; `E_CORRUPT` if it does not match the
 *   split; as scans
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
    const details = { path: piece.files[0]?.path, field: "rows", expected: to - from, actual: rows };
    throw corrupt("row count differs from the split", details);
  }
}

/** @throws {CFileError} `E_CORRUPT` for a column that does not match the schema */
function checkColumns(
  batches: readonly ColumnBatch[],
  names: readonly string[],
  { schema }: WantedRows,
  { files }: FilePiece,
): void {
  for (const [i, batch] of batches.entries()) {
    const column = columnNamed(schema, names[i]);
    const isFit =
      batch.type === column.type &&
      (batch.kind === "array") === column.array &&
      (column.nullable || batch.nullCount === 0);
    if (!isFit) {
      const path = files.find((file) => file.column === column.name)?.path;
      const details = { path, field: "data_type", expected: column.type, actual: batch.type };
      throw corrupt(`column ${JSON.stringify(column.name)} does not match the split`, details);
    }
  }
}
