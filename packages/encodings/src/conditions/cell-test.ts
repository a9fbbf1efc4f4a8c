/**
 * Tests whether cells of a batch meet a condition. Comparisons of numbers and strings run over the whole column at once; the rest
 * (`in`, INT128, the order of strings) is one function per batch, which allocates nothing per cell.
 */
import { compareRange, getBit } from "@cfile/bytes";
import type { ColumnBatch, DictionaryBatch, FixedBatch } from "../batch/column-batch.js";
import type { BinaryVector } from "../types/vector.js";
import { wordsOf } from "../types/words.js";
import type { ColumnCondition, ConditionOp } from "./condition.js";
import { type Comparison, countMarks, longRange, markLongs, markNumbers, numberRange } from "./mark-range.js";
import { markEqual, markPrefixed } from "./mark-strings.js";

/** The part of a condition that is tested: operands have the column's type and are not null. */
export type TestedCondition = Pick<ColumnCondition, "op" | "operands">;

/** Whether the cell at a position meets a condition. */
type CellTest = (position: number) => boolean;

/** Compares the cell at a position with an operand; NaN where they are unordered. */
type CellOrder = (position: number, operand: number) => number;

/** Tests cells against one condition; keeps the result for each word of a dictionary from batch to batch. */
export class ConditionTest {
  private readonly condition: TestedCondition;
  /** The operands, if they are strings. */
  private strings: readonly Uint8Array[] | undefined;
  /** Positions of the operands in ascending order, for `in`. */
  private ascending: Uint32Array | undefined;
  private dictionary: BinaryVector | undefined;
  private verdicts = new Uint8Array(0);

  constructor(condition: TestedCondition) {
    this.condition = condition;
  }

  /**
   * Clears the marks of rows that do not meet the condition.
   *
   * @param marks per row, 1 if it is selected, else 0
   * @returns the number of rows that are still selected
   */
  apply(batch: ColumnBatch, marks: Uint8Array): number {
    const { length, validity } = batch;
    const wantsNull = this.condition.op === "isNull";
    if (validity !== undefined || !this.needsValues) {
      for (let i = 0; i < length; i++) {
        const isNull = validity !== undefined && !getBit(validity, i);
        marks[i] = (marks[i] as number) & (isNull === wantsNull ? 1 : 0);
      }
    }
    if (this.needsValues) {
      this.applyToValues(batch, marks);
    }
    return countMarks(marks, length);
  }

  /** Clears marks by value. The marks of null rows are already cleared, regardless of their values. */
  private applyToValues(batch: ColumnBatch, marks: Uint8Array): void {
    const { op, operands } = this.condition;
    const { length } = batch;
    if (batch.kind === "dictionary") {
      const { codes } = batch;
      const verdicts = this.verdictsOf(batch.dictionary);
      for (let i = 0; i < length; i++) {
        marks[i] = (marks[i] as number) & (verdicts[codes[i] as number] as number);
      }
    } else if (batch.kind === "fixed" && operands.kind === "fixed" && isComparison(op)) {
      markFixed(batch, op, operands, marks);
    } else if (batch.kind === "binary" && (op === "=" || op === "prefix")) {
      const [wanted = new Uint8Array(0)] = stringsOf(operands);
      (op === "=" ? markEqual : markPrefixed)(batch, wanted, marks);
    } else {
      markEach(this.testOf(batch), marks, length);
    }
  }

  /** Whether values matter, not only whether they are null. */
  get needsValues(): boolean {
    const { op } = this.condition;
    return op !== "isNull" && op !== "isNotNull";
  }

  /** Whether no word of a dictionary meets the condition, so that no value of a batch with this dictionary does. */
  rulesOut(dictionary: BinaryVector): boolean {
    return this.needsValues && !this.verdictsOf(dictionary).includes(1);
  }

  /** A test per cell, for conditions and types without a dedicated loop. */
  private testOf(batch: Exclude<ColumnBatch, DictionaryBatch>): CellTest {
    const { operands } = this.condition;
    if (batch.kind === "binary") {
      return this.stringTest(batch);
    }
    if (batch.kind === "fixed" && operands.kind === "fixed") {
      return this.orderTest(fixedOrder(batch, operands));
    }
    if (batch.kind === "bool" && operands.kind === "bool") {
      return this.orderTest(boolOrder(batch.values, operands.values));
    }
    return () => false;
  }

  private stringTest(strings: BinaryVector): CellTest {
    const { op, operands } = this.condition;
    this.strings ??= stringsOf(operands);
    return op === "prefix"
      ? prefixTest(strings, this.strings[0])
      : this.orderTest(stringOrder(strings, this.strings));
  }

  private orderTest(order: CellOrder): CellTest {
    const { op, operands } = this.condition;
    if (isComparison(op)) {
      return comparisonTest(op, order);
    }
    this.ascending ??= ascendingPositions(operands);
    return membershipTest(order, this.ascending);
  }

  private verdictsOf(dictionary: BinaryVector): Uint8Array {
    if (this.dictionary !== dictionary) {
      const test = this.stringTest(dictionary);
      this.verdicts = new Uint8Array(dictionary.length);
      for (let code = 0; code < dictionary.length; code++) {
        this.verdicts[code] = test(code) ? 1 : 0;
      }
      this.dictionary = dictionary;
    }
    return this.verdicts;
  }
}

