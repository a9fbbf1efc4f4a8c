/** Pages with one field that writers never write, and values that a page cannot have. */
import { concatBytes } from "@cfile/bytes";
import type { SchemaElement } from "hyparquet";
import { describe, expect, it } from "vitest";
import { readDataPage } from "../src/pages/data-page.js";
import { expandCodes, type LeafValues, leafWidth } from "../src/pages/leaf-values.js";
import type { PageHeader } from "../src/pages/page-header.js";
import { joinPages } from "../src/pages/page-parts.js";
import { type Leaf, leavesOf } from "../src/schema/leaf-schema.js";

function leafOf(own: Partial<SchemaElement>): Leaf {
  const [leaf] = leavesOf([
    { name: "root", num_children: 1 },
    { name: "c", type: "INT32", repetition_type: "REQUIRED", ...own },
  ]);
  return leaf as Leaf;
}

function headerOf(body: Uint8Array, own: Partial<PageHeader>): PageHeader {
  return {
    ...{ kind: "data-v1", uncompressedSize: body.length, storedSize: body.length, crc: undefined },
    ...{ valueCount: 1, encoding: "PLAIN", definitionEncoding: "RLE", repetitionEncoding: "RLE" },
    ...{
      rowCount: undefined,
      nullCount: undefined,
      definitionBytes: 0,
      repetitionBytes: 0,
      isCompressed: false,
    },
    ...own,
  };
}

const as = (input: Uint8Array): Uint8Array => input;

function read(
  column: Partial<SchemaElement>,
  body: Uint8Array,
  header: Partial<PageHeader> = {},
  words?: LeafValues,
) {
  return readDataPage(body, { header: headerOf(body, header), leaf: leafOf(column), words }, as);
}

const bytes = (...values: readonly number[]): Uint8Array => Uint8Array.from(values);
const FIXED = (type_length: number): Partial<SchemaElement> => ({
  type: "FIXED_LEN_BYTE_ARRAY",
  type_length,
});
const TEXT = { type: "BYTE_ARRAY" } as const;
const OPTIONAL = { repetition_type: "OPTIONAL" } as const;

/** An arithmetic sequence as DELTA_BINARY_PACKED: a block of zero-width differences. */
function sequence(count: number, first: number, step = 0): Uint8Array {
  const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);
  return bytes(0x80, 1, 4, count, zigzag(first), ...(count > 1 ? [zigzag(step), 0, 0, 0, 0] : []));
}

