import { readGolden } from "@cfile-tools/testkit";
import type { SchemaElement } from "hyparquet";
import { describe, expect, it, test } from "vitest";
import { findArrowSchema } from "../src/found-schema/arrow-schema.js";
import { openParquet } from "../src/index.js";
import { type FlatField, flatMessage } from "./flat-buffer.js";

const text = new TextEncoder();

/** A key-value pair in a footer. */
function pair(value: string): Uint8Array {
  const bytes = text.encode(value);
  const length: number[] = [];
  for (let left = bytes.length; ; left = Math.floor(left / 128)) {
    length.push(left < 128 ? left : (left & 127) | 128);
    if (left < 128) {
      break;
    }
  }
  const head = [9, 9, ...text.encode("ARROW:schema"), 0x18, ...length];
  const out = new Uint8Array(head.length + bytes.length + 1);
  out.set(head);
  out.set(bytes, head.length);
  return out;
}

const inFooter = (message: Uint8Array): Uint8Array => pair(Buffer.from(message).toString("base64"));

interface Options {
  readonly name?: string | undefined;
  readonly nullable?: boolean | undefined;
  readonly children?: readonly (readonly FlatField[])[] | undefined;
}

/** A field: name, nullable, kind of type, type, dictionary, children. */
function field(
  kind: number,
  type?: readonly FlatField[],
  { name = "c", nullable = true, children }: Options = {},
): FlatField[] {
  return [
    name,
    nullable ? 1 : undefined,
    kind,
    type && { table: type },
    undefined,
    children && { vector: children },
  ];
}

function elementsOf(...fields: readonly (readonly FlatField[])[]): SchemaElement[] | undefined {
  return findArrowSchema(inFooter(flatMessage([undefined, { vector: fields }])));
}

describe("a column of Arrow", () => {
  const decimal = {
    converted_type: "DECIMAL",
    precision: 9,
    scale: 2,
    logical_type: { type: "DECIMAL", precision: 9, scale: 2 },
  };
  const timestamp = (unit: string, isAdjustedToUTC: boolean) => ({
    type: "INT64",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC, unit },
  });
  const time = (type: string, unit: string) => ({
    type,
    logical_type: { type: "TIME", isAdjustedToUTC: true, unit },
  });
  const strings = { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } };

  it.each<[string, number, readonly FlatField[] | undefined, object]>([
    ["null", 1, [], { type: "INT32" }],
    ["int8", 2, [8, 1], { type: "INT32", converted_type: "INT_8" }],
    ["int16", 2, [16, 1], { type: "INT32", converted_type: "INT_16" }],
    ["int32", 2, [32, 1], { type: "INT32" }],
    ["int64", 2, [64, 1], { type: "INT64" }],
    ["uint8", 2, [8], { type: "INT32", converted_type: "UINT_8" }],
    ["uint16", 2, [16], { type: "INT32", converted_type: "UINT_16" }],
    ["uint32", 2, [32], { type: "INT32", converted_type: "UINT_32" }],
    ["uint64", 2, [64], { type: "INT64", converted_type: "UINT_64" }],
    ["half", 3, [], { type: "FIXED_LEN_BYTE_ARRAY", type_length: 2, logical_type: { type: "FLOAT16" } }],
    ["float", 3, [1], { type: "FLOAT" }],
    ["double", 3, [2], { type: "DOUBLE" }],
    ["binary", 4, [], { type: "BYTE_ARRAY" }],
    ["string", 5, [], strings],
    ["bool", 6, [], { type: "BOOLEAN" }],
    ["decimal(9, 2)", 7, [9, 2], { type: "FIXED_LEN_BYTE_ARRAY", type_length: 4, ...decimal }],
    ["date", 8, [], { type: "INT32", converted_type: "DATE", logical_type: { type: "DATE" } }],
    ["time in seconds", 9, [0], time("INT32", "MILLIS")],
    ["time", 9, [], time("INT32", "MILLIS")],
    ["time in microseconds", 9, [2], time("INT64", "MICROS")],
    ["time in nanoseconds", 9, [3], time("INT64", "NANOS")],
    ["timestamp", 10, [], timestamp("MILLIS", false)],
    ["timestamp of a zone", 10, [3, "UTC"], timestamp("NANOS", true)],
    ["fixed bytes", 15, [12], { type: "FIXED_LEN_BYTE_ARRAY", type_length: 12 }],
    ["duration", 18, [1], { type: "INT64" }],
    ["large binary", 19, [], { type: "BYTE_ARRAY" }],
    ["large string", 20, [], strings],
    ["binary view", 23, [], { type: "BYTE_ARRAY" }],
    ["string view", 24, [], strings],
  ])("of type %s", (_, kind, type, expected) => {
    expect(elementsOf(field(kind, type))).toEqual([
      { name: "schema", num_children: 1 },
      { name: "c", repetition_type: "OPTIONAL", ...expected },
    ]);
  });

  it("may have no name", () => {
    const [, element] = elementsOf([undefined, 1, 6, { table: [] }]) ?? [];
    expect(element).toEqual({ name: "", repetition_type: "OPTIONAL", type: "BOOLEAN" });
  });

  it("is required if it is not nullable", () => {
    expect(elementsOf(field(6, [], { nullable: false, name: "é" }))?.[1]).toMatchObject({
      name: "é",
      repetition_type: "REQUIRED",
    });
  });

  it.each([
    ["list", 12],
    ["list of a fixed size", 16],
    ["large list", 21],
  ])("that is a %s has a repeated group", (_, kind) => {
    const item = field(6, [], { name: "element" });
    expect(elementsOf(field(kind, [], { children: [item] }))?.slice(1)).toMatchObject([
      { name: "c", repetition_type: "OPTIONAL", num_children: 1, converted_type: "LIST" },
      { name: "list", repetition_type: "REPEATED", num_children: 1 },
      { name: "element", type: "BOOLEAN" },
    ]);
  });

  it("that is a struct has its columns", () => {
    const children = [field(6, [], { name: "a" }), field(8, [], { name: "b" })];
    expect(elementsOf(field(13, [], { children }))?.slice(1)).toMatchObject([
      { name: "c", num_children: 2 },
      { name: "a", type: "BOOLEAN" },
      { name: "b", type: "INT32" },
    ]);
  });

  it("that is a map has keys and values", () => {
    const pairs = [field(5, [], { name: "key", nullable: false }), field(6, [], { name: "value" })];
    const entries = field(13, [], { name: "entries", children: pairs, nullable: false });
    expect(elementsOf(field(17, [], { children: [entries] }))?.slice(1)).toMatchObject([
      { name: "c", num_children: 1, converted_type: "MAP" },
      { name: "key_value", repetition_type: "REPEATED", num_children: 2 },
      { name: "key", type: "BYTE_ARRAY", repetition_type: "REQUIRED" },
      { name: "value", type: "BOOLEAN" },
    ]);
  });
});

