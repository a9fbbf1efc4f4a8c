/**
 * Recovers the valid rows of a damaged row set. Each column is recovered block by block, like a single file. Fillers replace lost
 * rows, so that rows keep their numbers and delta entries still find them; the result omits these rows. Damage to a delta file can
 * be limited to some blocks: a range of rows that cannot be read is halved until single rows with unreadable delta entries remain.
 *
 * Because the key may be damaged, row numbers replace it as the key of the schema.
 */
import { type CFileError, findingOf, isDamage } from "@cfile/bytes";
import type { TableBatch } from "@cfile/encodings/batches";
import type { RecoveryLedger } from "@cfile/format/recover";
import type { ByteSource } from "@cfile/io";
import type { RowScanOptions, RowSetFiles, RowSetOptions, RowSetSchema } from "@cfile/rowset";
import { openRowSet, type RowSetReader } from "@cfile/rowset";
import { LostRows, type RowRange } from "./lost-rows.js";

/** The state of a required file. */
export interface FileAccount {
  /** `column NAME`, `redo 0` or `undo 0`. */
  readonly role: string;
  readonly path: string;
  /** `lost`: the whole file is unusable. */
  readonly state: "valid" | "damaged" | "lost";
  readonly rowsLost: number;
  /** The blocks of a column. */
  readonly ledger: RecoveryLedger | undefined;
  readonly problem: CFileError | undefined;
}

/** Which rows of a row set are lost, and why. */
export interface RowSetAccount {
  readonly rowSet: bigint;
  /** Rows of the base data, including deleted ones; 0 if unknown. */
  readonly rows: number;
  readonly rowsKept: number;
  readonly rowsLost: number;
  /** Ranges of lost row numbers. */
  readonly lost: readonly RowRange[];
  readonly files: readonly FileAccount[];
}

interface Recovered {
  /** The requested columns. */
  readonly names: readonly string[];
  readonly reader: RowSetReader | undefined;
  readonly files: FileAccount[];
  readonly lost: LostRows;
  readonly keys: RecoveredKeys | undefined;
  /** Whether the number of rows is certain. */
  readonly isCounted: boolean;
}

/** The key columns of all rows, including deleted ones. */
interface RecoveredKeys {
  readonly reader: RowSetReader;
  readonly names: readonly string[];
  /** Rows whose key is lost. */
  readonly lost: LostRows;
}

const STEP = 16384;

/** The valid rows of a damaged row set. */
export class RecoveredRowSet {
  private readonly id: bigint;
  private readonly parts: Recovered;

  private constructor(id: bigint, parts: Recovered) {
    this.id = id;
    this.parts = parts;
  }

  /**
   * Recovers the columns, and opens the delta files.
   *
   * @param names names of the requested columns
   * @throws {CFileError} `E_IO`, `E_SOURCE_CHANGED` if a source fails
   */
  static async open(
    id: bigint,
    files: RowSetFiles,
    schema: RowSetSchema,
    names: readonly string[],
    options: RowSetOptions,
  ): Promise<RecoveredRowSet> {
    const [{ scanDamagedCFile }, { filledColumn, rowNumbers }] = await Promise.all([
      import("@cfile/format/recover"),
      import("./rebuilt-columns.js"),
    ]);
    const accounts: FileAccount[] = [];
    const wanted = schema.columns.filter(
      ({ id: column, name }) => names.includes(name) && files.columns.has(column),
    );
    const keyNames = schema.columns.filter(({ isKey }) => isKey).map(({ name }) => name);
    const found = new Map<number, Awaited<ReturnType<typeof scanDamagedCFile>>>();
    let rows = 0;
    let isCounted = false;
    for (const column of wanted) {
      const source = files.columns.get(column.id) as ByteSource;
      const role = `column ${column.name}`;
      try {
        const { type, nullable, array } = column;
        const survey = await scanDamagedCFile(source, { ...options, type, nullable, array });
        const { ledger } = survey;
        const { rowsLost } = ledger;
        found.set(column.id, survey);
        rows = Math.max(rows, ledger.rowsTotal ?? ledger.rowsKept + rowsLost);
        isCounted ||= ledger.rowsTotal !== undefined;
        const state = isValid(ledger) ? "valid" : "damaged";
        accounts.push({ ...accountOf(role, source, state), rowsLost, ledger });
      } catch (error) {
        accounts.push(accountOf(role, source, "lost", findingOf(error)));
      }
    }
    await openDeltaFiles(files, options, accounts);
    const lost = new LostRows(rows);
    const lostKeys = new LostRows(rows);
    const columns = new Map(files.columns);
    for (const column of wanted) {
      const survey = found.get(column.id);
      if (survey !== undefined && !isValid(survey.ledger)) {
        const own = new LostRows(rows);
        columns.set(column.id, await filledColumn(survey, column, own));
        lost.addAll(own);
        if (column.isKey) {
          lostKeys.addAll(own);
        }
      }
    }
    const numbers = await rowNumbers(schema, rows);
    columns.set(numbers.column.id, numbers.source);
    const keyed = [numbers.column, ...schema.columns.map((column) => ({ ...column, isKey: false }))];
    const openKeyed = ({ redo, undo }: Pick<RowSetFiles, "redo" | "undo">): Promise<RowSetReader> =>
      openRowSet({ columns, redo, undo }, { columns: keyed }, options);
    const hasKeys = wanted.filter(({ isKey, id }) => isKey && found.has(id)).length === keyNames.length;
    const keys =
      hasKeys && rows > 0
        ? { reader: await openKeyed({ redo: [], undo: [] }), names: keyNames, lost: lostKeys }
        : undefined;
    const isUnusable = accounts.some(({ state }) => state === "lost");
    if (isUnusable) {
      lost.add(0, rows);
    }
    const reader = rows === 0 || isUnusable ? undefined : await openKeyed(files);
    return new RecoveredRowSet(id, { names, reader, files: accounts, lost, keys, isCounted });
  }

