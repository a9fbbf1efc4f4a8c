/**
 * Checking a row set as a whole (docs/spec/diskrowset.md#10-consistency-checks): every file by itself, and that all of them
 * belong together. Goes on after a problem, so that one report names everything that is wrong.
 */
import { type CFileError, corrupt, findingOf, MemoryArena, type WorkOptions } from "@cfile/bytes";
import type { DeltaVerifyReport } from "@cfile/deltafile/read";
import { type CFileReader, openCFile } from "@cfile/format";
import type { ByteSource } from "@cfile/io";
import { chooseRowKernels } from "@cfile/kernels/rows";
import { ChainCheck } from "../delta/chain-check.js";
import { type CheckedDelta, countLiveRows, mayContradict } from "../delta/checked-delta.js";
import { bloomKeys, type CheckedRowKeys, checkedKeys } from "../keys/key-check.js";
import { KeyIndex } from "../keys/key-index.js";
import type { RowSetFiles } from "../read/row-set-files.js";
import { type DeltaPart, type RowSetOptions, RowSetParts } from "../read/row-set-parts.js";
import type { RowSetSchema } from "../schema/schema.js";
import { problemOf, type RowSetProblem } from "./row-set-problem.js";

/** What a row set is checked against. */
/** `onProgress` is called before each file, and counts these. */
export interface RowSetVerifyOptions
  extends Omit<RowSetOptions, "onDamage" | "trustStatistics">,
    Pick<WorkOptions, "onProgress"> {
  /** Rows that are there in the latest state, from the superblock, where it counts them. */
  readonly liveRowCount?: number | undefined;
  /** Keys that a filter of the Bloom file takes; with it, the number of filters is checked. */
  readonly bloomKeys?: number | undefined;
  /** Problems listed at most; all are counted. Default 1000. */
  readonly maxProblems?: number | undefined;
  /** For checks of many row sets one after the other. Default: new memory. */
  readonly arena?: MemoryArena | undefined;
}

/** What is wrong with a row set, and what was counted in it. */
export interface RowSetVerifyReport {
  readonly ok: boolean;
  readonly problems: readonly RowSetProblem[];
  /** Problems met, those not listed included. */
  readonly problemCount: number;
  /** What is not wrong, but should not be: Bloom filters that are full. */
  readonly warnings: readonly RowSetProblem[];
  /** Files looked at. */
  readonly files: number;
  /** Rows of the base data; 0 when the key cannot be read. */
  readonly rows: number;
  /** Rows that are there in the latest state; `undefined` when damage makes that impossible to say. */
  readonly liveRows: number | undefined;
}

/**
 * Checks all files of a row set; throws only when a source fails or the schema is none.
 *
 * @throws CFileError `E_IO`, `E_SOURCE_CHANGED`; `E_INVALID_ARGUMENT`
 */
export async function verifyRowSet(
  files: RowSetFiles,
  schema: RowSetSchema,
  options: RowSetVerifyOptions = {},
): Promise<RowSetVerifyReport> {
  return new RowSetVerifier(files, schema, options).run();
}

const DEFAULT_MAX_PROBLEMS = 1000;

class RowSetVerifier {
  private readonly parts: RowSetParts;
  private readonly options: RowSetVerifyOptions;
  /** All files are checked in the same. */
  private readonly arena: MemoryArena;
  private readonly problems: RowSetProblem[] = [];
  private readonly warnings: RowSetProblem[] = [];
  private problemCount = 0;
  private files = 0;
  private rows: number | undefined;

  constructor(files: RowSetFiles, schema: RowSetSchema, options: RowSetVerifyOptions) {
    this.parts = new RowSetParts(files, schema, options);
    this.options = options;
    this.arena = options.arena ?? new MemoryArena();
  }

  async run(): Promise<RowSetVerifyReport> {
    this.checkDuplicates();
    const keyRole = this.parts.keyColumns.length > 1 ? "ad-hoc index" : this.columnRole(this.keyId);
    await this.attempt(keyRole, async () => {
      const file = await this.parts.keyFile();
      this.rows = file.rowCount;
      await KeyIndex.open(file, this.options);
    });
    await this.checkColumns();
    const { adhocIndex } = this.parts.files;
    if (this.parts.keyColumns.length > 1 && adhocIndex !== undefined) {
      await this.checkFile("ad-hoc index", adhocIndex);
    }
    await this.checkKeysAndBloom();
    const liveRows = await this.checkDeltas();
    this.checkLiveRows(liveRows);
    const { files, problemCount, problems, warnings } = this;
    return {
      ok: problemCount === 0,
      problems,
      problemCount,
      warnings,
      files,
      rows: this.rows ?? 0,
      liveRows,
    };
  }

  private get keyId(): number {
    return this.parts.keyColumns[0]?.id ?? -1;
  }

