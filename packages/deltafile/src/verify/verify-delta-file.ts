/**
 * Verifies a delta file (docs/spec/deltafile.md#10-limits-and-hostile-input): the container, as for any CFile; order, rows, chains
 * and values of the entries; the statistics. Continues after a problem.
 */
import {
  type BlockLocation,
  corrupt,
  isCFileError,
  isDamage,
  type MemoryArena,
  mismatch,
  problemOf,
  type WorkOptions,
} from "@cfile/bytes";
import { openCFile, type ValidBlock, type ValidBlockVisitor, type VerifyProblem } from "@cfile/format";
import { walkIndexTree } from "@cfile/index-btree/walk";
import { decodeArrayCell } from "../cells/array-cell.js";
import { checkCell, type DeltaColumn } from "../cells/cell-codec.js";
import { changeTypeName, RowChain } from "../changes/change-type.js";
import { checkDeltaKind, type DeltaKind, mayFollow } from "../changes/delta-kind.js";
import { MutationCursor } from "../changes/mutation-cursor.js";
import { wordsOf } from "../changes/timestamp.js";
import type { DeltaBatch } from "../read/delta-batch.js";
import { type DeltaBlock, decodeDeltaBlock, decodeDeltaValues } from "../read/delta-block.js";
import type { DeltaFile } from "../read/delta-file.js";
import { compareStatistics, DeltaStatisticsCounter } from "../stats/delta-statistics.js";

/** Known facts to check a delta file against. `onProgress` counts data blocks. */
export interface DeltaVerifyOptions extends WorkOptions {
  /** The file's kind, from the superblock; required to check the order of timestamps and chains of changes. */
  readonly kind?: DeltaKind | undefined;
  /** Row count of the base data; changes of later rows are problems. */
  readonly rowCount?: number | undefined;
  /** The table's columns, which values must fit. Values of other columns, e.g. dropped ones, are not checked. */
  readonly columns?: readonly DeltaColumn[] | undefined;
  /** Maximum number of problems listed; all are counted. Default 1000. */
  readonly maxProblems?: number | undefined;
  /** Memory shared by consecutive checks. Default: an arena per check. */
  readonly arena?: MemoryArena | undefined;
}

/** A problem in a delta file: its description, location and entry. */
export interface DeltaProblem extends VerifyProblem {
  /** The entry's number in the file, and its row and timestamp. */
  readonly entry?: number | undefined;
  readonly row?: number | undefined;
  readonly timestamp?: bigint | undefined;
}

/** All problems of a delta file, and its content. */
export interface DeltaVerifyReport {
  readonly ok: boolean;
  readonly problems: readonly DeltaProblem[];
  /** Number of problems, unlisted ones included. */
  readonly problemCount: number;
  /** Entries in valid data blocks. */
  readonly entries: number;
  /** DELETEs and REINSERTs among them. */
  readonly deletes: number;
  readonly reinserts: number;
  readonly dataBlocks: number;
  /** Whether the file has checksums; without them flipped bits inside values go unnoticed. */
  readonly checksums: boolean;
}

export function verifyDeltaFile(file: DeltaFile, options: DeltaVerifyOptions): Promise<DeltaVerifyReport> {
  return new DeltaVerifier(file, options).run();
}

/** Reports a problem of the entry `index` of a block. */
type ReportEntry = (
  index: number,
  reason: string,
  field: string,
  details?: Pick<DeltaProblem, "actual"> & Partial<Pick<DeltaProblem, "code">>,
) => void;

const DEFAULT_MAX_PROBLEMS = 1000;

class DeltaVerifier implements ValidBlockVisitor {
  private readonly file: DeltaFile;
  private readonly options: DeltaVerifyOptions;
  private readonly columns: Map<number, DeltaColumn>;
  private readonly problems: DeltaProblem[] = [];
  private problemCount = 0;
  /** Offsets of blocks whose entries were checked or cannot be. */
  private readonly done = new Set<number>();
  private readonly counter = new DeltaStatisticsCounter();
  private readonly chain = new RowChain();
  private readonly cursor = new MutationCursor();
  /** Whether the entries of all blocks so far could be decoded. */
  private isWhole = true;
  private lastRow = -1;
  private lastLow = 0;
  private lastHigh = 0;

