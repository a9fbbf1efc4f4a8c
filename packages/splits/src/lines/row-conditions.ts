/** Conditions on batches of rows: all of them must hold. */
import { invalidArgument } from "@cfile/bytes";
import type { CellValue, ColumnBatch } from "@cfile/encodings";
import type { AlignedRows } from "@cfile/encodings/batches";
import { batchFromValues, takeRows } from "@cfile/encodings/batches";
import { ConditionTest } from "@cfile/encodings/conditions";
import type { Predicate, RowSetColumn } from "@cfile/rowset";

interface ColumnTest {
  /** Place of the column in the batches. */
  readonly place: number;
  readonly test: ConditionTest;
}

export class RowConditions {
  private readonly tests: readonly ColumnTest[];

  /**
   * @param names of the batches' columns
   * @throws CFileError `E_INVALID_ARGUMENT` for conditions that do not fit their columns
   */
  constructor(where: readonly Predicate[], schema: readonly RowSetColumn[], names: readonly string[]) {
    this.tests = where.map((predicate) => ({
      place: names.indexOf(predicate.column),
      test: testOf(predicate, schema),
    }));
  }

  /** The rows that fulfil all; `undefined` when none does. */
  chosen(rows: AlignedRows): AlignedRows | undefined {
    if (this.tests.length === 0) {
      return rows;
    }
    const marks = new Uint8Array(rows.length).fill(1);
    let count = rows.length;
    for (const { place, test } of this.tests) {
      count = test.apply(rows.columns[place] as ColumnBatch, marks);
      if (count === 0) {
        return undefined;
      }
    }
    if (count === rows.length) {
      return rows;
    }
    const positions = new Uint32Array(count);
    for (let i = 0, at = 0; at < count; i++) {
      if (marks[i] === 1) {
        positions[at++] = i;
      }
    }
    return { ...rows, length: count, columns: rows.columns.map((column) => takeRows(column, positions)) };
  }
}

function testOf(predicate: Predicate, schema: readonly RowSetColumn[]): ConditionTest {
  const column = schema.find(({ name }) => name === predicate.column);
  const cells = cellsOf(predicate);
  if (column === undefined || (column.array && cells.length > 0)) {
    throw invalidArgument(`column ${JSON.stringify(predicate.column)} has no such condition`, {
      field: "where",
    });
  }
  const operands = batchFromValues({ type: column.type, nullable: false }, [...cells]);
  if (operands.kind === "array") {
    throw invalidArgument("an array is no value to compare with", { field: "where" });
  }
  return new ConditionTest({ op: predicate.op, operands });
}

function cellsOf(predicate: Predicate): readonly CellValue[] {
  return "values" in predicate ? predicate.values : "value" in predicate ? [predicate.value] : [];
}