  private columnRole(id: number): string {
    const column = this.parts.schema.columns.find((candidate) => candidate.id === id);
    return column === undefined ? `column ${id}, which is not in the schema` : `column ${column.name}`;
  }

  /** One file cannot have two roles. */
  private checkDuplicates(): void {
    const { adhocIndex, bloom, columns, redo, undo } = this.parts.files;
    const roles = new Map<ByteSource, string>();
    const add = (role: string, source: ByteSource | undefined): void => {
      if (source === undefined) {
        return;
      }
      const other = roles.get(source);
      if (other !== undefined) {
        this.report(role, corrupt(`the file is also the ${other}`, { path: source.name, field: "block id" }));
      }
      roles.set(source, role);
    };
    for (const [id, source] of columns) {
      add(this.columnRole(id), source);
    }
    add("ad-hoc index", adhocIndex);
    add("Bloom file", bloom);
    redo.forEach((source, i) => {
      add(`redo ${i}`, source);
    });
    undo.forEach((source, i) => {
      add(`undo ${i}`, source);
    });
  }

  private async checkColumns(): Promise<void> {
    const { columns } = this.parts.files;
    const opened = new Map<number, CFileReader>();
    for (const column of this.parts.schema.columns) {
      const role = this.columnRole(column.id);
      await this.attempt(role, async () => {
        if (column.isKey || columns.has(column.id)) {
          opened.set(column.id, await this.parts.column(column));
        } else if (!column.nullable && column.readDefault === undefined) {
          throw corrupt("no base data of a column that has no default and is not nullable", {
            field: `column ${column.id}`,
          });
        }
      });
    }
    for (const [id, source] of columns) {
      const isDropped = this.parts.schema.columns.every((column) => column.id !== id);
      await this.checkFile(this.columnRole(id), source, isDropped, opened.get(id));
    }
  }

  /** The file by itself, and its rows. */
  private async checkFile(
    role: string,
    source: ByteSource,
    isDropped = false,
    opened?: CFileReader,
  ): Promise<void> {
    this.beginFile();
    await this.attempt(role, async () => {
      const file = opened ?? (await openCFile(source, this.options));
      const rowKernels = chooseRowKernels(this.options.kernels);
      const { problems } = await file.verify({
        signal: this.options.signal,
        arena: this.arena,
        rowKernels,
      });
      for (const problem of problems) {
        this.add({ ...problem, role, path: source.name });
      }
      // Of columns in the schema, the row count is checked with their shape.
      if (isDropped && this.rows !== undefined && file.rowCount !== this.rows) {
        this.report(
          role,
          corrupt(`${file.rowCount} rows, the key has ${this.rows}`, {
            path: source.name,
            field: "num_values",
            expected: this.rows,
            actual: file.rowCount,
          }),
        );
      }
    });
  }

  /** One way through the keys: whether they are in order, and whether the Bloom file knows them. */
  private async checkKeysAndBloom(): Promise<void> {
    const mistakes: CFileError[] = [];
    const keys = this.problemCount === 0 ? this.checkedKeys(mistakes) : undefined;
    let bloomProblems: readonly RowSetProblem[];
    try {
      bloomProblems = await this.checkBloom(keys);
      // Without a Bloom file, and behind damage of it, nobody has asked for all of them.
      while (keys !== undefined && (await keys.next()).done !== true) {
        // Going through the keys checks them.
      }
    } finally {
      await keys?.return();
    }
    for (const error of mistakes) {
      this.report("row set", error);
    }
    for (const problem of bloomProblems) {
      this.add(problem);
    }
  }

  /** Ends where a key column is damaged, which is a mistake of the row set. */
  private async *checkedKeys(mistakes: CFileError[]): AsyncGenerator<CheckedRowKeys, void, void> {
    try {
      yield* checkedKeys(this.parts, this.options, this.arena.part("keys"), (error) => mistakes.push(error));
    } catch (error) {
      mistakes.push(findingOf(error));
    }
  }

  private async checkBloom(keys: AsyncIterator<CheckedRowKeys> | undefined): Promise<RowSetProblem[]> {
    const role = "Bloom file";
    const { bloom: source } = this.parts.files;
    if (source === undefined) {
      return [problemOf(role, corrupt("the row set has no Bloom file", { field: "bloom_block" }))];
    }
    this.beginFile();
    const found: RowSetProblem[] = [];
    const damage = await this.attemptQuietly(async () => {
      const bloom = await this.parts.bloom();
      const { bloomKeys: expectedKeys, signal } = this.options;
      const rows = keys && this.rows;
      const { arena } = this;
      const report = await bloom?.verify({
        keys: keys && bloomKeys(keys),
        rows,
        expectedKeys,
        arena,
        signal,
      });
      for (const problem of report?.problems ?? []) {
        found.push({ ...problem, role, path: source.name });
      }
      for (const warning of report?.warnings ?? []) {
        this.warnings.push({ ...warning, role, path: source.name });
      }
    });
    return damage === undefined ? found : [...found, problemOf(role, damage)];
  }