describe("a schema of Arrow", () => {
  it("is found behind one that is damaged, and without the mark of newer versions", () => {
    const old = inFooter(flatMessage([undefined, { vector: [field(6, [])] }], false));
    const both = Uint8Array.from([...pair("not base64!"), ...pair("AAAA"), ...text.encode("ARROW"), ...old]);
    expect(findArrowSchema(both)?.length).toBe(2);
  });

  it("may be long", () => {
    const fields = Array.from({ length: 5000 }, (_, i) => field(6, [], { name: `column ${i}` }));
    expect(elementsOf(...fields)?.length).toBe(5001);
  });

  const one = [field(6, [])];
  const two = [field(6, []), field(6, [])];
  const deep = (depth: number): FlatField[] =>
    depth === 0 ? field(6, []) : field(13, [], { children: [deep(depth - 1)] });

  it.each<[string, Uint8Array]>([
    ["not there", text.encode("ARROW:schem")],
    ["not a text", Uint8Array.from([...text.encode("ARROW:schema"), 0x19, 4, 65, 65, 65, 65])],
    ["longer than the footer", pair("AAAA").subarray(0, -2)],
    [
      "of an endless length",
      Uint8Array.from([...text.encode("ARROW:schema"), 0x18, 255, 255, 255, 255, 255, 255]),
    ],
    ["long and not base64", pair("?".repeat(1 << 20))],
    ["without columns", inFooter(flatMessage([undefined, { vector: [] }]))],
    ["without a list of columns", inFooter(flatMessage([]))],
    ["of an unknown type", inFooter(flatMessage([undefined, { vector: [field(99, [])] }]))],
    ["nested too deep", inFooter(flatMessage([undefined, { vector: [deep(66)] }]))],
    ["of a decimal without digits", inFooter(flatMessage([undefined, { vector: [field(7, [0, 0])] }]))],
    [
      "of a decimal with too many digits",
      inFooter(flatMessage([undefined, { vector: [field(7, [1000, 0])] }])),
    ],
    ["of bytes of a negative size", inFooter(flatMessage([undefined, { vector: [field(15, [-1])] }]))],
    ["of columns that contain each other", cyclic()],
    ["of more columns than it has bytes", endless()],
    ["cut in the length of its text", text.encode("ARROW:schema\u0018")],
    ["of a list of nothing", inFooter(flatMessage([undefined, { vector: [field(12, [])] }]))],
    ["of a list of two", inFooter(flatMessage([undefined, { vector: [field(12, [], { children: two })] }]))],
    [
      "of a map of values",
      inFooter(flatMessage([undefined, { vector: [field(17, [], { children: one })] }])),
    ],
    ["of a map of two", inFooter(flatMessage([undefined, { vector: [field(17, [], { children: two })] }]))],
    ["of a map of nothing", inFooter(flatMessage([undefined, { vector: [field(17, [])] }]))],
    ["without a table of columns", inFooter(flatMessage(undefined))],
    ["of a type without its table", inFooter(flatMessage([undefined, { vector: [field(2)] }]))],
    ["of integers of no width", inFooter(flatMessage([undefined, { vector: [field(2, [])] }]))],
    ["of integers of 24 bits", inFooter(flatMessage([undefined, { vector: [field(2, [24, 1])] }]))],
    ["of integers of -8 bits", inFooter(flatMessage([undefined, { vector: [field(2, [-8, 1])] }]))],
    ["of integers of 128 bits", inFooter(flatMessage([undefined, { vector: [field(2, [128, 1])] }]))],
    ["of floats of an unknown precision", inFooter(flatMessage([undefined, { vector: [field(3, [3])] }]))],
    ["of times in an unknown unit", inFooter(flatMessage([undefined, { vector: [field(9, [4])] }]))],
    ["of timestamps in an unknown unit", inFooter(flatMessage([undefined, { vector: [field(10, [-1])] }]))],
  ])("is not found if it is %s", (_, bytes) => {
    expect(findArrowSchema(bytes)).toBeUndefined();
  });
});

