/** Unusual schemas, and the names and types of their columns. */
import { ByteReader } from "@cfile/bytes";
import type { ParquetType, SchemaElement } from "hyparquet";
import { describe, expect, it } from "vitest";
import { givenSchema, leafPaths } from "../src/found-schema/known-schema.js";
import { type LeafKind, leafKind } from "../src/schema/leaf-kind.js";
import { type Leaf, leavesOf } from "../src/schema/leaf-schema.js";
import { statedType } from "../src/schema/stated-type.js";
import { readStruct, skipField } from "../src/schema/thrift-struct.js";
import { typeName } from "../src/schema/type-name.js";
import { schemaOf, withFieldIds } from "../src/schema/write-schema.js";

const root = (num_children: number): SchemaElement => ({ name: "root", num_children });
const int: SchemaElement = { name: "a", type: "INT32", repetition_type: "REQUIRED" };
const group = (num_children: number): SchemaElement => ({
  name: "g",
  num_children,
  repetition_type: "OPTIONAL",
});

describe("a schema", () => {
  it.each<readonly [string, readonly SchemaElement[], string]>([
    ["no root", [], "num_children"],
    ["more children than elements", [root(3), int, int], "num_children"],
    ["a group that takes the children of another", [root(2), group(2), int, int], "schema"],
    ["a column without a type", [root(1), { name: "a" }], "schema type"],
    ["a precision of 64 bits", [root(1), { ...int, precision: 4n as never }], "precision"],
    ["half a child", [root(0.5), int], "num_children"],
    ["groups in groups", [root(1), ...Array<SchemaElement>(70).fill(group(1)), int], "schema"],
  ])("is refused with %s", (_, elements, field) => {
    expect(() => leavesOf(elements)).toThrow(expect.objectContaining({ code: "E_CORRUPT", field }));
  });

  it("may be empty", () => {
    expect([leavesOf([root(0)]), leafPaths([root(0)]), leafPaths([])]).toEqual([[], [], []]);
  });

  it("has the paths of its leaves, as far as it goes", () => {
    const elements = [root(3), group(2), int, { ...int, name: "b" }, { ...int, name: "c" }];
    expect(leafPaths(elements)).toEqual([["g", "a"], ["g", "b"], ["c"]]);
    expect(leafPaths(elements.slice(0, 3))).toEqual([["g", "a"]]);
  });

  it("may be given with or without its root, or as columns", () => {
    const column = { name: "a", type: "INT32", nullable: false, array: false } as const;
    const whole = [root(1), int];
    expect(givenSchema(whole).elements).toEqual(whole);
    expect(givenSchema([int]).elements).toEqual(whole);
    expect(givenSchema([column]).elements).toEqual(whole);
    expect(() => givenSchema([])).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT", field: "schema" }),
    );
  });
});

describe("a type", () => {
  it.each<readonly [Partial<SchemaElement>, string]>([
    [{ type: "INT96" }, "INT96"],
    [{ type: "FIXED_LEN_BYTE_ARRAY", type_length: 5 }, "FIXED_LEN_BYTE_ARRAY(5)"],
    [{ type: "FIXED_LEN_BYTE_ARRAY" }, "FIXED_LEN_BYTE_ARRAY(0)"],
    [{}, "group"],
    [{ type: "INT32", converted_type: "DECIMAL", precision: 9, scale: 2 }, "DECIMAL(9, 2)"],
    [{ type: "INT32", converted_type: "DECIMAL" }, "DECIMAL(0, 0)"],
    [{ type: "INT32", converted_type: "TIME_MILLIS" }, "TIME_MILLIS"],
    [{ logical_type: { type: "DECIMAL", precision: 4, scale: 1 } }, "DECIMAL(4, 1)"],
    [{ logical_type: { type: "TIMESTAMP", unit: "NANOS", isAdjustedToUTC: true } }, "TIMESTAMP(NANOS, UTC)"],
    [{ logical_type: { type: "TIME", unit: "MICROS", isAdjustedToUTC: false } }, "TIME(MICROS)"],
    [{ logical_type: { type: "INTEGER", bitWidth: 8, isSigned: false } }, "UINT(8)"],
    [{ logical_type: { type: "INTEGER", bitWidth: 64, isSigned: true } }, "INT(64)"],
    [{ logical_type: { type: "GEOMETRY", crs: "OGC:CRS84" } }, "GEOMETRY(OGC:CRS84)"],
    [{ logical_type: { type: "GEOGRAPHY" } }, "GEOGRAPHY"],
    [{ logical_type: { type: "UUID" } }, "UUID"],
  ])("of %j is named %s", (own, expected) => {
    expect(typeName({ name: "c", ...own })).toBe(expected);
  });

  it.each<readonly [ParquetType, Partial<SchemaElement>, string]>([
    ["BOOLEAN", { precision: 4, scale: 0 }, "DECIMAL in BOOLEAN"],
    ["DOUBLE", { precision: 4, scale: 0 }, "DECIMAL in DOUBLE"],
    ["INT32", { precision: 39, scale: 0 }, "DECIMAL(39, 0)"],
    ["INT32", { precision: 4, scale: 5 }, "DECIMAL(4, 5)"],
    ["INT32", { precision: 4, scale: -1 }, "DECIMAL(4, -1)"],
    ["INT32", {}, "DECIMAL(0, 0)"],
  ])("%s with %j cannot be in a CFile", (type, own, refused) => {
    expect(leafKind({ name: "c", converted_type: "DECIMAL", ...own }, type)).toEqual({ refused });
  });
});

