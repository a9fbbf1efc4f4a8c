import { toHex } from "@cfile/bytes";
import type { DataType } from "@cfile/encodings";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type IcebergType, icebergSchema, type SourceColumn } from "../src/index.js";
import { metadataText, parseMetadata } from "../src/metadata/metadata-json.js";
import { serializedBounds } from "../src/schema/single-value.js";
import { tableColumn } from "../src/schema/table-columns.js";

const column = (type: DataType, more: Partial<SourceColumn> = {}): SourceColumn => ({
  id: 1,
  name: "c",
  type,
  nullable: true,
  array: false,
  ...more,
});

describe("types", () => {
  test.each<[DataType, string]>([
    ["BOOL", "boolean"],
    ["INT8", "int"],
    ["INT16", "int"],
    ["INT32", "int"],
    ["INT64", "long"],
    ["FLOAT", "float"],
    ["DOUBLE", "double"],
    ["DATE", "date"],
    ["UNIXTIME_MICROS", "timestamptz"],
    ["STRING", "string"],
    ["VARCHAR", "string"],
    ["BINARY", "binary"],
    ["DECIMAL64", "decimal(18, 0)"],
  ])("%s is %s", (type, name) => {
    expect(icebergSchema([column(type)]).fields[0]?.type).toBe(name);
  });

  test("decimals keep precision and scale, lists have an ID for their elements", () => {
    const { fields } = icebergSchema([
      column("DECIMAL128", { precision: 21, scale: 4 }),
      column("INT8", { id: 2, name: "l", array: true }),
    ]);
    expect(fields.map(({ type }) => type)).toEqual([
      "decimal(21, 4)",
      { type: "list", "element-id": 1_000_002, element: "int", "element-required": false },
    ]);
  });

  test.each<[DataType, number]>([
    ["UINT64", 1],
    ["INT128", 1],
    ["INT32", -1],
    ["INT32", 1_000_000],
  ])("%s with ID %d is refused", (type, id) => {
    expect(() => icebergSchema([column(type, { id })])).toThrow(/cannot be in an Iceberg table/);
  });
});

describe("columns of tables", () => {
  const list = (element: unknown) => ({ type: "list", "element-id": 2, element, "element-required": false });
  test.each<[unknown, object]>([
    ["uuid", { type: "BINARY", array: false }],
    ["fixed[4]", { type: "BINARY", array: false }],
    ["timestamp", { type: "UNIXTIME_MICROS", array: false }],
    ["decimal(9, 2)", { type: "DECIMAL32", precision: 9, scale: 2 }],
    ["decimal(18,0)", { type: "DECIMAL64", precision: 18, scale: 0 }],
    ["decimal(38, 38)", { type: "DECIMAL128", precision: 38, scale: 38 }],
    [list("int"), { type: "INT32", array: true }],
  ])("%j", (type, column) => {
    const field = { id: 1, name: "c", required: true, type: type as IcebergType };
    expect(tableColumn(field)).toMatchObject({ name: "c", nullable: false, ...column });
  });

  test.each([
    ["time"],
    ["constructor"],
    ["decimal(39, 2)"],
    [list(list("int"))],
    [{ type: "struct", fields: [] }],
    [{}],
  ])("%j is refused", (type) => {
    const field = { id: 1, name: "c", required: true, type: type as IcebergType };
    const code = "E_UNSUPPORTED";
    expect(() => tableColumn(field)).toThrow(expect.objectContaining({ code, field: "c" }));
  });
});

describe("bounds", () => {
  const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
  const hex = (bounds: ReturnType<typeof serializedBounds>): readonly (string | undefined)[] => [
    bounds.lower && toHex(bounds.lower),
    bounds.upper && toHex(bounds.upper),
  ];

  test.each([
    ["int", -1, 258, "ffffffff", "02010000"],
    ["date", 0, 1, "00000000", "01000000"],
    ["long", -2n, 1n, "feffffffffffffff", "0100000000000000"],
    ["boolean", false, true, "00", "01"],
    ["decimal(9, 2)", -129, 128, "ff7f", "0080"],
    ["decimal(38, 2)", 0n, 2n ** 64n, "00", "010000000000000000"],
  ])("of %s from %s to %s", (type, min, max, lower, upper) => {
    expect(hex(serializedBounds(type, { min, max }))).toEqual([lower, upper]);
  });

  test("floating point has none", () => {
    expect(serializedBounds("double", { min: 1, max: 2 })).toEqual({});
  });

  test("long text is truncated to 16 characters, the upper bound to the next greater text", () => {
    const text = utf8(`${"é".repeat(15)}\ud7ff${"z".repeat(9)}`);
    const { lower, upper } = serializedBounds("string", { min: text, max: text });
    expect(new TextDecoder().decode(lower)).toBe(`${"é".repeat(15)}\ud7ff`);
    expect(new TextDecoder().decode(upper)).toBe(`${"é".repeat(15)}\ue000`);
  });

  test.each([
    ["string", `${"a".repeat(15)}\u{10ffff}z`, `${"a".repeat(14)}b`],
    ["string", "a".repeat(17), `${"a".repeat(15)}b`],
    ["string", "\u{10ffff}".repeat(17), undefined],
    ["binary", `${"a".repeat(16)}z`, `${"a".repeat(15)}b`],
  ])("of %s, the last character that can be is increased: %s", (type, text, upper) => {
    const bounds = serializedBounds(type, { min: utf8(text), max: utf8(text) });
    expect(bounds.upper && new TextDecoder().decode(bounds.upper)).toBe(upper);
  });

  test("there is no upper bound if nothing is greater", () => {
    expect(
      serializedBounds("binary", { min: new Uint8Array(20), max: new Uint8Array(20).fill(255) }),
    ).toEqual({
      lower: new Uint8Array(16),
    });
  });

  test("bounds of text and bytes hold", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), fc.boolean(), (text, isText) => {
        const value = utf8(text);
        const { lower, upper } = serializedBounds(isText ? "string" : "binary", { min: value, max: value });
        expect(Buffer.compare(lower ?? new Uint8Array(), value)).toBeLessThanOrEqual(0);
        expect(upper === undefined || Buffer.compare(upper, value) >= 0).toBe(true);
      }),
    );
  });
});

test("integers of 63 bits in metadata survive", () => {
  const text =
    '{"a":[9223372036854775807,-9007199254740993,12],"b":"9223372036854775807","c":1.5e20,"d":"\\"1234567890123456789"}';
  const compact = metadataText(parseMetadata(text)).replace(/\s+/g, "");
  expect(compact).toBe(text.replace("1.5e20", "150000000000000000000"));
});
