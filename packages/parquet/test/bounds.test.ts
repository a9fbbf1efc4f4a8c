/** Bounds of pages and chunks with conditions: unknown bounds exclude nothing. */
import type { CellValue } from "@cfile/encodings";
import { type ColumnCondition, type Condition, checkConditions } from "@cfile/encodings/conditions";
import type { SchemaElement } from "hyparquet";
import { describe, expect, it } from "vitest";
import { hasOrder, mayMeet, type PartBounds } from "../src/prune/bounds-test.js";
import { leavesOf } from "../src/schema/leaf-schema.js";
import type { ReadableLeaf } from "../src/schema/readable-leaf.js";

type Shape = Omit<SchemaElement, "name" | "repetition_type">;

function readable(shape: Shape): ReadableLeaf {
  const [leaf] = leavesOf([
    { name: "root", num_children: 1 },
    { name: "c", repetition_type: "OPTIONAL", ...shape },
  ]);
  if (leaf === undefined || "refused" in leaf.kind) {
    throw new TypeError("the column cannot be read");
  }
  return { leaf, kind: leaf.kind };
}

const NONE = new Uint8Array(0);
const bytes = (...values: readonly number[]): Uint8Array => Uint8Array.from(values);
const int32 = (value: number): Uint8Array => new Uint8Array(Int32Array.of(value).buffer);
const int64 = (value: bigint): Uint8Array => new Uint8Array(BigInt64Array.of(value).buffer);
const double = (value: number): Uint8Array => new Uint8Array(Float64Array.of(value).buffer);
const text = (value: string): Uint8Array => new TextEncoder().encode(value);

/** Minimum and maximum per part; `"null"` for a part with only nulls. */
function boundsOf(
  parts: readonly (readonly [Uint8Array, Uint8Array] | "null")[],
  nullCounts?: readonly number[],
): PartBounds {
  return {
    areNull: parts.map((part) => part === "null"),
    nullCounts,
    mins: parts.map((part) => (part === "null" ? NONE : part[0])),
    maxs: parts.map((part) => (part === "null" ? NONE : part[1])),
  };
}

type Tested = { op: Exclude<Condition["op"], "in">; value?: CellValue } | { op: "in"; values: CellValue[] };

function marks(shape: Shape, bounds: PartBounds, tested: Tested): number[] {
  const column = readable(shape);
  const { type } = column.kind;
  const given = { column: "c", ...tested } as Condition;
  const [condition] = checkConditions(given, [{ name: "c", type, nullable: true, array: false }]);
  return [...mayMeet(condition as ColumnCondition, bounds, column)];
}

const INT32: Shape = { type: "INT32" };
const TEXT: Shape = { type: "BYTE_ARRAY", converted_type: "UTF8" };
const TIMES: Shape = { type: "INT64", converted_type: "TIMESTAMP_MILLIS" };

describe("parts that may have rows", () => {
  const nulls = boundsOf([[int32(1), int32(2)], "null", [int32(3), int32(4)]], [0, 5, 1]);
  const unknown = boundsOf([[int32(1), int32(2)], "null"]);
  it.each<readonly [string, Shape, PartBounds, Tested, number[]]>([
    ["null counts", INT32, nulls, { op: "isNull" }, [0, 1, 1]],
    ["no null counts", INT32, unknown, { op: "isNull" }, [1, 1]],
    ["values", INT32, nulls, { op: "isNotNull" }, [1, 0, 1]],
    ["a value", INT32, nulls, { op: "=", value: 2 }, [1, 0, 0]],
    ["several values", INT32, nulls, { op: "in", values: [0, 4] }, [0, 0, 1]],
    [
      "bounds of another width",
      INT32,
      boundsOf([
        [int32(1), bytes(2, 0)],
        [NONE, int32(2)],
        [int32(1), int32(2)],
      ]),
      { op: "=", value: 9 },
      [1, 1, 0],
    ],
    [
      "bounds that are not numbers",
      { type: "DOUBLE" },
      boundsOf([
        [double(Number.NaN), double(1)],
        [double(0), double(Number.NaN)],
        [double(0), double(1)],
      ]),
      { op: ">", value: 5 },
      [1, 1, 0],
    ],
    [
      "texts, of which one may be empty",
      TEXT,
      boundsOf([[NONE, text("b")], [text("c"), text("d")], "null"]),
      { op: "<", value: "b" },
      [1, 0, 0],
    ],
    [
      "bounds that are stored in more bits",
      { type: "INT32", converted_type: "INT_8" },
      boundsOf([
        [int32(-8), int32(6)],
        [int32(7), int32(7)],
      ]),
      { op: "=", value: 7 },
      [0, 1],
    ],
    [
      "truncated texts",
      TEXT,
      boundsOf([
        [text("key 1"), text("key 3")],
        [text("kez"), text("z")],
        [text("a"), text("kex")],
      ]),
      { op: "prefix", value: "key 2" },
      [1, 0, 0],
    ],
    [
      "bits",
      { type: "BOOLEAN" },
      boundsOf([
        [bytes(0), bytes(0)],
        [bytes(0), bytes(1)],
        [NONE, bytes(0)],
      ]),
      { op: "=", value: true },
      [0, 1, 1],
    ],
    [
      "times that no value can have",
      TIMES,
      boundsOf([
        [int64(2n ** 62n), int64(2n ** 62n)],
        [int64(1n), int64(2n)],
      ]),
      { op: "=", value: 5n },
      [1, 1],
    ],
    [
      "times in milliseconds",
      TIMES,
      boundsOf([
        [int64(1n), int64(2n)],
        [int64(3n), int64(9n)],
      ]),
      { op: "<=", value: 2500n },
      [1, 0],
    ],
  ])("are found by %s", (_, shape, bounds, tested, expected) => {
    expect(marks(shape, bounds, tested)).toEqual(expected);
  });
});

it.each<readonly [string, Shape, boolean]>([
  ["INT32", INT32, true],
  ["INT96", { type: "INT96" }, false],
  ["INTERVAL", { type: "FIXED_LEN_BYTE_ARRAY", type_length: 12, converted_type: "INTERVAL" }, false],
])("bounds of %s are in the order of conditions, or are not used", (_, shape, expected) => {
  expect(hasOrder(readable(shape))).toBe(expected);
});

it("bounds of an array are not used", () => {
  const [leaf] = leavesOf([
    { name: "root", num_children: 1 },
    { name: "c", repetition_type: "REPEATED", type: "INT32" },
  ]);
  expect(leaf?.array).toBe(true);
  expect(leaf && hasOrder({ leaf, kind: { type: "INT32", change: "none" } })).toBe(false);
});