describe("a type that the file's metadata state", () => {
  const leaf = (own: Partial<SchemaElement> = {}): Leaf => leavesOf([root(1), { ...int, ...own }])[0] as Leaf;
  const plain = (type: LeafKind["type"]): LeafKind => ({ type, change: "none" });
  const bytes16 = { type: "FIXED_LEN_BYTE_ARRAY", type_length: 16 } as const;
  it.each<readonly [string, string | undefined, LeafKind, Leaf, LeafKind]>([
    ["is not there", undefined, plain("INT32"), leaf(), plain("INT32")],
    ["is of another column", '{"b":"DATE"}', plain("INT32"), leaf(), plain("INT32")],
    ["is not JSON", "{", plain("INT32"), leaf(), plain("INT32")],
    ["is not an object", "null", plain("INT32"), leaf(), plain("INT32")],
    ["is unknown", '{"a":"TEXT"}', plain("INT32"), leaf(), plain("INT32")],
    ["is the same", '{"a":"INT32"}', plain("INT32"), leaf(), plain("INT32")],
    [
      "has the same bytes",
      '{"a":"VARCHAR"}',
      plain("STRING"),
      leaf({ type: "BYTE_ARRAY" }),
      plain("VARCHAR"),
    ],
    ["has other bytes", '{"a":"INT64"}', plain("INT32"), leaf(), plain("INT32")],
    [
      "has the same bytes after a change",
      '{"a":"UINT8"}',
      { type: "INT8", change: "narrow" },
      leaf(),
      { type: "INT8", change: "narrow" },
    ],
    ["is INT128", '{"a":"INT128"}', plain("BINARY"), leaf(bytes16), { type: "INT128", change: "big-endian" }],
    [
      "is INT128 in other bytes",
      '{"a":"INT128"}',
      plain("BINARY"),
      leaf({ ...bytes16, type_length: 8 }),
      plain("BINARY"),
    ],
  ])("counts unless it %s", (_, stated, kind, own, expected) => {
    const keyValues = new Map(stated === undefined ? [] : [["cfile.types", stated]]);
    expect(statedType(keyValues, kind, own)).toEqual(expected);
  });
});

it("field IDs belong to the column and to its elements", () => {
  const array = schemaOf({ name: "a", type: "INT32", nullable: true, array: true }, false);
  const ids = (...given: readonly number[]) => withFieldIds(array, given).map(({ field_id: id }) => id);
  expect([ids(), ids(5), ids(5, 6)]).toEqual([
    [undefined, undefined, undefined],
    [5, undefined, undefined],
    [5, undefined, 6],
  ]);
});

describe("a Thrift struct", () => {
  const read = (...bytes: readonly number[]) => readStruct(new ByteReader(Uint8Array.from(bytes)), "test");

  it("skips maps, sets, lists and large numbers", () => {
    // 1: an empty map; 2: a map of two pairs; 3: a set of booleans; 4: a list of 16 bytes; 5: a double; 6: a number
    const long = [0x19, 0xf3, 16, ...Array<number>(16).fill(7)];
    const fields = [
      0x1b,
      0,
      0x1b,
      2,
      0x53,
      2,
      9,
      4,
      8,
      0x1a,
      0x21,
      1,
      2,
      ...long,
      0x17,
      1,
      2,
      3,
      4,
      5,
      6,
      7,
      8,
      0x15,
      6,
    ];
    expect([...read(...fields, 0)]).toEqual([[6, 3]]);
  });

  it("has fields with numbers of their own", () => {
    // Field 100, then the next one.
    const reader = new ByteReader(Uint8Array.of(0x05, 0xc8, 1, 2, 0x15, 4, 0));
    expect(skipField(reader, 0, "test")).toBe(100);
    expect(skipField(reader, 100, "test")).toBe(101);
    expect(skipField(reader, 101, "test")).toBeUndefined();
    expect([...read(0x05, 0xc8, 1, 2, 0)]).toEqual([[100, 1]]);
  });

  it.each<readonly [string, readonly number[], string]>([
    ["nested too deep", Array<number>(40).fill(0x1c), "E_CORRUPT"],
    ["a list of lists that is nested too deep", [0x19, ...Array<number>(40).fill(0x19)], "E_CORRUPT"],
    ["of an unknown type", [0x1d, 0], "E_CORRUPT"],
    ["with a field twice", [0x15, 0, 0x05, 2, 0, 0], "E_CORRUPT"],
    ["with an endless number", [0x16, ...Array<number>(10).fill(0xff)], "E_CORRUPT"],
    ["that ends early", [0x15], "E_TRUNCATED"],
    ["with a list that ends early", [0x19, 0xf3, 0xff, 0x7f], "E_TRUNCATED"],
  ])("is refused if it is %s", (_, bytes, code) => {
    expect(() => read(...bytes)).toThrow(expect.objectContaining({ code, field: "test" }));
  });

  it("may have empty lists at any depth", () => {
    expect([...read(...Array<number>(32).fill(0x1c), 0x19, 0x0c, ...Array<number>(33).fill(0))].length).toBe(
      1,
    );
  });
});
