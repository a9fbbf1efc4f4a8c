/** Columns with types: values as HBase's `Bytes` and `OrderedBytes` encode them. */
import { fromHex } from "@cfile/bytes";
import type { CellValue } from "@cfile/encodings";
import { describe, expect, it } from "vitest";
import { ColumnBuilder } from "../src/columns/column-builder.js";
import { parseColumnSchema, type TypedColumn, tableColumns } from "../src/columns.js";
import { openRoot } from "./golden.js";

function decoded(type: string, hex: string): CellValue | undefined {
  const [column] = parseColumnSchema(`cf:q:${type}`);
  const builder = new ColumnBuilder(column as TypedColumn, 4, true);
  builder.add(fromHex(hex));
  return builder.finish(0).get(0);
}

/** Written by HBase 2.6.1. */
const VALUES: readonly (readonly [type: string, hex: string, value: unknown])[] = [
  ["int8(ordered)", "297b", -5],
  ["int16(ordered)", "2a7ed4", -300],
  ["int32(ordered)", "2b80011170", 70000],
  ["int64(ordered)", "2c7ffffffed5fa0e00", -5000000000n],
  ["float(ordered)", "30403fffff", -1.5],
  ["double(ordered)", "31c002000000000000", 2.25],
  ["double(ordered)", "313ffdffffffffffff", -2.25],
  ["string(ordered)", "347065617200", "pear"],
  ["binary(ordered)", "38010203", Uint8Array.of(1, 2, 3)],
  ["int8(ordered)", "d684", -5],
  ["int16(ordered)", "d5812b", -300],
  ["int32(ordered)", "d47ffeee8f", 70000],
  ["int64(ordered)", "d3800000012a05f1ff", -5000000000n],
  ["float(ordered)", "cfbfc00000", -1.5],
  ["double(ordered)", "ce3ffdffffffffffff", 2.25],
  ["double(ordered)", "cec002000000000000", -2.25],
  ["string(ordered)", "cb8f9a9e8dff", "pear"],
  ["binary(ordered)", "c7fefdfcff", Uint8Array.of(1, 2, 3)],
  ["int32(ordered)", "05", null],
  ["string(ordered)", "fa", null],
  ["double", "c002000000000000", -2.25],
  ["int64(bytes)", "fffffffed5fa0e00", -5000000000n],
  ["bool", "ff", true],
  ["bool", "00", false],
  ["int16", "fed4", -300],
  ["float", "bfc00000", -1.5],
  ["string", "70656172", "pear"],
  ["binary", "", new Uint8Array(0)],
  ["double(utf8)", "31322e35", 12.5],
  ["int32(utf8)", "2d3432", -42],
  ["int64(UTF-8)", "39323233333732303336383534373735383037", 9223372036854775807n],
  ["bool(utf8)", "74727565", true],
];

describe("values", () => {
  it.each(VALUES)("%s of %s", (type, hex, value) => {
    expect(decoded(type, hex)).toEqual(value);
  });

  it.each([
    ["double", "00"],
    ["int32", "0102030405"],
    ["bool", ""],
    ["int8(ordered)", "2a7ed4"],
    ["int32(ordered)", "2b8001"],
    ["string(ordered)", "34706561"],
    ["int8(utf8)", "323030"],
    ["double(utf8)", "78"],
    ["bool(utf8)", "31"],
  ])("%s refuses %s", (type, hex) => {
    expect(() => decoded(type, hex)).toThrow(expect.objectContaining({ code: "E_INVALID_ARGUMENT" }));
  });
});

describe("schema", () => {
  it("has bytes in qualifiers, and the row", () => {
    const columns = parseColumnSchema("row:string, cf:a\\x00\\xffb:int32(ordered), cf::binary");
    expect(
      columns.map(({ name, family, qualifier, type, encoding }) => [
        name,
        family,
        [...qualifier],
        type,
        encoding,
      ]),
    ).toEqual([
      ["row", undefined, [], "STRING", "bytes"],
      ["cf:a\\x00\\xffb", "cf", [0x61, 0, 0xff, 0x62], "INT32", "ordered"],
      ["cf:", "cf", [], "BINARY", "bytes"],
    ]);
  });

  it.each(["", "cf:a", "cf:a:decimal", "cf:a:int32(packed)", "price:double", "cf:a:int32,cf:a:int64"])(
    "refuses %j",
    (text) => {
      expect(() => parseColumnSchema(text)).toThrow(expect.objectContaining({ code: "E_INVALID_ARGUMENT" }));
    },
  );
});

describe("a table", () => {
  it("has a row per row with the newest values, and nulls", async () => {
    await using table = await (await openRoot()).openTable("tracked");
    const { columns, rows } = tableColumns(table, parseColumnSchema("row:string,a:q0:string,b:q0:string"), {
      limit: 3,
    });
    expect(columns.map(({ name, type, nullable }) => [name, type, nullable])).toEqual([
      ["row", "STRING", false],
      ["a:q0", "STRING", true],
      ["b:q0", "STRING", true],
    ]);
    const found: unknown[] = [];
    for await (const batch of rows) {
      found.push(...batch.columns.map((column) => column.toArray()));
    }
    expect(found[0]).toEqual(["f00000", "f00002", "f00004"]);
    expect(found[1]).toEqual(["v50-sgjhzbfiyyn", null, expect.any(String)]);
  });

  it("names row and column of a value that does not fit", async () => {
    await using table = await (await openRoot()).openTable("tracked");
    const { rows } = tableColumns(table, parseColumnSchema("a:q0:double"));
    await expect(rows.next()).rejects.toThrow(/row 0x6630.*column "a:q0"/);
  });

  it("needs a column", async () => {
    await using table = await (await openRoot()).openTable("tracked");
    expect(() => tableColumns(table, parseColumnSchema("row:string"))).toThrow("no column is stated");
  });
});
