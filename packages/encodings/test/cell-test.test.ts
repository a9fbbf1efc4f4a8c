/** Compares conditions on whole batches with tests of single cells. */
import { compareBytes } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { batchFromValues } from "../src/batches.js";
import { type ConditionOp, ConditionTest } from "../src/conditions.js";
import {
  type CellValue,
  type ColumnBatch,
  DATA_TYPES,
  type DataType,
  DictionaryBatch,
  type ScalarBatch,
} from "../src/index.js";

type Plain = number | bigint | boolean | Uint8Array;

/** Few distinct values, so that equal ones are frequent, including the extremes. */
function valuesOf(type: DataType): fc.Arbitrary<Plain> {
  const { physical } = DATA_TYPES[type];
  const whole = (bits: number, signed: boolean): bigint[] => {
    const half = 1n << BigInt(bits - 1);
    const middle = 1n << BigInt(bits / 2);
    return signed
      ? [-half, -middle - 1n, -middle, -1n, 0n, 1n, middle, middle + 1n, half - 1n]
      : [0n, 1n, middle, middle + 1n, half - 1n, half, 2n * half - 1n];
  };
  switch (physical) {
    case "BOOL":
      return fc.boolean();
    case "BINARY":
      return fc
        .array(fc.constantFrom(97, 97, 97, 0, 255), { maxLength: 7 })
        .map((bytes) => Uint8Array.from(bytes));
    case "FLOAT":
    case "DOUBLE":
      return fc.constantFrom(0, -0, 1.5, -1.5, Number.NaN, Infinity, -Infinity, 2 ** -126, -(2 ** -126), 3);
    case "INT64":
    case "UINT64":
    case "INT128": {
      const bits = physical === "INT128" ? 128 : 64;
      return fc.constantFrom(...whole(bits, physical !== "UINT64"));
    }
    default: {
      const bits = 8 * DATA_TYPES[type].width;
      return fc.constantFrom(...whole(bits, physical.startsWith("INT")).map(Number));
    }
  }
}

function order(left: Plain, right: Plain): number {
  if (left instanceof Uint8Array && right instanceof Uint8Array) {
    return compareBytes(left, right);
  }
  return left < right ? -1 : left > right ? 1 : left === right ? 0 : Number.NaN;
}

function fulfils(cell: Plain | null, op: ConditionOp, operands: readonly Plain[]): boolean {
  if (cell === null || op === "isNull" || op === "isNotNull") {
    return op === "isNull" ? cell === null : op === "isNotNull" && cell !== null;
  }
  const [wanted = 0] = operands;
  switch (op) {
    case "=":
      return order(cell, wanted) === 0;
    case "<":
      return order(cell, wanted) < 0;
    case "<=":
      return order(cell, wanted) <= 0;
    case ">":
      return order(cell, wanted) > 0;
    case ">=":
      return order(cell, wanted) >= 0;
    case "prefix":
      return Buffer.from(cell as Uint8Array).indexOf(Buffer.from(wanted as Uint8Array)) === 0;
    default:
      return operands.some((operand) => order(cell, operand) === 0);
  }
}

const TYPES: readonly DataType[] = [
  "INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32", "INT64", "UINT64", "INT128", "BOOL", "FLOAT", "DOUBLE", "STRING", "BINARY",
]; // biome-ignore format: one line

