/**
 * The rows of a damaged row set that can be trusted. What is left of each column is found block by block, as for single files; lost
 * stretches are filled, so that rows keep their numbers and changes still find them, and those rows are left out. A change file is
 * damaged in some of its blocks only: rows are tried in ranges that are halved until only those are left out whose changes cannot be
 * read.
 *
 * The key may be among what is damaged: rows are found by their numbers instead, which take the key's place in the schema.
 */
import { type CFileError, findingOf, isDamage } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import type { RecoveryLedger } from "@cfile/format/recover";
import type { ByteSource } from "@cfile/io";
import type { RowScanOptions, RowSetColumn, RowSetFiles, RowSetOptions, RowSetSchema } from "@cfile/rowset";
import { openRowSet, type RowSetReader } from "@cfile/rowset";
import { LostRows, type RowRange } from "./lost-rows.js";

/** What is left of a file that the rows need. */
export interface FileAccount {
  /** `column NAME`, `redo 0` or `undo 0`. */
  readonly role: string;
  readonly path: string;
  /** `lost`: nothing of it can be used. */
  readonly state: "valid" | "damaged" | "lost";
  readonly rowsLost: number;
  /** Block by block, of columns. */
  readonly ledger: RecoveryLedger | undefined;
  readonly problem: CFileError | undefined;
}

/** The exact account of a row set: which of its rows are lost, and why. */
export interface RowSetAccount {
  readonly rowSet: bigint;
  /** Rows of the base data, deleted ones included; 0 when nobody can tell. */
  readonly rows: number;
  readonly rowsKept: number;
  readonly rowsLost: number;
  /** Numbers of the rows lost. */
  readonly lost: readonly RowRange[];
  readonly files: readonly FileAccount[];
}

interface Recovered {
  readonly reader: RowSetReader | undefined;
  readonly files: FileAccount[];
  readonly lost: LostRows;
}

const STEP = 16384;

/** What can be read of a damaged row set. */
export class RecoveredRowSet {
  private readonly id: bigint;
  private readonly parts: Recovered;

  private constructor(id: bigint, parts: Recovered) {
    this.id = id;
    this.parts = parts;
  }

  /**
   * Looks through the files.
   *
   * @param names of the columns wanted
   * @throws CFileError `E_IO`, `E_SOURCE_CHANGED` when a source fails
   */
  static async open(
    id: bigint,
    files: RowSetFiles,
    schema: RowSetSchema,
    names: readonly string[],
    options: RowSetOptions,
  ): Promise<RecoveredRowSet> {
    const [{ scanDamagedCFile }, { filledColumn }, { rowNumbers }] = await Promise.all([
      import("@cfile/format/recover"),
      import("./filled-column.js"),
      import("./row-numbers.js"),
    ]);
    const accounts: FileAccount[] = [];
    const wanted = schema.columns.filter(
      ({ id: column, name }) => names.includes(name) && files.columns.has(column),
    );
    const found = new Map<number, Awaited<ReturnType<typeof scanDamagedCFile>>>();
    let rows: number | undefined;
    for (const column of wanted) {
      const source = files.columns.get(column.id) as ByteSource;
      const role = `column ${column.name}`;
      try {
        const { type, nullable, array } = column;
        const survey = await scanDamagedCFile(source, { ...options, type, nullable, array });
        const { ledger } = survey;
        found.set(column.id, survey);
        rows = Math.max(rows ?? 0, ledger.rowsTotal ?? ledger.rowsKept + ledger.rowsLost);
        const state = isSound(ledger) ? "valid" : "damaged";
        accounts.push({
          role,
          path: source.name,
          state,
          rowsLost: ledger.rowsLost,
          ledger,
          problem: undefined,
        });
      } catch (error) {
        accounts.push({ ...lostFile(role, source, error), rowsLost: 0 });
      }
    }
    const isWhole = await changesOpen(files, options, accounts);
    const lost = new LostRows(rows ?? 0);
    if (!isWhole || accounts.some(({ state }) => state === "lost")) {
      lost.add(0, rows ?? 0);
      return new RecoveredRowSet(id, { reader: undefined, files: accounts, lost });
    }
    const columns = new Map(files.columns);
    for (const column of wanted) {
      const survey = found.get(column.id);
      if (survey !== undefined && !isSound(survey.ledger)) {
        columns.set(column.id, await filledColumn(survey, column, rows ?? 0, lost));
      }
    }
    const numbers = await rowNumbers(schema, rows ?? 0);
    const reader =
      (rows ?? 0) === 0
        ? undefined
        : await openRowSet(
            { columns: columns.set(numbers.column.id, numbers.source), redo: files.redo, undo: files.undo },
            { columns: [numbers.column, ...schema.columns.map(withoutKey)] },
            options,
          );
    return new RecoveredRowSet(id, { reader, files: accounts, lost });
  }

