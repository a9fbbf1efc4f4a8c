/**
 * Verifies a row set (docs/spec/diskrowset.md#10-consistency-checks): every file by itself, and that all files belong together.
 * Continues after a problem, so that one report lists everything.
 */
import type { BloomVerifyReport } from "@cfile/bloomfile";
import {
  type CFileError,
  corrupt,
  type FileProblem,
  problemOf as fileProblemOf,
  findingOf,
  MemoryArena,
  mismatch,
  type WorkOptions,
} from "@cfile/bytes";
import type { DeltaProblem, DeltaVerifyReport } from "@cfile/deltafile/read";
import { type CFileReader, openCFile, type ValidBlockVisitor } from "@cfile/format";
import type { ByteSource } from "@cfile/io";
import { chooseRowKernels } from "@cfile/kernels/rows";
import { type CheckedDelta, checkChains, countLiveRows } from "../delta/check-deltas.js";
import { changedKey } from "../delta/delta-merger.js";
import { missingCell } from "../read/base-column.js";
import {
  type DeltaPart,
  type RowSetFiles,
  type RowSetOptions,
  RowSetParts,
  wrongRowCount,
} from "../read/row-set-parts.js";
import type { RowSetSchema } from "../schema/schema.js";
import { KeyVerifier } from "./verify-keys.js";

/** A problem of a row set, with the file that has it. */
export interface RowSetProblem extends DeltaProblem {
  /** The role of the file: `column NAME`, `ad-hoc index`, `Bloom file`, `redo 0`, `undo 1`; `row set` for problems across files. */
  readonly role: string;
  readonly path?: string | undefined;
}

/** Known facts to check a row set against. `onProgress` is called before each file and counts files. */
export interface RowSetVerifyOptions
  extends Omit<RowSetOptions, "onDamage" | "trustStatistics">,
    Pick<WorkOptions, "onProgress"> {
  /** Expected number of live rows, from the superblock. */
  readonly liveRowCount?: number | undefined;
  /** Keys per filter of the Bloom file; if given, the number of filters is checked. */
  readonly bloomKeys?: number | undefined;
  /** Maximum number of problems listed; all are counted. Default 1000. */
  readonly maxProblems?: number | undefined;
  /** Memory shared by consecutive checks. Default: new memory. */
  readonly arena?: MemoryArena | undefined;
}

/** The result of a check. */
export interface RowSetVerifyReport {
  readonly ok: boolean;
  readonly problems: readonly RowSetProblem[];
  /** Number of problems, including those not listed. */
  readonly problemCount: number;
  /** Valid, but unusual: full Bloom filters. */
  readonly warnings: readonly RowSetProblem[];
  /** Number of files checked. */
  readonly files: number;
  /** Rows of the base data; 0 when the key cannot be read. */
  readonly rows: number;
  /** Rows of the latest snapshot; `undefined` when damage prevents counting. */
  readonly liveRows: number | undefined;
}

/**
 * Verifies the files of a row set. An open row set has `verify()`; this function also checks a row set whose damage prevents opening.
 *
 * @throws {CFileError} `E_IO`, `E_SOURCE_CHANGED`; `E_INVALID_ARGUMENT` for an invalid schema; damage is reported, not thrown
 */
export async function verifyRowSet(
  files: RowSetFiles,
  schema: RowSetSchema,
  options: RowSetVerifyOptions = {},
): Promise<RowSetVerifyReport> {
  return new RowSetVerifier(files, schema, options).run();
}

const DEFAULT_MAX_PROBLEMS = 1000;
const ROW_SET = "row set";
const ADHOC_INDEX = "ad-hoc index";
const BLOOM_FILE = "Bloom file";

function problemOf(role: string, error: CFileError): RowSetProblem {
  return { ...fileProblemOf(error), role, path: error.path };
}

/** What is known about a column before its check. */
interface CheckedColumn {
  /** Whether the schema lacks it. */
  readonly isDropped?: boolean | undefined;
  readonly opened?: CFileReader | undefined;
  readonly visitor?: ValidBlockVisitor | undefined;
}

class RowSetVerifier {
  private readonly parts: RowSetParts;
  private readonly options: RowSetVerifyOptions;
  private readonly arena: MemoryArena;
  /** All files and their roles. */
  private readonly roles: readonly (readonly [string, ByteSource])[];
  private readonly problems: RowSetProblem[] = [];
  private readonly warnings: RowSetProblem[] = [];
  private problemCount = 0;
  private files = 0;
  private rows: number | undefined;

