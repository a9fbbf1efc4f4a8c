/** Merges the store files of a region into the cells that a client sees. */
import { equalBytes } from "@cfile/bytes";
import { type CellBatch, TIMESTAMP_AND_TYPE } from "@cfile/hfile";
import { CursorHeap, compareQualifiers, compareRows } from "./cell-order.js";
import { CellOutput } from "./cell-output.js";
import { NEW_ROW, ORDINARY } from "./cell-steps.js";
import { NewVersionRules } from "./new-version-rules.js";
import type { StoreCursor } from "./store-cursor.js";
import type { VersionRules } from "./version-rules.js";

/** A family that a scan reads. */
export interface MergedFamily {
  readonly rules: VersionRules;
  /** Qualifiers that the scan names; `undefined` for all. */
  readonly qualifiers: readonly Uint8Array[] | undefined;
}

const NOTHING: DataView = /* @__PURE__ */ new DataView(/* @__PURE__ */ new ArrayBuffer(0));

export class RegionMerge {
  private readonly heap = new CursorHeap();
  private readonly cursors: readonly StoreCursor[];
  private readonly families: readonly MergedFamily[];
  private rowsLeft: number;
  private readonly previous = { view: NOTHING, rowStart: 0, rowEnd: 0, qualifierStart: 0, qualifierEnd: 0 };
  /** Family of the previous cell; -1 before the first one. */
  private family = -1;
  private isNamed = true;
  /** Whether the current row has returned a cell. */
  private hasRow = false;

  /** @param limit maximum number of rows with cells */
  constructor(cursors: readonly StoreCursor[], families: readonly MergedFamily[], limit: number) {
    this.cursors = cursors;
    this.families = families;
    this.rowsLeft = limit;
  }

  /** Remaining rows up to the limit. */
  get left(): number {
    return this.rowsLeft;
  }

  /** Reads the first blocks. @throws {CFileError} for damage; `E_IO` from a source */
  async start(): Promise<void> {
    const loaded = await Promise.all(this.cursors.map((cursor) => cursor.load()));
    this.begin(loaded);
  }

  /** @param loaded whether each cursor is at a cell */
  begin(loaded: readonly boolean[]): void {
    this.cursors.forEach((cursor, i) => {
      if (loaded[i]) {
        this.heap.push(cursor);
      }
    });
  }

  /**
   * About `count` cells, and at least one; `undefined` after the last one.
   * @throws {CFileError} for damage; `E_IO` from a source
   */
  async next(count: number): Promise<CellOutput | undefined> {
    const output = new CellOutput();
    while (this.run(output, count)) {
      const cursor = this.heap.top as StoreCursor;
      if (await cursor.load()) {
        this.heap.sink();
      } else {
        this.heap.drop();
      }
    }
    return output.length > 0 ? output : undefined;
  }

  /** Like {@link next}, for cursors whose blocks are all in memory. */
  all(): CellOutput {
    const output = new CellOutput();
    while (this.run(output, Number.POSITIVE_INFINITY)) {
      this.heap.drop();
    }
    return output;
  }

  /** Merges until the output is full, or the top cursor needs its next block. Returns `true` in the second case. */
  private run(output: CellOutput, count: number): boolean {
    const { heap } = this;
    for (let cursor = heap.top; cursor !== undefined; cursor = heap.top) {
      const end = heap.topEnd();
      do {
        if (output.length >= count || !this.visit(cursor, output)) {
          return false;
        }
        if (!cursor.moveTo(this.takeOrdinary(cursor, end, output, count))) {
          return true;
        }
      } while (cursor.index < end);
      heap.sink();
    }
    this.finishColumn(output);
    return false;
  }

  /** Decides the cell of `cursor`; `false` when the limit of rows is reached. */
  private visit(cursor: StoreCursor, output: CellOutput): boolean {
    const { family } = cursor;
    const { previous } = this;
    const isSameRow = this.family >= 0 && compareRows(previous, cursor) === 0;
    if (isSameRow && family === this.family) {
      if (compareQualifiers(previous, cursor) !== 0) {
        this.finishColumn(output);
        this.families[family]?.rules.beginColumn();
        this.isNamed = this.names(cursor);
      }
    } else {
      this.finishColumn(output);
      if (!isSameRow) {
        this.hasRow = false;
        if (this.rowsLeft <= 0) {
          return false;
        }
      }
      this.families[family]?.rules.beginRow();
      this.isNamed = this.names(cursor);
    }
    this.remember(cursor.batch, cursor.index);
    this.family = family;
    if ((this.families[family] as MergedFamily).rules.accept(cursor, this.isNamed)) {
      this.countRow(output);
      output.add(cursor.batch, cursor.index, family);
    }
    return true;
  }

  /**
   * Adds the ordinary cells after the current one, which need no rules, as long as the row has no markers.
   * @param end cells before this index have no versions elsewhere, except for the last one
   * @returns the next cell to visit
   */
  private takeOrdinary(cursor: StoreCursor, end: number, output: CellOutput, count: number): number {
    const { batch, steps, family, index } = cursor;
    const { rules } = this.families[family] as MergedFamily;
    const first = index + 1;
    if (!rules.takesOrdinary || batch.layout.tags) {
      return first;
    }
    const { rowStarts } = output;
    const stop = Math.min(end - 1, first + count - output.length);
    const offset = output.length - first;
    const isUnmarked = rules.isUnmarked;
    let { rowsLeft } = this;
    let isNewRow = false;
    let hasRow = this.hasRow;
    let i = first;
    for (; i < stop; i++) {
      const step = steps[i] as number;
      if ((step & ORDINARY) === 0) {
        break;
      }
      if ((step & NEW_ROW) !== 0) {
        if (rowsLeft <= 0) {
          break;
        }
        isNewRow = true;
        hasRow = false;
      } else if (!isNewRow && !isUnmarked) {
        break;
      }
      if (!hasRow) {
        rowStarts.push(offset + i);
        rowsLeft--;
        hasRow = true;
      }
    }
    if (i > first) {
      this.rowsLeft = rowsLeft;
      this.hasRow = hasRow;
      if (isNewRow) {
        rules.beginRow();
      }
      output.addRun(batch, first, i, family);
      this.remember(batch, i - 1);
    }
    return i;
  }

  private remember(batch: CellBatch, index: number): void {
    const { previous } = this;
    previous.view = batch.view;
    previous.rowStart = batch.rowStarts[index] as number;
    previous.rowEnd = batch.rowEnd(index);
    previous.qualifierStart = previous.rowEnd + 1 + (batch.data[previous.rowEnd] as number);
    previous.qualifierEnd = batch.valueStart(index) - TIMESTAMP_AND_TYPE;
  }

  /** Adds the cells of a column whose rules need all of them. */
  private finishColumn(output: CellOutput): void {
    const rules = this.families[this.family]?.rules;
    if (rules instanceof NewVersionRules) {
      const before = output.length;
      rules.endColumn(output, this.family);
      if (output.length > before && !this.hasRow) {
        output.rowStarts.push(before);
        this.hasRow = true;
        this.rowsLeft--;
      }
    }
  }

  private countRow(output: CellOutput): void {
    if (!this.hasRow) {
      output.rowStarts.push(output.length);
      this.hasRow = true;
      this.rowsLeft--;
    }
  }

  private names({ data, family, qualifierStart, qualifierEnd }: StoreCursor): boolean {
    const qualifiers = this.families[family]?.qualifiers;
    if (qualifiers === undefined) {
      return true;
    }
    const qualifier = data.subarray(qualifierStart, qualifierEnd);
    return qualifiers.some((each) => equalBytes(each, qualifier));
  }
}
