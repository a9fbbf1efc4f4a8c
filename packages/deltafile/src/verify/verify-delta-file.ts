/**
 * Checking a whole delta file (docs/spec/deltafile.md#10-limits-and-hostile-input): what `CFileReader.verify` checks of any
 * CFile, and of the entries their order, rows, chains and values, and the statistics. Goes on after a problem.
 */
import {
  type BlockLocation,
  type CFileErrorCode,
  corrupt,
  isCFileError,
  type MemoryArena,
  problemOf,
  type WorkOptions,
} from "@cfile/bytes";
import { openCFile, type ValidBlock, type ValidBlockVisitor, type VerifyProblem } from "@cfile/format";
import { walkIndexTree } from "@cfile/index-btree/walk";
import { decodeArrayCell } from "../cells/array-cell.js";
import { checkCell, type DeltaColumn } from "../cells/cell-codec.js";
import { changeTypeName } from "../changes/change-type.js";
import { checkDeltaKind, type DeltaKind, mayFollow } from "../changes/delta-kind.js";
import { MutationCursor } from "../changes/mutation-cursor.js";
import { RowChain } from "../changes/row-chain.js";
import { wordsOf } from "../changes/timestamp.js";
import { type DeltaBlock, decodeDeltaBlock, decodeDeltaValues } from "../read/delta-block.js";
import type { DeltaFile } from "../read/delta-file.js";
import {
  compareStatistics,
  type DeltaStatistics,
  DeltaStatisticsCounter,
} from "../stats/delta-statistics.js";

/** What a delta file is checked against. */
/** `onProgress` counts data blocks. */
export interface DeltaVerifyOptions extends WorkOptions {
  /** The file's kind, from the superblock. Without it neither order of timestamps nor chains are checked. */
  readonly kind?: DeltaKind | undefined;
  /** Rows of the base data: a change of a row after them is a problem. */
  readonly rowCount?: number | undefined;
  /** The table's columns: values must fit them. Columns that are not among them, dropped ones say, are not looked at. */
  readonly columns?: readonly DeltaColumn[] | undefined;
  /** Problems listed at most; all are counted. Default 1000. */
  readonly maxProblems?: number | undefined;
  /** For checks of many files one after the other. Default: new memory. */
  readonly arena?: MemoryArena | undefined;
}

/** One thing that is wrong with a delta file: what, where, and of which entry. */
export interface DeltaProblem extends VerifyProblem {
  /** The entry's number in the file, its row and timestamp. */
  readonly entry?: number | undefined;
  readonly row?: number | undefined;
  readonly timestamp?: bigint | undefined;
}

/** What is wrong with a delta file, and what was counted in it. */
export interface DeltaVerifyReport {
  readonly ok: boolean;
  readonly problems: readonly DeltaProblem[];
  /** Problems met, those not listed included. */
  readonly problemCount: number;
  /** Entries in sound data blocks. */
  readonly entries: number;
  /** DELETEs and REINSERTs among them. */
  readonly deletes: number;
  readonly reinserts: number;
  readonly dataBlocks: number;
  /** Whether the file has checksums; without them flipped bits inside values cannot be seen. */
  readonly checksums: boolean;
}

/** The parts of a delta file's reader that are needed. */
export interface VerifiedDeltaFile {
  readonly file: DeltaFile;
  readonly statistics: DeltaStatistics;
}

export function verifyDeltaFile(
  reader: VerifiedDeltaFile,
  options: DeltaVerifyOptions,
): Promise<DeltaVerifyReport> {
  return new DeltaVerifier(reader, options).run();
}

const DEFAULT_MAX_PROBLEMS = 1000;