  constructor(file: DeltaFile, options: DeltaVerifyOptions) {
    this.file = file;
    this.options = options;
    this.columns = new Map(options.columns?.map((column) => [column.id, column]));
    if (options.kind !== undefined) {
      checkDeltaKind(options.kind);
    }
  }

  async run(): Promise<DeltaVerifyReport> {
    const { source, options } = this.file;
    const { arena, signal, onProgress } = this.options;
    const cfile = await openCFile(source, { ...options, signal });
    const report = await cfile.verify({ signal, arena, onProgress, visitor: this });
    this.isWhole &&= report.ok;
    // Problems of the container come first.
    const inEntries = this.problems.splice(0);
    this.problemCount -= inEntries.length;
    for (const problem of report.problems) {
      this.report(problem);
      if (problem.block !== undefined) {
        this.done.add(problem.block.offset);
      }
    }
    for (const problem of inEntries) {
      this.report(problem);
    }
    if (!report.ok) {
      await this.checkOtherBlocks();
    }
    // Statistics can be compared only if all entries were counted.
    if (this.isWhole) {
      this.checkStatistics();
    }
    return {
      ok: this.problemCount === 0,
      problems: this.problems,
      problemCount: this.problemCount,
      entries: this.counter.entries,
      deletes: this.counter.deletes,
      reinserts: this.counter.reinserts,
      dataBlocks: report.dataBlocks,
      checksums: report.checksums,
    };
  }

  /** Checks the blocks that verification of the container skipped because of other problems. */
  private async checkOtherBlocks(): Promise<void> {
    const { signal } = this.options;
    try {
      for await (const step of walkIndexTree(this.file.validx, { signal })) {
        if (step.kind === "entry" && !this.done.has(step.pointer.offset)) {
          this.isWhole = (await this.checkBlock(step.pointer, step.key)) && this.isWhole;
        }
      }
    } catch (error) {
      // Verification of the container has reported the damage of the index.
      if (!isDamage(error)) {
        throw error;
      }
      this.isWhole = false;
    }
  }

  visitValidBlock({ location, indexKey, block }: ValidBlock): void {
    this.done.add(location.offset);
    const isDecoded = this.attempt(location, () => {
      const values = block?.decode(0, block.rows);
      if (block === undefined || values === undefined || values.kind === "array") {
        throw corrupt("data block without entries", { field: "count" });
      }
      return decodeDeltaValues(values, block.firstRow, indexKey, this.file.rowKernels, true);
    });
    this.isWhole &&= isDecoded;
  }

  private async checkBlock(location: BlockLocation, key: Uint8Array): Promise<boolean> {
    const { blocks, structure, rowKernels } = this.file;
    const bytes = await blocks.read(location, this.options).catch((error: unknown) => {
      this.note(error, location);
    });
    return (
      bytes !== undefined &&
      this.attempt(location, () => decodeDeltaBlock(bytes, key, structure.wrapping.kernels, rowKernels))
    );
  }

  private attempt(location: BlockLocation, decode: () => DeltaBlock): boolean {
    try {
      this.checkEntries(decode(), location);
      return true;
    } catch (error) {
      this.note(error, location);
      this.lastRow = -1;
      return false;
    }
  }

  private checkEntries(block: DeltaBlock, location: BlockLocation): void {
    const { batch, ordinal, overlong } = block;
    const report: ReportEntry = (index, reason, field, details) =>
      this.report({
        code: "E_CORRUPT",
        reason,
        block: location,
        field,
        entry: ordinal + index,
        row: batch.rows[index],
        timestamp: batch.timestamps[index],
        ...details,
      });
    if (overlong >= 0) {
      report(overlong, "delta key in a longer form than necessary", "delta key");
    }
    if (this.isOrdinary(block)) {
      this.takeOrdinary(block, report);
    } else {
      for (let i = 0; i < batch.length; i++) {
        this.checkEntry(batch, i, report);
      }
      this.counter.addBatch(batch);
    }
    const { rowCount } = this.file.structure.footer;
    const end = ordinal + batch.length;
    if (end > rowCount) {
      const reason = "block has more entries than the footer counts";
      this.note(mismatch(reason, rowCount, end, { field: "ordinal" }), location);
    }
  }