describe("an encoding", () => {
  it.each<readonly [string, Partial<SchemaElement>]>([
    ["RLE", {}],
    ["RLE", TEXT],
    ["DELTA_BINARY_PACKED", { type: "DOUBLE" }],
    ["DELTA_BINARY_PACKED", TEXT],
    ["DELTA_LENGTH_BYTE_ARRAY", {}],
    ["DELTA_LENGTH_BYTE_ARRAY", FIXED(3)],
    ["DELTA_BYTE_ARRAY", { type: "INT64" }],
    ["BYTE_STREAM_SPLIT", { type: "BOOLEAN" }],
    ["BYTE_STREAM_SPLIT", { type: "INT96" }],
    ["BYTE_STREAM_SPLIT", TEXT],
    ["99", {}],
  ])("%s is refused for a type that it does not apply to", (encoding, column) => {
    expect(() => read(column, new Uint8Array(64), { encoding })).toThrow(
      expect.objectContaining({ code: "E_UNSUPPORTED", field: "encoding", actual: encoding }),
    );
  });

  it.each(["PLAIN_DICTIONARY", "RLE_DICTIONARY"])("%s is refused without a dictionary", (encoding) => {
    expect(() => read({}, bytes(1, 2, 0), { encoding })).toThrow(
      expect.objectContaining({ code: "E_CORRUPT", field: "dictionary page" }),
    );
  });

  it.each<readonly [string, Partial<SchemaElement>, Uint8Array, Partial<PageHeader>, object]>([
    [
      "codes of 33 bits",
      {},
      bytes(33),
      { encoding: "RLE_DICTIONARY" },
      { code: "E_CORRUPT", field: "index width", actual: 33 },
    ],
    [
      "a code that no entry has",
      {},
      bytes(1, 2, 1),
      { encoding: "RLE_DICTIONARY" },
      { code: "E_CORRUPT", field: "index" },
    ],
    [
      "a length of booleans beyond the page",
      { type: "BOOLEAN" },
      bytes(9, 0, 0, 0, 2, 1),
      { encoding: "RLE" },
      { code: "E_TRUNCATED" },
    ],
    [
      "differences of 65 bits",
      {},
      bytes(0x80, 1, 4, 2, 0, 0, 65, 0, 0, 0),
      { encoding: "DELTA_BINARY_PACKED", valueCount: 2 },
      { code: "E_CORRUPT", actual: 65 },
    ],
    [
      "blocks that are no miniblocks",
      {},
      bytes(0x80, 1, 3, 1, 0),
      { encoding: "DELTA_BINARY_PACKED" },
      { code: "E_CORRUPT" },
    ],
    [
      "another number of integers",
      {},
      sequence(2, 0),
      { encoding: "DELTA_BINARY_PACKED" },
      { code: "E_CORRUPT", actual: 2 },
    ],
    [
      "more integers than its bytes can hold",
      {},
      bytes(0x80, 1, 4, 0x80, 0x80, 0x80, 8, 0),
      { encoding: "DELTA_BINARY_PACKED", valueCount: 2 ** 24 },
      { code: "E_LIMIT", actual: 2 ** 24 },
    ],
    [
      "strings beyond the page",
      TEXT,
      concatBytes([sequence(2, 3), bytes(1, 2, 3, 4)]),
      { encoding: "DELTA_LENGTH_BYTE_ARRAY", valueCount: 2 },
      { code: "E_CORRUPT", field: "string length" },
    ],
    [
      "a string of negative length",
      TEXT,
      concatBytes([sequence(2, 1, -2), bytes(1)]),
      { encoding: "DELTA_LENGTH_BYTE_ARRAY", valueCount: 2 },
      { code: "E_CORRUPT", field: "string length" },
    ],
    [
      "a prefix of a string that is shorter",
      TEXT,
      concatBytes([sequence(2, 0, 5), sequence(2, 2), bytes(1, 2, 3, 4)]),
      { encoding: "DELTA_BYTE_ARRAY", valueCount: 2 },
      { code: "E_CORRUPT", field: "prefix length", actual: 5 },
    ],
    [
      "values that do not have the width of their type",
      FIXED(3),
      concatBytes([sequence(2, 0), sequence(2, 2), bytes(1, 2, 3, 4)]),
      { encoding: "DELTA_BYTE_ARRAY", valueCount: 2 },
      { code: "E_CORRUPT", field: "string length" },
    ],
    [
      "levels in an unknown encoding",
      OPTIONAL,
      bytes(2, 0, 0, 0, 2, 1, 7, 0, 0, 0),
      { definitionEncoding: "DELTA_BINARY_PACKED" },
      { code: "E_UNSUPPORTED", field: "definition levels" },
    ],
    [
      "levels beyond the page",
      OPTIONAL,
      bytes(2, 1, 7, 0, 0, 0),
      { kind: "data-v2", definitionBytes: 7, uncompressedSize: 100 },
      { code: "E_CORRUPT", field: "levels" },
    ],
    [
      "levels of more bytes than the page has uncompressed",
      OPTIONAL,
      bytes(2, 1, 7, 0, 0, 0),
      { kind: "data-v2", definitionBytes: 2, uncompressedSize: 1 },
      { code: "E_CORRUPT", field: "levels" },
    ],
    [
      "another number of nulls",
      OPTIONAL,
      bytes(2, 1, 7, 0, 0, 0),
      { kind: "data-v2", definitionBytes: 2, nullCount: 1 },
      { code: "E_CORRUPT", field: "number of nulls" },
    ],
  ])("is refused with %s", (_, column, body, header, error) => {
    const words: LeafValues = { kind: "fixed", length: 1, width: 4, bytes: new Uint8Array(4) };
    expect(() => read(column, body, header, words)).toThrow(expect.objectContaining(error));
  });

  it.each<readonly [string, Partial<SchemaElement>, Uint8Array, Partial<PageHeader>, readonly number[]]>([
    ["DELTA_BINARY_PACKED", {}, sequence(3, 5, -2), { valueCount: 3 }, [5, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0]],
    [
      "DELTA_BYTE_ARRAY",
      FIXED(2),
      concatBytes([sequence(2, 0, 1), sequence(2, 2, -1), bytes(1, 2, 3)]),
      { valueCount: 2 },
      [1, 2, 1, 3],
    ],
    ["BYTE_STREAM_SPLIT", FIXED(2), bytes(1, 3, 2, 4), { valueCount: 2 }, [1, 2, 3, 4]],
  ])("%s gives its values", (encoding, column, body, header, expected) => {
    const { values } = read(column, body, { encoding, ...header });
    expect(values.kind === "fixed" ? [...values.bytes] : undefined).toEqual(expected);
  });
});