  constructor(files: RowSetFiles, schema: RowSetSchema, options: RowSetVerifyOptions) {
    this.parts = new RowSetParts(files, schema, options);
    this.options = options;
    this.arena = options.arena ?? new MemoryArena();
    const { adhocIndex, bloom, columns, redo, undo } = files;
    this.roles = [
      ...[...columns].map(([id, source]) => [this.columnRole(id), source] as const),
      ...(adhocIndex ? [[ADHOC_INDEX, adhocIndex] as const] : []),
      ...(bloom ? [[BLOOM_FILE, bloom] as const] : []),
      ...redo.map((source, i) => [`redo ${i}`, source] as const),
      ...undo.map((source, i) => [`undo ${i}`, source] as const),
    ];
  }

  async run(): Promise<RowSetVerifyReport> {
    this.checkDuplicates();
    await this.checkBaseData();
    const liveRows = await this.checkDeltas();
    const { liveRowCount } = this.options;
    if (liveRowCount !== undefined && liveRows !== undefined && liveRows !== liveRowCount) {
      const details = { field: "live_row_count" };
      this.report(
        ROW_SET,
        mismatch("wrong live row count in the superblock", liveRows, liveRowCount, details),
      );
    }
    const { files, problemCount, problems, warnings, rows = 0 } = this;
    return { ok: problemCount === 0, problems, problemCount, warnings, files, rows, liveRows };
  }

  /** Checks the columns, the ad-hoc index and the Bloom file; the keys, if there is no other problem. */
  private async checkBaseData(): Promise<void> {
    const { arena, parts } = this;
    const { bloomKeys: expectedKeys, signal } = this.options;
    const [keyColumn] = parts.keyColumns;
    const isComposite = parts.keyColumns.length > 1;
    const keys = new KeyVerifier(parts, { arena, expectedKeys, signal });
    try {
      await this.attempt(isComposite ? ADHOC_INDEX : this.columnRole(keyColumn?.id ?? -1), async () => {
        const file = await parts.keyFile();
        this.rows = file.rowCount;
        await keys.open(file);
      });
      const bloomDamage = await this.checkFilters(keys);
      await this.checkColumns(isComposite ? undefined : keyColumn?.id, keys);
      if (isComposite && parts.files.adhocIndex !== undefined) {
        await this.checkFile(ADHOC_INDEX, parts.files.adhocIndex);
      }
      const areKeysReadable = this.problemCount === 0;
      if (areKeysReadable && isComposite) {
        await keys.readKeys();
      }
      for (const error of areKeysReadable ? keys.mistakes : []) {
        this.report(ROW_SET, error);
      }
      this.reportBloom(keys.bloomReport(areKeysReadable ? this.rows : undefined), bloomDamage);
    } finally {
      keys.close();
    }
  }

  private columnRole(id: number): string {
    const column = this.parts.schema.columns.find((candidate) => candidate.id === id);
    return column === undefined ? `column ${id}, which is not in the schema` : `column ${column.name}`;
  }

  /** A file cannot have two roles. */
  private checkDuplicates(): void {
    const seen = new Map<ByteSource, string>();
    for (const [role, source] of this.roles) {
      const other = seen.get(source);
      if (other !== undefined) {
        const details = { path: source.name, field: "block id" };
        this.report(role, corrupt(`the file is also the ${other}`, details));
      }
      seen.set(source, role);
    }
  }

  /** @param keys visits the blocks of column `keyId`, as long as there is no problem */
  private async checkColumns(keyId: number | undefined, keys: KeyVerifier): Promise<void> {
    const { columns } = this.parts.files;
    const opened = new Map<number, CFileReader>();
    for (const column of this.parts.schema.columns) {
      await this.attempt(this.columnRole(column.id), async () => {
        if (this.parts.hasColumn(column)) {
          opened.set(column.id, await this.parts.column(column));
        } else {
          missingCell(column);
        }
      });
    }
    for (const [id, source] of columns) {
      const isDropped = this.parts.schema.columns.every((column) => column.id !== id);
      const visitor = id === keyId && this.problemCount === 0 ? keys : undefined;
      await this.checkFile(this.columnRole(id), source, { isDropped, opened: opened.get(id), visitor });
    }
  }

  /** Checks a file by itself, and its row count. */
  private async checkFile(
    role: string,
    source: ByteSource,
    { isDropped, opened, visitor }: CheckedColumn = {},
  ): Promise<void> {
    this.beginFile();
    await this.attempt(role, async () => {
      const file = opened ?? (await openCFile(source, this.options));
      const rowKernels = chooseRowKernels(this.options.kernels);
      const { signal } = this.options;
      const { problems } = await file.verify({ signal, arena: this.arena, rowKernels, visitor });
      this.addAll(problems, role, source.name);
      // Opening a column of the schema checks its row count.
      if (isDropped === true && this.rows !== undefined && file.rowCount !== this.rows) {
        this.report(role, wrongRowCount(file, this.rows));
      }
    });
  }

