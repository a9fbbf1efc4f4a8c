/** Verifies the delta files of a row set: each by itself, their order, and the histories of rows across them. */
import { type MemoryArena, mismatch } from "@cfile/bytes";
import type { DeltaVerifyReport } from "@cfile/deltafile/read";
import { type CheckedDelta, checkChains, countLiveRows } from "../delta/check-deltas.js";
import { changedKey } from "../delta/delta-merger.js";
import type { DeltaPart, RowSetParts } from "../read/row-set-parts.js";
import { damageOf, type RowSetProblems } from "./row-set-problems.js";

export interface DeltaVerifierOptions {
  readonly arena: MemoryArena;
  /** Rows of the base data; `undefined` when the key cannot be read. */
  readonly rows: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** Called before each file. */
  readonly beginFile: () => void;
}

export class DeltaVerifier {
  private readonly parts: RowSetParts;
  private readonly problems: RowSetProblems;
  private readonly options: DeltaVerifierOptions;

  constructor(parts: RowSetParts, problems: RowSetProblems, options: DeltaVerifierOptions) {
    this.parts = parts;
    this.problems = problems;
    this.options = options;
  }

  /** Returns the number of rows in the latest snapshot; `undefined` when damage prevents counting. */
  async run(): Promise<number | undefined> {
    const undo = await this.checkList("undo");
    const redo = await this.checkList("redo");
    const { rows, signal } = this.options;
    if (rows === undefined || undo === undefined || redo === undefined) {
      return undefined;
    }
    let liveRows: number | undefined;
    // Damage has been reported with each file.
    await damageOf(async () => {
      for (const list of [undo, redo]) {
        const parts = list.map(({ part }) => part);
        await checkChains(list, rows, signal, (part, problem) => {
          const role = `${part.kind} ${parts.indexOf(part)}`;
          this.problems.add({ ...problem, role, path: part.reader.path });
        });
      }
      liveRows = await countLiveRows(redo, rows, signal);
    });
    return liveRows;
  }

  /** Returns the opened files; `undefined` when one cannot be opened. */
  private async checkList(kind: DeltaPart["kind"]): Promise<readonly CheckedDelta[] | undefined> {
    const sources = this.parts.files[kind];
    const checked: CheckedDelta[] = [];
    for (const [i, source] of sources.entries()) {
      const role = `${kind} ${i}`;
      this.options.beginFile();
      await this.problems.attempt(role, async () => {
        const part = await this.parts.openDelta(kind, source);
        const previous = checked.at(-1);
        checked.push({ part, report: await this.checkFile(role, part) });
        if (previous !== undefined) {
          this.checkOrder(role, previous.part, part);
        }
      });
    }
    return checked.length === sources.length ? checked : undefined;
  }

  private async checkFile(role: string, { kind, reader }: DeltaPart): Promise<DeltaVerifyReport> {
    const { arena, rows: rowCount, signal } = this.options;
    const { columns } = this.parts.schema;
    const { path } = reader;
    const report = await reader.verify({ kind, rowCount, columns, arena, signal });
    this.problems.addAll(report.problems, role, path, report.problemCount);
    for (const column of this.parts.keyColumns) {
      if (reader.statistics.updateCounts.has(column.id)) {
        this.problems.addError(role, changedKey(column, { path }));
      }
    }
    return report;
  }

  /** UNDO files must be listed newest first, REDO files oldest first. */
  private checkOrder(role: string, previous: DeltaPart, { kind, reader }: DeltaPart): void {
    const before = previous.reader.statistics.minTimestamp;
    const { minTimestamp } = reader.statistics;
    if (kind === "redo" ? minTimestamp < before : minTimestamp > before) {
      const expected = `at ${kind === "redo" ? "least" : "most"} ${before}`;
      const details = { path: reader.path, field: "min_timestamp" };
      this.problems.addError(
        role,
        mismatch("delta files in wrong order", expected, String(minTimestamp), details),
      );
    }
  }
}