describe("a page without values", () => {
  it.each<readonly [string, Partial<SchemaElement>, Uint8Array, Partial<PageHeader>]>([
    ["levels of version 1", OPTIONAL, bytes(0, 0, 0, 0), {}],
    ["levels of version 2", OPTIONAL, bytes(), { kind: "data-v2" }],
    ["codes", {}, bytes(), { encoding: "RLE_DICTIONARY" }],
    ["runs of booleans", { type: "BOOLEAN" }, bytes(), { encoding: "RLE" }],
  ])("may have %s", (_, column, body, header) => {
    const words: LeafValues = { kind: "fixed", length: 0, width: 4, bytes: bytes() };
    const { length, values } = read(column, body, { valueCount: 0, ...header }, words);
    expect([length, values.length]).toEqual([0, 0]);
  });
});

describe("values", () => {
  it("of a fixed length need a length", () => {
    expect(() => leafWidth(leafOf(FIXED(0)))).toThrow(
      expect.objectContaining({ code: "E_CORRUPT", field: "type_length" }),
    );
  });

  it("of a dictionary have bounded memory", () => {
    const size = 1 << 20;
    const words: LeafValues = {
      ...{ kind: "binary", length: 1, offsets: Int32Array.of(0, size), data: new Uint8Array(size) },
    };
    const codes: LeafValues = { kind: "codes", length: 257, codes: new Int32Array(257), words };
    expect(() => expandCodes(codes)).toThrow(expect.objectContaining({ code: "E_LIMIT", field: "values" }));
    const booleans: LeafValues = {
      kind: "codes",
      length: 1,
      codes: new Int32Array(1),
      words: { kind: "bool", length: 1, bits: bytes(1) },
    };
    expect(() => expandCodes(booleans)).toThrow(expect.objectContaining({ code: "E_INVALID_ARGUMENT" }));
  });

  it("of different columns are not joined", () => {
    const page = (values: LeafValues) => ({
      length: 1,
      definitions: bytes(1),
      repetitions: bytes(0),
      values,
    });
    const fixed = page({ kind: "fixed", length: 1, width: 1, bytes: bytes(7) });
    const text = page({ kind: "binary", length: 1, offsets: Int32Array.of(0, 1), data: bytes(7) });
    for (const [a, b] of [
      [fixed, text],
      [text, fixed],
    ] as const) {
      expect(() => joinPages(a, b)).toThrow(expect.objectContaining({ code: "E_INVALID_ARGUMENT" }));
    }
  });
});