describe.each(TYPES)("%s", (type) => {
  const ops: ConditionOp[] = ["=", "<", "<=", ">", ">=", "in", "isNull", "isNotNull"];
  const op = fc.constantFrom<ConditionOp>(
    ...ops,
    ...(DATA_TYPES[type].physical === "BINARY" ? (["prefix", "prefix"] as const) : []),
  );
  const cell = valuesOf(type);

  test("keeps the marks of rows that meet the condition", () => {
    const property = fc.property(
      fc.array(fc.option(cell, { nil: null, freq: 4 }), { minLength: 1, maxLength: 40 }),
      fc.array(fc.nat(1), { minLength: 40, maxLength: 40 }),
      fc.array(cell, { minLength: 1, maxLength: 9 }),
      op,
      fc.boolean(),
      (cells, marked, wanted, chosen, nullable) => {
        const own = nullable ? cells : cells.map((value) => value ?? (wanted[0] as Plain));
        const batch = batchFromValues({ type, nullable }, own) as ScalarBatch;
        const taken = chosen === "in" ? wanted : chosen.startsWith("is") ? [] : wanted.slice(0, 1);
        const operands = batchFromValues({ type, nullable: false }, taken) as ScalarBatch;
        const marks = Uint8Array.from(marked.slice(0, own.length));
        const expected = own.map((value, i) => (marks[i] === 1 && fulfils(value, chosen, taken) ? 1 : 0));
        const forms: ColumnBatch[] = [batch];
        if (batch.kind === "binary") {
          const codes = Int32Array.from(own, (_, i) => i);
          forms.push(
            new DictionaryBatch(batch, codes, {
              kind: "binary",
              length: batch.length,
              offsets: batch.offsets,
              data: batch.data,
            }),
          );
        }
        for (const form of forms) {
          const left = marks.slice();
          const count = new ConditionTest({ op: chosen, operands }).apply(form, left);
          expect([...left]).toEqual(expected);
          expect(count).toBe(expected.reduce((sum: number, one) => sum + one, 0));
        }
      },
    );
    fc.assert(property, { seed: 4, numRuns: 500 });
  });
});

test.each([
  ["INT32", (i: number) => 2 * i],
  ["INT64", (i: number) => BigInt(2 * i)],
  ["STRING", (i: number) => `number ${2 * i}`],
] as const)(
  "finds %s cells in a long list of values, in any order",
  (type, cellOf) => {
    const count = 200_000;
    const cells = Array.from({ length: count }, (_, i) => cellOf(i));
    const wanted = cells.filter((_, i) => i % 2 === 0).reverse();
    const [batch, operands] = [cells, wanted].map(
      (values) => batchFromValues({ type, nullable: false }, values) as ScalarBatch,
    );
    if (batch === undefined || operands === undefined) {
      throw new TypeError("no batches");
    }
    const marks = new Uint8Array(count).fill(1);
    expect(new ConditionTest({ op: "in", operands }).apply(batch, marks)).toBe(count / 2);
    expect(marks.every((mark, i) => mark === 1 - (i % 2))).toBe(true);
  },
  5000,
);

test("distinguishes adjacent floating-point values", () => {
  const values = [0.1, 0.1 - 2 ** -56, 0.1 + 2 ** -56, Number.MIN_VALUE, -Number.MIN_VALUE, Number.MAX_VALUE];
  const batch = batchFromValues({ type: "DOUBLE", nullable: false }, values) as ScalarBatch;
  for (const op of ["<", "<=", ">", ">=", "="] as const) {
    for (const wanted of [...values, 0, -0, Number.POSITIVE_INFINITY, -Number.MAX_VALUE]) {
      const operands = batchFromValues({ type: "DOUBLE", nullable: false }, [wanted]) as ScalarBatch;
      const marks = new Uint8Array(values.length).fill(1);
      new ConditionTest({ op, operands }).apply(batch, marks);
      expect([...marks]).toEqual(
        values.map((value: CellValue) => (fulfils(value as number, op, [wanted]) ? 1 : 0)),
      );
    }
  }
});

test.each([
  ["prefix", "abcde", [1, 0, 1, 0, 0]],
  ["prefix", "abcd", [1, 1, 1, 1, 0]],
  ["prefix", "", [1, 1, 1, 1, 1]],
  ["=", "abcdex", [1, 0, 0, 0, 0]],
  ["=", "abcde", [0, 0, 1, 0, 0]],
  ["=", "bcd", [0, 0, 0, 0, 1]],
] as const)("strings with a common prefix: %s %j", (op, wanted, expected) => {
  const words = ["abcdex", "abcdfx", "abcde", "abcd", "bcd"];
  const batch = batchFromValues({ type: "STRING", nullable: false }, words) as ScalarBatch;
  const operands = batchFromValues({ type: "STRING", nullable: false }, [wanted]) as ScalarBatch;
  const marks = new Uint8Array(words.length).fill(1);
  new ConditionTest({ op, operands }).apply(batch, marks);
  expect([...marks]).toEqual(expected);
});