const LESS = 1;
const EQUAL = 2;
const GREATER = 4;
/** The outcomes of a comparison that meet a condition. */
const OUTCOMES: Readonly<Record<Comparison, number>> = {
  "=": EQUAL,
  "<": LESS,
  "<=": LESS | EQUAL,
  ">": GREATER,
  ">=": GREATER | EQUAL,
};

function isComparison(op: ConditionOp): op is Comparison {
  return op in OUTCOMES;
}

function markFixed(batch: FixedBatch, op: Comparison, operands: FixedBatch, marks: Uint8Array): void {
  const { length, physical, values } = batch;
  const [wanted] = operands.values;
  if (physical === "INT128") {
    markEach(comparisonTest(op, fixedOrder(batch, operands)), marks, length);
  } else if (values instanceof BigInt64Array || values instanceof BigUint64Array) {
    const signed = physical === "INT64";
    const range = typeof wanted === "bigint" ? longRange(op, wanted, signed) : undefined;
    if (range === undefined) {
      marks.fill(0, 0, length);
    } else {
      markLongs(values, range, signed, marks, length);
    }
  } else {
    markNumbers(values, numberRange(op, typeof wanted === "number" ? wanted : Number.NaN), marks, length);
  }
}

function markEach(test: CellTest, marks: Uint8Array, length: number): void {
  for (let i = 0; i < length; i++) {
    if (marks[i] !== 0 && !test(i)) {
      marks[i] = 0;
    }
  }
}

function comparisonTest(op: Comparison, order: CellOrder): CellTest {
  const wanted = OUTCOMES[op];
  return (position) => {
    const found = order(position, 0);
    return ((found < 0 ? LESS : found > 0 ? GREATER : found === 0 ? EQUAL : 0) & wanted) !== 0;
  };
}

/** Whether a cell is one of the operands, by a binary search: lists of operands can be long. */
function membershipTest(order: CellOrder, ascending: Uint32Array): CellTest {
  return (position) => {
    let low = 0;
    let high = ascending.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const found = order(position, ascending[middle] as number);
      if (found === 0) {
        return true;
      }
      if (found > 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return false;
  };
}

/** Positions of the operands in ascending order, without NaN, which no cell equals. */
function ascendingPositions(operands: ColumnBatch): Uint32Array {
  const order = orderAmong(operands);
  const positions = Uint32Array.from({ length: operands.length }, (_, i) => i);
  return positions.filter((position) => order(position, position) === 0).sort(order);
}

function orderAmong(operands: ColumnBatch): CellOrder {
  switch (operands.kind) {
    case "fixed":
      return fixedOrder(operands, operands);
    case "bool":
      return boolOrder(operands.values, operands.values);
    case "binary":
      return stringOrder(operands, stringsOf(operands));
    default:
      return () => 0;
  }
}

function fixedOrder(batch: FixedBatch, operands: FixedBatch): CellOrder {
  const { physical, values } = batch;
  const wanted = operands.values;
  return physical === "INT64" || physical === "UINT64" || physical === "INT128"
    ? wordOrder(wordsOf(values), wordsOf(wanted), physical === "INT128" ? 4 : 2, physical !== "UINT64")
    : (position, operand) => numberOrder(values[position] as number, wanted[operand] as number);
}

/** NaN is unordered, infinities are not. */
function numberOrder(left: number, right: number): number {
  return left < right ? -1 : left > right ? 1 : left === right ? 0 : Number.NaN;
}

function wordOrder(left: Int32Array, right: Int32Array, words: number, signed: boolean): CellOrder {
  const flip = signed ? 0x80000000 : 0;
  return (position, operand) => {
    let i = (position + 1) * words - 1;
    let j = (operand + 1) * words - 1;
    let difference = (((left[i] as number) ^ flip) >>> 0) - (((right[j] as number) ^ flip) >>> 0);
    for (let word = 1; word < words && difference === 0; word++) {
      difference = ((left[--i] as number) >>> 0) - ((right[--j] as number) >>> 0);
    }
    return difference;
  };
}

function boolOrder(values: Uint8Array, wanted: Uint8Array): CellOrder {
  return (position, operand) => Number(getBit(values, position)) - Number(getBit(wanted, operand));
}

function stringOrder({ offsets, data }: BinaryVector, wanted: readonly Uint8Array[]): CellOrder {
  return (position, operand) => {
    const start = offsets[position] as number;
    return compareRange(data, start, offsets[position + 1] as number, wanted[operand] as Uint8Array);
  };
}

function prefixTest({ offsets, data }: BinaryVector, prefix: Uint8Array = new Uint8Array(0)): CellTest {
  return (position) => {
    const start = offsets[position] as number;
    const end = start + prefix.length;
    return end <= (offsets[position + 1] as number) && compareRange(data, start, end, prefix) === 0;
  };
}

function stringsOf(operands: ColumnBatch): Uint8Array[] {
  if (operands.kind !== "binary") {
    return [];
  }
  return Array.from({ length: operands.length }, (_, i) =>
    operands.data.subarray(operands.offsets[i], operands.offsets[i + 1]),
  );
}
