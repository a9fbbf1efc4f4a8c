/**
 * Verifies a row set (docs/spec/diskrowset.md#10-consistency-checks): every file by itself, and that all files belong together.
 * Continues after a problem, so that one report lists everything.
 */
import type { BloomVerifyReport } from "@cfile/bloomfile";
import { type CFileError, corrupt, MemoryArena, mismatch, type WorkOptions } from "@cfile/bytes";
import { type CFileReader, openCFile, type ValidBlockVisitor } from "@cfile/format";
import type { ByteSource } from "@cfile/io";
import { chooseRowKernels } from "@cfile/kernels/rows";
import { missingCell } from "../read/base-column.js";
import { type RowSetFiles, type RowSetOptions, RowSetParts, wrongRowCount } from "../read/row-set-parts.js";
import type { RowSetSchema } from "../schema/schema.js";
import { damageOf, type RowSetProblem, RowSetProblems } from "./row-set-problems.js";
import { DeltaVerifier } from "./verify-deltas.js";
import { KeyVerifier } from "./verify-keys.js";

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
  private readonly problems: RowSetProblems;
  private readonly warnings: RowSetProblem[] = [];
  private files = 0;
  private rows: number | undefined;

  constructor(files: RowSetFiles, schema: RowSetSchema, options: RowSetVerifyOptions) {
    this.parts = new RowSetParts(files, schema, options);
    this.options = options;
    this.problems = new RowSetProblems(options.maxProblems ?? DEFAULT_MAX_PROBLEMS);
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
    const { arena, parts, problems, rows } = this;
    const { liveRowCount, signal } = this.options;
    const beginFile = () => this.beginFile();
    const liveRows = await new DeltaVerifier(parts, problems, { arena, rows, signal, beginFile }).run();
    if (liveRowCount !== undefined && liveRows !== undefined && liveRows !== liveRowCount) {
      const details = { field: "live_row_count" };
      problems.addError(
        ROW_SET,
        mismatch("wrong live row count in the superblock", liveRows, liveRowCount, details),
      );
    }
    return {
      ok: problems.count === 0,
      problems: problems.listed,
      problemCount: problems.count,
      warnings: this.warnings,
      files: this.files,
      rows: rows ?? 0,
      liveRows,
    };
  }

  /** Checks the columns, the ad-hoc index and the Bloom file; the keys, if there is no other problem. */
  private async checkBaseData(): Promise<void> {
    const { arena, parts } = this;
    const { bloomKeys: expectedKeys, signal } = this.options;
    const [keyColumn] = parts.keyColumns;
    const isComposite = parts.keyColumns.length > 1;
    const keys = new KeyVerifier(parts, { arena, expectedKeys, signal });
    try {
      await this.problems.attempt(
        isComposite ? ADHOC_INDEX : this.columnRole(keyColumn?.id ?? -1),
        async () => {
          const file = await parts.keyFile();
          this.rows = file.rowCount;
          await keys.open(file);
        },
      );
      const bloomDamage = await this.checkFilters(keys);
      await this.checkColumns(isComposite ? undefined : keyColumn?.id, keys);
      if (isComposite && parts.files.adhocIndex !== undefined) {
        await this.checkFile(ADHOC_INDEX, parts.files.adhocIndex);
      }
      const areKeysReadable = this.problems.count === 0;
      if (areKeysReadable && isComposite) {
        await keys.readKeys();
      }
      for (const error of areKeysReadable ? keys.mistakes : []) {
        this.problems.addError(ROW_SET, error);
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
        this.problems.addError(role, corrupt(`the file is also the ${other}`, details));
      }
      seen.set(source, role);
    }
  }

  /** @param keys visits the blocks of column `keyId`, as long as there is no problem */
  private async checkColumns(keyId: number | undefined, keys: KeyVerifier): Promise<void> {
    const { columns } = this.parts.files;
    const opened = new Map<number, CFileReader>();
    for (const column of this.parts.schema.columns) {
      await this.problems.attempt(this.columnRole(column.id), async () => {
        if (this.parts.hasColumn(column)) {
          opened.set(column.id, await this.parts.column(column));
        } else {
          missingCell(column);
        }
      });
    }
    for (const [id, source] of columns) {
      const isDropped = this.parts.schema.columns.every((column) => column.id !== id);
      const visitor = id === keyId && this.problems.count === 0 ? keys : undefined;
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
    await this.problems.attempt(role, async () => {
      const file = opened ?? (await openCFile(source, this.options));
      const rowKernels = chooseRowKernels(this.options.kernels);
      const { signal } = this.options;
      const { problems } = await file.verify({ signal, arena: this.arena, rowKernels, visitor });
      this.problems.addAll(problems, role, source.name);
      // Opening a column of the schema checks its row count.
      if (isDropped === true && this.rows !== undefined && file.rowCount !== this.rows) {
        this.problems.addError(role, wrongRowCount(file, this.rows));
      }
    });
  }

  /** Checks the Bloom file by itself, and returns what prevents this. */
  private async checkFilters(keys: KeyVerifier): Promise<CFileError | undefined> {
    if (this.parts.files.bloom === undefined) {
      return corrupt("missing Bloom file", { field: "bloom_block" });
    }
    this.beginFile();
    return damageOf(() => keys.checkFilters());
  }

  private reportBloom(report: BloomVerifyReport | undefined, damage: CFileError | undefined): void {
    const role = BLOOM_FILE;
    const path = this.parts.files.bloom?.name;
    for (const problem of report?.problems ?? []) {
      this.problems.add({ ...problem, role, path });
    }
    this.warnings.push(...(report?.warnings ?? []).map((warning) => ({ ...warning, role, path })));
    if (damage !== undefined) {
      this.problems.addError(role, damage);
    }
  }

  private beginFile(): void {
    this.options.onProgress?.({ done: this.files, total: this.roles.length });
    this.files++;
  }
}