  /** Complete after a full scan, which reads the delta files. */
  get account(): RowSetAccount {
    const { files, lost } = this.parts;
    const { rows, count, ranges } = lost;
    return { rowSet: this.id, rows, rowsKept: rows - count, rowsLost: count, lost: ranges, files };
  }

  /** The keys of all rows; `undefined` if a key column is unusable. */
  get keys(): RecoveredKeys | undefined {
    return this.parts.keys;
  }

  /** Whether the number of rows is certain. If not, more rows may follow the last one. */
  get isCounted(): boolean {
    return this.parts.isCounted;
  }

  /** Whether a part of the row at this index cannot be read. */
  isLost(row: number): boolean {
    return this.parts.lost.has(row);
  }

  /** Counts all rows as lost. */
  loseAll(): void {
    this.parts.lost.add(0, this.parts.lost.rows);
  }

  /**
   * The valid rows in the order of their numbers: all, or those in `options.rows`.
   *
   * @param options `columns`: some of those that were requested from {@link open}; default: all of these
   */
  async *scan({ rows, ...scanned }: RowScanOptions = {}): AsyncGenerator<TableBatch, void, void> {
    const { reader, lost, names } = this.parts;
    const options = { ...scanned, columns: scanned.columns ?? names };
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
          this.countUnreadable(error);
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

  /** Columns were checked before, so the error is in a delta file. */
  private countUnreadable(error: CFileError): void {
    const { files } = this.parts;
    const name = error.path ?? "";
    const at = files.findIndex(({ path }) => path === name);
    const known = files[at] ?? accountOf("changes", { name }, "damaged");
    const { rowsLost, problem = error } = known;
    files.splice(at < 0 ? files.length : at, 1, {
      ...known,
      state: "damaged",
      rowsLost: rowsLost + 1,
      problem,
    });
  }
}

/** Adds an account for each delta file. */
async function openDeltaFiles(
  { redo, undo }: RowSetFiles,
  options: RowSetOptions,
  accounts: FileAccount[],
): Promise<void> {
  const { openDeltaFile } = await import("@cfile/deltafile/read");
  for (const [kind, sources] of Object.entries({ redo, undo })) {
    for (const [i, source] of sources.entries()) {
      const role = `${kind} ${i}`;
      try {
        await openDeltaFile(source, options);
        accounts.push(accountOf(role, source, "valid"));
      } catch (error) {
        accounts.push(accountOf(role, source, "lost", findingOf(error)));
      }
    }
  }
}

/** Whether a column is undamaged, apart from parts that its rows do not require. */
function isValid({ complete, rowsLost, shift, parts, blocks }: RecoveryLedger): boolean {
  return (
    complete &&
    rowsLost === 0 &&
    shift === 0 &&
    parts.every(({ state }) => state === "valid") &&
    blocks.every(({ state, movedFrom }) => state === "kept" && movedFrom === undefined)
  );
}

function accountOf(
  role: string,
  { name: path }: Pick<ByteSource, "name">,
  state: FileAccount["state"],
  problem?: CFileError,
): FileAccount {
  return { role, path, state, rowsLost: 0, ledger: undefined, problem };
}