  /** The number of rows that are there in the latest state. */
  private async checkDeltas(): Promise<number | undefined> {
    const { redo, undo } = this.parts.files;
    const undoParts = await this.checkDeltaList("undo", undo);
    const redoParts = await this.checkDeltaList("redo", redo);
    const { rows } = this;
    if (rows === undefined || undoParts === undefined || redoParts === undefined) {
      return undefined;
    }
    const { signal } = this.options;
    let liveRows: number | undefined;
    // Damage is among the problems already.
    await this.attemptQuietly(async () => {
      for (const checked of [undoParts, redoParts]) {
        if (mayContradict(checked)) {
          const parts = checked.map(({ part }) => part);
          await new ChainCheck(parts, rows, signal).run((part, problem) => {
            this.add({ ...problem, role: `${part.kind} ${parts.indexOf(part)}`, path: part.reader.path });
          });
        }
      }
      liveRows = await countLiveRows(redoParts, rows, signal);
    });
    return liveRows;
  }

  /** The opened files; `undefined` when one of them cannot be. */
  private async checkDeltaList(
    kind: DeltaPart["kind"],
    sources: readonly ByteSource[],
  ): Promise<readonly CheckedDelta[] | undefined> {
    const parts: CheckedDelta[] = [];
    for (const [i, source] of sources.entries()) {
      this.beginFile();
      await this.attempt(`${kind} ${i}`, async () => {
        const part = await this.parts.openDelta(kind, source);
        const report = await this.checkDelta(`${kind} ${i}`, part);
        parts.push({ part, report });
        const previous = parts.at(-2);
        if (previous !== undefined) {
          this.checkListOrder(`${kind} ${i}`, previous.part, part);
        }
      });
    }
    return parts.length === sources.length ? parts : undefined;
  }

  private async checkDelta(role: string, { kind, reader }: DeltaPart): Promise<DeltaVerifyReport> {
    const { keyColumns, schema } = this.parts;
    const { signal } = this.options;
    const { columns } = schema;
    const { arena } = this;
    const report = await reader.verify({ kind, rowCount: this.rows, columns, arena, signal });
    for (const problem of report.problems) {
      this.add({ ...problem, role, path: reader.path });
    }
    this.problemCount += report.problemCount - report.problems.length;
    for (const { id, name } of keyColumns) {
      if (reader.statistics.updateCounts.has(id)) {
        this.report(
          role,
          corrupt(`changes of column ${JSON.stringify(name)}, which is part of the key`, {
            path: reader.path,
            field: `column ${id}`,
          }),
        );
      }
    }
    return report;
  }

  /** UNDO files stand newest first, REDO files oldest first. */
  private checkListOrder(role: string, previous: DeltaPart, { kind, reader }: DeltaPart): void {
    const before = previous.reader.statistics.minTimestamp;
    const { minTimestamp } = reader.statistics;
    if (kind === "redo" ? minTimestamp < before : minTimestamp > before) {
      const order = kind === "redo" ? "older" : "newer";
      this.report(
        role,
        corrupt(`the file is ${order} than the one before it in the list`, {
          path: reader.path,
          field: "min_timestamp",
          expected: String(before),
          actual: String(minTimestamp),
        }),
      );
    }
  }

  private checkLiveRows(liveRows: number | undefined): void {
    const { liveRowCount } = this.options;
    if (liveRowCount !== undefined && liveRows !== undefined && liveRows !== liveRowCount) {
      this.report(
        "row set",
        corrupt(`${liveRows} rows are there, the superblock counts ${liveRowCount}`, {
          field: "live_row_count",
          expected: liveRows,
          actual: liveRowCount,
        }),
      );
    }
  }

  /** Notes a `CFileError` as a problem; failures of the source and aborts go on up. */
  private async attempt(role: string, action: () => Promise<void>): Promise<void> {
    const damage = await this.attemptQuietly(action);
    if (damage !== undefined) {
      this.report(role, damage);
    }
  }

  private async attemptQuietly(action: () => Promise<void>): Promise<CFileError | undefined> {
    try {
      await action();
      return undefined;
    } catch (error) {
      return findingOf(error);
    }
  }

  private beginFile(): void {
    const { adhocIndex, bloom, columns, redo, undo } = this.parts.files;
    const single = [adhocIndex, bloom].filter((file) => file !== undefined);
    const total = columns.size + redo.length + undo.length + single.length;
    this.options.onProgress?.({ done: this.files, total });
    this.files++;
  }

  private report(role: string, error: CFileError): void {
    this.add(problemOf(role, error));
  }

  private add(problem: RowSetProblem): void {
    this.problemCount++;
    if (this.problems.length < (this.options.maxProblems ?? DEFAULT_MAX_PROBLEMS)) {
      this.problems.push(problem);
    }
  }
}
