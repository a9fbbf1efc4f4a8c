/** Values of pages as columns of a CFile: values outside the range of a type are refused. */
import type { SchemaElement } from "hyparquet";
import { describe, expect, it } from "vitest";
import type { DataPage } from "../src/pages/data-page.js";
import type { LeafValues } from "../src/pages/leaf-values.js";
import { batchOfPage, vectorOf } from "../src/read/leaf-batch.js";
import { type LeafKind, leafKind } from "../src/schema/leaf-kind.js";
import { type Leaf, leavesOf } from "../src/schema/leaf-schema.js";

const bytes = (...values: readonly number[]): Uint8Array => Uint8Array.from(values);
const fixed = (width: number, ...values: readonly number[]): LeafValues => ({
  ...{ kind: "fixed", width, length: values.length / width, bytes: bytes(...values) },
});
const binary = (...values: readonly (readonly number[])[]): LeafValues => {
  let end = 0;
  const ends = values.map((value) => (end += value.length));
  return {
    kind: "binary",
    length: values.length,
    offsets: Int32Array.from([0, ...ends]),
    data: bytes(...values.flat()),
  };
};

function kindOf(type: SchemaElement["type"], own: Partial<SchemaElement>): LeafKind {
  const kind = leafKind({ name: "c", ...own }, type as NonNullable<typeof type>);
  if ("refused" in kind) {
    throw new TypeError(kind.refused);
  }
  return kind;
}

const decimal = (precision: number): LeafKind =>
  kindOf("BYTE_ARRAY", { converted_type: "DECIMAL", precision, scale: 0 });

describe("big-endian decimals", () => {
  it.each<readonly [string, LeafValues, number, readonly (number | bigint)[]]>([
    ["of any length", binary([], [1], [0xff], [1, 2], [0xff, 0x7f]), 9, [0, 1, -1, 258, -129]],
    [
      "with more bytes than digits",
      binary([0, 0, 0, 0, 0, 5], [0xff, 0xff, 0xff, 0xff, 0xff, 0xfb]),
      9,
      [5, -5],
    ],
    ["of fixed length", fixed(3, 0, 1, 0, 0xff, 0xff, 0xfe), 9, [256, -2]],
    ["of 8 bytes", fixed(8, 0x7f, 0, 0, 0, 0, 0, 0, 1), 18, [0x7f00000000000001n]],
  ])("are read: %s", (_, values, precision, expected) => {
    const vector = vectorOf(values, decimal(precision));
    expect(vector.kind === "fixed" ? [...vector.values] : undefined).toEqual(expected);
  });

  it.each([
    ["more bytes", binary([1, 0, 0, 0, 0])],
    ["fewer bytes below zero", binary([0xfe, 0xff, 0xff, 0xff, 0xff])],
    ["a sign that does not fit", binary([0, 0x80, 0, 0, 0])],
    ["a sign below zero that does not fit", binary([0xff, 0x7f, 0xff, 0xff, 0xff])],
  ])("are refused with %s than the type has", (_, values) => {
    expect(() => vectorOf(values, decimal(9))).toThrow(
      expect.objectContaining({ code: "E_CORRUPT", field: "decimal" }),
    );
  });
});

describe("values that are not of their type", () => {
  const bool: LeafKind = { type: "BOOL", change: "none" };
  it.each<readonly [string, LeafValues, LeafKind]>([
    ["numbers as booleans", fixed(1, 1), bool],
    ["strings as booleans", binary([1]), bool],
    ["8 bytes as 4", fixed(8, ...Array(8).fill(1)), { type: "INT32", change: "none" }],
    ["strings as numbers", binary([1, 2, 3, 4]), { type: "INT32", change: "none" }],
    ["4 bytes as a half", fixed(4, 1, 2, 3, 4), { type: "FLOAT", change: "half" }],
    ["a number out of range", fixed(4, 0, 1, 0, 0), { type: "UINT8", change: "narrow" }],
    ["a number below the range", fixed(4, 0xff, 0xff, 0, 0xff), { type: "INT16", change: "narrow" }],
    [
      "milliseconds of a far time",
      fixed(8, 0, 0, 0, 0, 0, 0, 0, 0x40),
      { type: "UNIXTIME_MICROS", change: "millis" },
    ],
  ])("are refused: %s", (_, values, kind) => {
    expect(() => vectorOf(values, kind)).toThrow(
      expect.objectContaining({ code: "E_CORRUPT", field: "values" }),
    );
  });

  it("may be bytes of a fixed length", () => {
    const vector = vectorOf(fixed(2, 1, 2, 3, 4), { type: "BINARY", change: "none" });
    expect(vector).toMatchObject({
      kind: "binary",
      offsets: Int32Array.of(0, 2, 4),
      data: bytes(1, 2, 3, 4),
    });
  });
});

describe("the levels of a list", () => {
  const leaf = leavesOf([
    { name: "root", num_children: 1 },
    { name: "c", type: "INT32", repetition_type: "REPEATED" },
  ])[0] as Leaf;
  const kind: LeafKind = { type: "INT32", change: "none" };
  const page = (repetitions: readonly number[], definitions: readonly number[]): DataPage => {
    const count = definitions.filter((level) => level === 1).length;
    return {
      length: repetitions.length,
      repetitions: Uint8Array.from(repetitions),
      definitions: Uint8Array.from(definitions),
      values: { kind: "fixed", width: 4, length: count, bytes: new Uint8Array(4 * count) },
    };
  };

  it.each([
    ["an empty list that continues", [0, 1], [0, 0]],
    ["a first value that continues", [1], [1]],
  ])("are refused with %s", (_, repetitions, definitions) => {
    expect(() => batchOfPage(page(repetitions, definitions), leaf, kind, 0)).toThrow(
      expect.objectContaining({ code: "E_CORRUPT", field: "levels" }),
    );
  });

  it("are refused with more elements than a CFile can have", () => {
    const lengths = (count: number) => [0, ...Array<number>(count - 1).fill(1)];
    const whole = page(lengths(65_535), Array(65_535).fill(1));
    expect(batchOfPage(whole, leaf, kind, 5).length).toBe(1);
    const long = page(lengths(65_536), Array(65_536).fill(1));
    expect(() => batchOfPage(long, leaf, kind, 5)).toThrow(
      expect.objectContaining({
        code: "E_LIMIT",
        message: expect.stringContaining("row 5 has more than 65535"),
      }),
    );
  });
});