class DeltaVerifier implements ValidBlockVisitor {
  private readonly reader: VerifiedDeltaFile;
  private readonly options: DeltaVerifyOptions;
  private readonly columns: Map<number, DeltaColumn>;
  private readonly problems: DeltaProblem[] = [];
  private problemCount = 0;
  /** Blocks that were found bad before their entries were looked at. */
  private readonly badBlocks = new Set<number>();
  private readonly counter = new DeltaStatisticsCounter();
  private readonly chain = new RowChain();
  private readonly cursor = new MutationCursor();
  /** Offsets of the blocks whose entries were looked at. */
  private readonly looked = new Set<number>();
  /** Whether the entries of all blocks so far could be. */
  private isWhole = true;
  private lastRow = -1;
  private lastLow = 0;
  private lastHigh = 0;

  constructor(reader: VerifiedDeltaFile, options: DeltaVerifyOptions) {
    this.reader = reader;
    this.options = options;
    this.columns = new Map(options.columns?.map((column) => [column.id, column]));
    if (options.kind !== undefined) {
      checkDeltaKind(options.kind);
    }
  }

  async run(): Promise<DeltaVerifyReport> {
    const { file } = this.reader;
    const { arena, signal, onProgress } = this.options;
    const cfile = await openCFile(file.source, { ...file.options, signal });
    const report = await cfile.verify({ signal, arena, onProgress, visitor: this });
    this.isWhole &&= report.ok;
    // What is wrong with the container comes first.
    const inEntries = this.problems.splice(0);
    this.problemCount -= inEntries.length;
    for (const problem of report.problems) {
      this.report(problem);
      if (problem.block !== undefined) {
        this.badBlocks.add(problem.block.offset);
      }
    }
    for (const problem of inEntries) {
      this.report(problem);
    }
    if (!report.ok) {
      await this.checkOtherBlocks();
    }
    // Without all entries the statistics cannot be counted.
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

  /** Those whose entries were not looked at, for what was wrong with the container, but can be. */
  private async checkOtherBlocks(): Promise<void> {
    const { signal } = this.options;
    try {
      for await (const step of walkIndexTree(this.reader.file.validx, { signal })) {
        if (
          step.kind === "entry" &&
          !this.looked.has(step.pointer.offset) &&
          !this.badBlocks.has(step.pointer.offset)
        ) {
          this.isWhole = (await this.checkBlock(step.pointer, step.key)) && this.isWhole;
        }
      }
    } catch (error) {
      this.note(error);
      this.isWhole = false;
    }
  }

  visitValidBlock({ location, indexKey, block }: ValidBlock): void {
    this.looked.add(location.offset);
    const couldBe = this.attempt(location, () => {
      const values = block?.decode(0, block.rows);
      if (block === undefined || values === undefined || values.kind === "array") {
        throw corrupt("a data block without entries", { field: "count" });
      }
      return decodeDeltaValues(values, block.firstRow, indexKey, this.reader.file.rowKernels, true);
    });
    this.isWhole &&= couldBe;
  }

  private async checkBlock(location: BlockLocation, key: Uint8Array): Promise<boolean> {
    const { blocks, structure, rowKernels } = this.reader.file;
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
    const { kind, rowCount } = this.options;
    const words = wordsOf(batch.timestamps);
    if (overlong >= 0) {
      const reason = "a delta key in a longer form than needed";
      this.reportEntry(block, overlong, location, { reason, field: "delta key" });
    }
    if (this.isOrdinary(block)) {
      this.takeOrdinary(block, location);
      return;
    }
    for (let i = 0; i < batch.length; i++) {
      const row = batch.rows[i] as number;
      const type = batch.types[i] as number;
      if (row < this.lastRow) {
        const reason = `row ${row} follows row ${this.lastRow}`;
        this.reportEntry(block, i, location, { reason, field: "row" });
      }
      if (rowCount !== undefined && row >= rowCount) {
        const reason = `row ${row} of base data with ${rowCount} rows`;
        this.reportEntry(block, i, location, { reason, field: "row" });
      }
      if (kind !== undefined) {
        if (row === this.lastRow && !mayFollow(kind, words, i, this.lastLow, this.lastHigh)) {
          const reason = `a timestamp ${kind === "redo" ? "before" : "after"} that of the entry before`;
          this.reportEntry(block, i, location, { reason, field: "timestamp" });
        }
        const reason = this.chain.next(row, type);
        if (reason !== undefined) {
          this.reportEntry(block, i, location, {
            reason,
            field: "change type",
            actual: changeTypeName(type),
          });
        }
      }
      this.lastRow = row;
      this.lastLow = words[2 * i] as number;
      this.lastHigh = words[2 * i + 1] as number;
      if (this.columns.size > 0) {
        this.checkValues(block, i, location);
      }
    }
    this.counter.addBatch(batch);
    this.checkOrdinal(ordinal, batch.length, location);
  }

  /** Whether each row has but one entry, behind those before: nothing can be wrong then with order and chains. */
  private isOrdinary({ batch, summary }: DeltaBlock): boolean {
    const { rowCount = Number.POSITIVE_INFINITY } = this.options;
    const { rows, length } = batch;
    return summary.isSingle && (rows[0] as number) > this.lastRow && (rows[length - 1] as number) < rowCount;
  }

  private takeOrdinary(block: DeltaBlock, location: BlockLocation): void {
    const { batch, ordinal, summary } = block;
    const last = batch.length - 1;
    const words = wordsOf(batch.timestamps);
    this.lastRow = batch.rows[last] as number;
    this.lastLow = words[2 * last] as number;
    this.lastHigh = words[2 * last + 1] as number;
    this.chain.next(this.lastRow, batch.types[last] as number);
    for (let i = 0; this.columns.size > 0 && batch.data.length > 0 && i < batch.length; i++) {
      this.checkValues(block, i, location);
    }
    this.counter.addSummary(batch, summary);
    this.checkOrdinal(ordinal, batch.length, location);
  }

  private checkOrdinal(ordinal: number, length: number, block: BlockLocation): void {
    const { rowCount } = this.reader.file.structure.footer;
    if (ordinal + length > rowCount) {
      this.report({
        code: "E_CORRUPT",
        reason: `entries ${ordinal} to ${ordinal + length} of ${rowCount}`,
        block,
        field: "ordinal",
        expected: rowCount,
        actual: ordinal + length,
      });
    }
  }

  private checkValues(block: DeltaBlock, index: number, location: BlockLocation): void {
    const cursor = this.cursor.reset(block.batch, index);
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
        const { reason, code } = error;
        this.reportEntry(block, index, location, { reason, code, field: `column ${column.id}` });
      }
    }
  }

  private checkStatistics(): void {
    if (this.counter.entries === 0) {
      return;
    }
    for (const { field, stated, counted } of compareStatistics(
      this.reader.statistics,
      this.counter.finish(),
    )) {
      this.report({
        code: "E_CORRUPT",
        reason: `the statistics state ${stated} as ${field}, the entries make it ${counted}`,
        field,
        expected: counted,
        actual: stated,
      });
    }
  }

  private reportEntry(
    { batch, ordinal }: DeltaBlock,
    index: number,
    block: BlockLocation,
    problem: Pick<DeltaProblem, "reason" | "field" | "actual"> & { readonly code?: CFileErrorCode },
  ): void {
    this.report({
      code: "E_CORRUPT",
      ...problem,
      block,
      entry: ordinal + index,
      row: batch.rows[index],
      timestamp: batch.timestamps[index],
    });
  }

  private report(problem: DeltaProblem): void {
    this.problemCount++;
    if (this.problems.length < (this.options.maxProblems ?? DEFAULT_MAX_PROBLEMS)) {
      this.problems.push(problem);
    }
  }

  /** Notes a `CFileError` as a problem; failures of the source and aborts go on up. */
  private note(error: unknown, block?: BlockLocation): void {
    this.report(problemOf(error, block));
  }
}