  private checkEntry(batch: DeltaBatch, i: number, report: ReportEntry): void {
    const { kind, rowCount } = this.options;
    const words = wordsOf(batch.timestamps);
    const row = batch.rows[i] as number;
    const type = batch.types[i] as number;
    if (row < this.lastRow) {
      report(i, `row ${row} follows row ${this.lastRow}`, "row");
    }
    if (rowCount !== undefined && row >= rowCount) {
      report(i, `no row ${row} in base data of ${rowCount} rows`, "row");
    }
    if (kind !== undefined) {
      if (row === this.lastRow && !mayFollow(kind, words, i, this.lastLow, this.lastHigh)) {
        const order = kind === "redo" ? "before" : "after";
        report(i, `timestamp ${order} that of the previous entry of the row`, "timestamp");
      }
      const reason = this.chain.next(row, type);
      if (reason !== undefined) {
        report(i, reason, "change type", { actual: changeTypeName(type) });
      }
    }
    this.lastRow = row;
    this.lastLow = words[2 * i] as number;
    this.lastHigh = words[2 * i + 1] as number;
    if (this.columns.size > 0) {
      this.checkValues(batch, i, report);
    }
  }

  /** Whether each row has just one entry and follows the rows before: order and chains are then valid. */
  private isOrdinary({ batch, summary }: DeltaBlock): boolean {
    const { rowCount = Number.POSITIVE_INFINITY } = this.options;
    const { rows, length } = batch;
    return summary.isSingle && (rows[0] as number) > this.lastRow && (rows[length - 1] as number) < rowCount;
  }

  private takeOrdinary({ batch, summary }: DeltaBlock, report: ReportEntry): void {
    const last = batch.length - 1;
    const words = wordsOf(batch.timestamps);
    this.lastRow = batch.rows[last] as number;
    this.lastLow = words[2 * last] as number;
    this.lastHigh = words[2 * last + 1] as number;
    this.chain.next(this.lastRow, batch.types[last] as number);
    for (let i = 0; this.columns.size > 0 && batch.data.length > 0 && i < batch.length; i++) {
      this.checkValues(batch, i, report);
    }
    this.counter.addSummary(batch, summary);
  }

  private checkValues(batch: DeltaBatch, index: number, report: ReportEntry): void {
    const cursor = this.cursor.reset(batch, index);
    while (cursor.next()) {
      const column = this.columns.get(cursor.columnId);
      if (column === undefined) {
        continue;
      }
      try {
        checkCell(column, cursor);
        if (column.array === true && !cursor.isNull) {
          decodeArrayCell(cursor.data.subarray(cursor.start, cursor.end), column.type);
        }
      } catch (error) {
        if (!isCFileError(error)) {
          throw error;
        }
        report(index, error.reason, `column ${column.id}`, { code: error.code });
      }
    }
  }

  private checkStatistics(): void {
    if (this.counter.entries === 0) {
      return;
    }
    const counted = this.counter.finish();
    for (const difference of compareStatistics(this.file.statistics, counted)) {
      const { field } = difference;
      this.note(
        mismatch(`${field} differs from the entries`, difference.counted, difference.stated, { field }),
      );
    }
  }

  private report(problem: DeltaProblem): void {
    this.problemCount++;
    if (this.problems.length < (this.options.maxProblems ?? DEFAULT_MAX_PROBLEMS)) {
      this.problems.push(problem);
    }
  }

  /** Reports a `CFileError`; throws failures of the source and aborts. */
  private note(error: unknown, block?: BlockLocation): void {
    this.report(problemOf(error, block));
  }
}