/** Structs whose two children both refer to the next struct: a few bytes that represent 2^60 columns. */
function cyclic(): Uint8Array {
  const levels = 60;
  const struct = Array.from({ length: levels }, () =>
    field(13, [], { children: [field(6, []), field(6, [])] }),
  );
  const whole = flatMessage([undefined, { vector: struct }]);
  const view = new DataView(whole.buffer);
  const tables = childVectors(view, struct.length);
  for (const [level, slot] of tables.entries()) {
    const next = tables[level + 1];
    if (next !== undefined) {
      for (let i = 0; i < 2; i++) {
        view.setUint32(slot.children + 4 + 4 * i, next.table - (slot.children + 4 + 4 * i), true);
      }
    }
  }
  return inFooter(whole);
}

/** A list of columns that claims more than a schema may have. */
function endless(): Uint8Array {
  const whole = flatMessage([undefined, { vector: [field(6, [])] }]);
  const view = new DataView(whole.buffer);
  view.setUint32(columnsAt(view), 200_000, true);
  return inFooter(whole);
}

const follow = (view: DataView, at: number): number => at + view.getUint32(at, true);

function slotOf(view: DataView, table: number, index: number): number {
  const list = table - view.getInt32(table, true);
  return table + view.getUint16(list + 4 + 2 * index, true);
}

/** Offset of the vector of columns. */
function columnsAt(view: DataView): number {
  return follow(view, slotOf(view, follow(view, slotOf(view, follow(view, 8), 2)), 1));
}

/** For each column, the offsets of its table and of the vector of its children. */
function childVectors(view: DataView, count: number): { table: number; children: number }[] {
  const fields = columnsAt(view);
  return Array.from({ length: count }, (_, i) => {
    const table = follow(view, fields + 4 + 4 * i);
    return { table, children: follow(view, slotOf(view, table, 5)) };
  });
}

test.each([
  "parquet-testing/data/null_list",
  "parquet-testing/data/float16_nonzeros_and_nans",
  "parquet-testing/data/byte_stream_split_extended.gzip",
  "parquet-testing/data/sort_columns",
  "parquet-testing/data/list_columns",
  "parquet-testing/data/binary_truncated_min_max",
  "parquet/list_columns",
])("the schema of Arrow in %s has the leaves of its Parquet schema", async (name) => {
  const bytes = readGolden(`${name}.parquet`);
  const own = (await openParquet(bytes)).metadata.schema;
  const leaf = ({ type, type_length, repetition_type, num_children }: SchemaElement) =>
    [type, type_length, repetition_type, num_children].map((each) => each ?? "-").join(" ");
  const found = findArrowSchema(bytes)?.map(leaf);
  expect(found?.slice(1)).toEqual(own.slice(1).map(leaf));
});