  /** Complete when all rows were scanned: changes are only read then. */
  get account(): RowSetAccount {
    const { files, lost } = this.parts;
    const { rows, count, ranges } = lost;
    return { rowSet: this.id, rows, rowsKept: rows - count, rowsLost: count, lost: ranges, files };
  }

  /** The rows that are left, in the order of their numbers: all, or those of `options.rows`. */
  async *scan({ rows, ...options }: RowScanOptions): AsyncGenerator<TableBatch, void, void> {
    const { reader, lost } = this.parts;
    if (reader === undefined) {
      return;
    }
    const end = Math.min(lost.rows, rows?.to ?? lost.rows);
    for (let row = rows?.from ?? 0; row < end; row += STEP) {
      yield* this.range(reader, options, row, Math.min(end, row + STEP));
    }
  }

  private async *range(
    reader: RowSetReader,
    options: RowScanOptions,
    from: number,
    to: number,
  ): AsyncGenerator<TableBatch, void, void> {
    const { lost } = this.parts;
    const batches: TableBatch[] = [];
    try {
      const keys = { from: [BigInt(from)], to: [BigInt(to)] };
      for await (const batch of reader.scan({ ...options, keys, limit: undefined, arena: undefined })) {
        batches.push(batch);
      }
    } catch (error) {
      if (!isDamage(error)) {
        throw error;
      }
      if (to - from === 1) {
        if (!lost.has(from)) {
          lost.add(from, to);
          this.noteChanges(error);
        }
        return;
      }
      const middle = (from + to) >> 1;
      yield* this.range(reader, options, from, middle);
      yield* this.range(reader, options, middle, to);
      return;
    }
    for (const batch of batches) {
      const left = lost.without(batch);
      if (left !== undefined) {
        yield left;
      }
    }
  }

  /** Columns were looked through before: what fails now are changes. */
  private noteChanges(error: CFileError): void {
    const { files } = this.parts;
    const path = error.path ?? "";
    const at = files.findIndex((file) => file.path === path);
    const known = files[at];
    if (known === undefined) {
      files.push({ role: "changes", path, state: "damaged", rowsLost: 1, ledger: undefined, problem: error });
    } else {
      files[at] = {
        ...known,
        state: "damaged",
        rowsLost: known.rowsLost + 1,
        problem: known.problem ?? error,
      };
    }
  }
}

/** @returns whether all change files can be opened */
async function changesOpen(
  { redo, undo }: RowSetFiles,
  options: RowSetOptions,
  accounts: FileAccount[],
): Promise<boolean> {
  let isWhole = true;
  const named = [
    ...redo.map((source, i) => ({ source, role: `redo ${i}` })),
    ...undo.map((source, i) => ({ source, role: `undo ${i}` })),
  ];
  for (const { source, role } of named) {
    try {
      const { openDeltaFile } = await import("@cfile/deltafile/read");
      await openDeltaFile(source, options);
      accounts.push({
        role,
        path: source.name,
        state: "valid",
        rowsLost: 0,
        ledger: undefined,
        problem: undefined,
      });
    } catch (error) {
      accounts.push(lostFile(role, source, error));
      isWhole = false;
    }
  }
  return isWhole;
}

/** Whether a file is as it should be, but for what the rows do not need. */
function isSound({ complete, rowsLost, shift, parts, blocks }: RecoveryLedger): boolean {
  return (
    complete &&
    rowsLost === 0 &&
    shift === 0 &&
    parts.every(({ state }) => state === "valid") &&
    blocks.every(({ state, movedFrom }) => state === "kept" && movedFrom === undefined)
  );
}

function lostFile(role: string, { name: path }: ByteSource, error: unknown): FileAccount {
  return { role, path, state: "lost", rowsLost: 0, ledger: undefined, problem: findingOf(error) };
}

function withoutKey(column: RowSetColumn): RowSetColumn {
  return { ...column, isKey: false };
}
