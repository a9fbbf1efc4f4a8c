/** Filters table batches by conditions, all of which must be met. */
import { type TableBatch, takeTable } from "../batch/table-batch.js";
import { ConditionTest } from "./cell-test.js";
import { type ConditionColumn, type Conditions, checkConditions } from "./condition.js";
import { wordsOfMarks } from "./mark-range.js";

interface ColumnTest {
  /** Position of the column in the batches. */
  readonly position: number;
  readonly test: ConditionTest;
}

/** Keeps the rows of batches that meet all conditions. */
export class TableFilter {
  private readonly tests: readonly ColumnTest[];
  private marks = new Uint8Array(0);

  /**
   * @param columns the columns that conditions may name
   * @param names of the batches' columns
   * @throws {CFileError} `E_INVALID_ARGUMENT` for conditions that do not fit their columns
   */
  constructor(where: Conditions | undefined, columns: readonly ConditionColumn[], names: readonly string[]) {
    this.tests = checkConditions(where, columns).map((condition) => ({
      position: names.indexOf(condition.column.name ?? ""),
      test: new ConditionTest(condition),
    }));
  }

  /** The rows that meet all conditions; `undefined` when no row does. */
  matching(batch: TableBatch): TableBatch | undefined {
    const { length } = batch;
    if (this.tests.length === 0) {
      return batch;
    }
    this.marks = this.marks.length < length ? new Uint8Array(length) : this.marks;
    const marks = this.marks.fill(1, 0, length);
    let count = length;
    for (const { position, test } of this.tests) {
      const column = batch.columns[position];
      count = column === undefined ? 0 : test.apply(column, marks);
      if (count === 0) {
        return undefined;
      }
    }
    return count === length ? batch : takeTable(batch, markedPositions(marks, count));
  }
}

/** Positions of the first `count` marks that are 1. */
export function markedPositions(marks: Uint8Array, count: number): Uint32Array {
  const positions = new Uint32Array(count);
  const words = wordsOfMarks(marks, marks.length);
  for (let i = 0, at = 0; at < count; i++) {
    // Skips four rows at a time: most conditions select few.
    if (words[i >>> 2] === 0 && i % 4 === 0) {
      i += 3;
    } else if (marks[i] === 1) {
      positions[at++] = i;
    }
  }
  return positions;
}