  /** Checks the Bloom file by itself, and returns what prevents this. */
  private async checkFilters(keys: KeyVerifier): Promise<CFileError | undefined> {
    if (this.parts.files.bloom === undefined) {
      return corrupt("missing Bloom file", { field: "bloom_block" });
    }
    this.beginFile();
    return this.damageOf(() => keys.checkFilters());
  }

  private reportBloom(report: BloomVerifyReport | undefined, damage: CFileError | undefined): void {
    const role = BLOOM_FILE;
    const path = this.parts.files.bloom?.name;
    for (const problem of report?.problems ?? []) {
      this.add({ ...problem, role, path });
    }
    this.warnings.push(...(report?.warnings ?? []).map((warning) => ({ ...warning, role, path })));
    if (damage !== undefined) {
      this.report(role, damage);
    }
  }

  /** Returns the number of rows in the latest snapshot. */
  private async checkDeltas(): Promise<number | undefined> {
    const undo = await this.checkDeltaList("undo");
    const redo = await this.checkDeltaList("redo");
    const { rows } = this;
    if (rows === undefined || undo === undefined || redo === undefined) {
      return undefined;
    }
    const { signal } = this.options;
    let liveRows: number | undefined;
    // Damage has been reported with each file.
    await this.damageOf(async () => {
      for (const list of [undo, redo]) {
        const parts = list.map(({ part }) => part);
        await checkChains(list, rows, signal, (part, problem) => {
          this.add({ ...problem, role: `${part.kind} ${parts.indexOf(part)}`, path: part.reader.path });
        });
      }
      liveRows = await countLiveRows(redo, rows, signal);
    });
    return liveRows;
  }

  /** Returns the opened files; `undefined` when one cannot be opened. */
  private async checkDeltaList(kind: DeltaPart["kind"]): Promise<readonly CheckedDelta[] | undefined> {
    const sources = this.parts.files[kind];
    const checked: CheckedDelta[] = [];
    for (const [i, source] of sources.entries()) {
      const role = `${kind} ${i}`;
      this.beginFile();
      await this.attempt(role, async () => {
        const part = await this.parts.openDelta(kind, source);
        const previous = checked.at(-1);
        checked.push({ part, report: await this.checkDelta(role, part) });
        if (previous !== undefined) {
          this.checkListOrder(role, previous.part, part);
        }
      });
    }
    return checked.length === sources.length ? checked : undefined;
  }

  private async checkDelta(role: string, { kind, reader }: DeltaPart): Promise<DeltaVerifyReport> {
    const { arena, rows: rowCount } = this;
    const { columns } = this.parts.schema;
    const { path } = reader;
    const report = await reader.verify({ kind, rowCount, columns, arena, signal: this.options.signal });
    this.addAll(report.problems, role, path);
    this.problemCount += report.problemCount - report.problems.length;
    for (const column of this.parts.keyColumns) {
      if (reader.statistics.updateCounts.has(column.id)) {
        this.report(role, changedKey(column, { path }));
      }
    }
    return report;
  }

  /** UNDO files must be listed newest first, REDO files oldest first. */
  private checkListOrder(role: string, previous: DeltaPart, { kind, reader }: DeltaPart): void {
    const before = previous.reader.statistics.minTimestamp;
    const { minTimestamp } = reader.statistics;
    if (kind === "redo" ? minTimestamp < before : minTimestamp > before) {
      const expected = `at ${kind === "redo" ? "least" : "most"} ${before}`;
      const details = { path: reader.path, field: "min_timestamp" };
      this.report(role, mismatch("delta files in wrong order", expected, String(minTimestamp), details));
    }
  }

  /** Reports damage; other failures are thrown. */
  private async attempt(role: string, action: () => Promise<void>): Promise<void> {
    const damage = await this.damageOf(action);
    if (damage !== undefined) {
      this.report(role, damage);
    }
  }

  private async damageOf(action: () => Promise<void>): Promise<CFileError | undefined> {
    try {
      await action();
      return undefined;
    } catch (error) {
      return findingOf(error);
    }
  }

  private beginFile(): void {
    this.options.onProgress?.({ done: this.files, total: this.roles.length });
    this.files++;
  }

  private report(role: string, error: CFileError): void {
    this.add(problemOf(role, error));
  }

  private addAll(problems: readonly (FileProblem | DeltaProblem)[], role: string, path: string): void {
    for (const problem of problems) {
      this.add({ ...problem, role, path });
    }
  }

  private add(problem: RowSetProblem): void {
    this.problemCount++;
    if (this.problems.length < (this.options.maxProblems ?? DEFAULT_MAX_PROBLEMS)) {
      this.problems.push(problem);
    }
  }
}
