/** Recovers the rows of a piece with damaged files: those that no requested column has lost. */
import { CFileError, isCFileError, isDamage } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import { sliceRows, type TableBatch } from "@cfile/encodings/batches";
import { TableFilter, unknownColumn } from "@cfile/encodings/conditions";
import type { RecoverableFile, RecoveryLedger } from "@cfile/format/recover";
import { scanDamagedCFile } from "@cfile/format/recover";
import type { ByteSource } from "@cfile/io";
import type { RowSetColumn } from "@cfile/rowset";
import type { FilePiece, RowRange } from "../lines/split.js";
import { columnNamed } from "../lines/split-columns.js";
import { openUnchanged } from "../plan/source-identity.js";
import { canReadAll } from "../plan/undamaged.js";
import { readPiece, type WantedRows } from "./read-files.js";
import type { RecoverOptions } from "./read-options.js";

/** Consecutive rows of a column; without a batch, they are lost. */
interface Stretch {
  readonly length: number;
  readonly batch: ColumnBatch | undefined;
}

/**
 * The valid rows of a piece. Undamaged pieces are read twice: first to check them, then for their rows.
 *
 * @throws {CFileError} as `readPiece`, except for damage
 */
export async function* recoverPiece(
  piece: FilePiece,
  wanted: WantedRows,
  options: RecoverOptions,
): AsyncGenerator<TableBatch, void, void> {
  if (await canReadAll(readPiece(piece, { ...wanted, where: [] }, options))) {
    yield* readPiece(piece, wanted, options);
    return;
  }
  const { open, signal, onRecovered, onLost } = options;
  const sources: ByteSource[] = [];
  try {
    const found: (RecoverableFile | undefined)[] = [];
    for (const name of wanted.names) {
      const file = piece.files.find(({ column }) => column === name);
      if (file === undefined) {
        throw unknownColumn(name, wanted.schema, "columns");
      }
      const source = await openUnchanged(file, open, { signal });
      sources.push(source);
      const { survey, problem } = await surveyed(source, columnNamed(wanted.schema, name), signal);
      if (survey === undefined || !survey.ledger.complete || hasProblem(survey.ledger)) {
        onRecovered({ kind: "file", path: file.path, column: name, ledger: survey?.ledger, problem });
      }
      found.push(survey);
    }
    const total = Math.max(0, ...found.map((survey) => (survey === undefined ? 0 : rowsOf(survey.ledger))));
    const { from, to } = piece.rows ?? { from: 0, to: total };
    const surveys = found.filter((survey) => survey !== undefined);
    let kept = 0;
    if (surveys.length === found.length) {
      const filter = new TableFilter(wanted.where, wanted.schema, wanted.names);
      for await (const rows of commonRows(surveys, wanted.names, total, { from, to })) {
        kept += rows.length;
        const chosen = filter.matching(rows);
        if (chosen !== undefined) {
          const columns = chosen.columns.slice(0, wanted.columns.length);
          yield { ...chosen, columns, names: wanted.columns };
        }
      }
    }
    // Without a footer, the number of rows after the last block is unknown.
    const isCounted =
      piece.rows !== undefined || surveys.some(({ ledger }) => ledger.rowsTotal !== undefined);
    onLost(Math.max(0, to - from - kept), isCounted);
  } finally {
    await Promise.all(sources.map((source) => source.close?.()));
  }
}

/** Recovers a file. Passes the split's column type only if the file does not state it, as `recoverCFile` callers do. */
async function surveyed(
  source: ByteSource,
  { type, nullable, array }: RowSetColumn,
  signal: AbortSignal | undefined,
): Promise<{ survey?: RecoverableFile; problem: CFileError | undefined }> {
  for (const given of [{}, { type }, { type, nullable, array }]) {
    try {
      const survey = await scanDamagedCFile(source, { ...given, signal });
      const { column } = survey.ledger;
      if (column.type === type && column.array === array && (nullable || !column.nullable)) {
        return { survey, problem: undefined };
      }
    } catch (error) {
      if (isDamage(error)) {
        return { problem: error };
      }
      if (!isCFileError(error, "E_INVALID_ARGUMENT")) {
        throw error;
      }
    }
  }
  const reason = `the recovered data is not a column of type ${type}`;
  return { problem: new CFileError("E_CORRUPT", reason, { path: source.name, field: "data_type" }) };
}

function hasProblem({ parts, blocks, shift }: RecoveryLedger): boolean {
  return (
    shift !== 0 ||
    parts.some(({ state }) => state !== "valid") ||
    blocks.some(({ state, movedFrom }) => state !== "kept" || movedFrom !== undefined)
  );
}

function rowsOf({ rowsTotal, rowsKept, rowsLost }: RecoveryLedger): number {
  return rowsTotal ?? rowsKept + rowsLost;
}

/** The rows in the range that no column has lost. */
async function* commonRows(
  surveys: readonly RecoverableFile[],
  names: readonly string[],
  total: number,
  { from, to }: RowRange,
): AsyncGenerator<TableBatch, void, void> {
  const columns = surveys.map((survey) => stretches(survey, total));
  let row = 0;
  let rest: (Stretch | undefined)[] = columns.map(() => undefined);
  while (row < to) {
    const now: Stretch[] = [];
    for (const [i, left] of rest.entries()) {
      const next = left ?? (await columns[i]?.next())?.value ?? undefined;
      if (next === undefined) {
        return;
      }
      now.push(next);
    }
    const length = Math.min(...now.map((stretch) => stretch.length));
    const first = Math.max(0, from - row);
    const end = Math.min(length, to - row);
    const batches = now.flatMap(({ batch }) => batch ?? []);
    if (first < end && batches.length === now.length) {
      const columns = batches.map((batch) => sliceRows(batch, first, end));
      yield { length: end - first, firstRow: row + first, columns, names };
    }
    rest = now.map((stretch) => remainder(stretch, length));
    row += length;
  }
}

/** The rows of a file up to `total`, with gaps for lost rows. */
async function* stretches(survey: RecoverableFile, total: number): AsyncGenerator<Stretch, void, void> {
  let row = 0;
  for await (const { entry, batch } of survey.entries()) {
    const length = batch?.length ?? Math.min(total - row, entry.rows ?? total - row);
    if (length > 0) {
      yield { length, batch };
      row += length;
    }
  }
  if (row < total) {
    yield { length: total - row, batch: undefined };
  }
}

function remainder({ length, batch }: Stretch, start: number): Stretch | undefined {
  return start < length
    ? { length: length - start, batch: batch && sliceRows(batch, start, length) }
    : undefined;
}
