/** Files without any schema, which is guessed from the encodings and values of their pages. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { concatBytes } from "@cfile/bytes";
import { temporaryFolder } from "@cfile-tools/testkit";
import type { SchemaElement } from "hyparquet";
import { describe, expect, it } from "vitest";
import { closerType } from "../src/found-schema/guess-pages.js";
import type { LeafValues } from "../src/pages/leaf-values.js";
import { MAGIC } from "../src/write/parquet-output.js";
import { craftedFile } from "./crafted-file.js";
import { withDuckDB } from "./duckdb-rows.js";
import { footerSize, partsOf, rebuilt, rowTexts } from "./rebuilt-rows.js";

const withoutFooter = (bytes: Uint8Array): Uint8Array => bytes.slice(0, bytes.length - footerSize(bytes));

describe("the pages of DuckDB's version 2", () => {
  it("have the types that their encodings allow", async () => {
    const path = join(temporaryFolder(), "guessed.parquet");
    const select = `SELECT (i * i * 7919) % 1000003 AS big, (i * 31 % 99991)::INT AS number, 'text ' || (i * 7919) AS word,
      ((i * 7919) % 10007) / 7.0 AS real, (((i * 7919) % 10007) / 7.0)::FLOAT AS short, i % 2 = 0 AS flag,
      uuid() AS id, ''::VARCHAR AS empty FROM range(6144) t(i)`;
    const form = "PARQUET_VERSION v2, DICTIONARY_SIZE_LIMIT 1, COMPRESSION uncompressed, ROW_GROUP_SIZE 2048";
    await withDuckDB((connection) =>
      connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet, ${form})`),
    );
    const bytes = new Uint8Array(await readFile(path));
    const { rows, ledger } = await rebuilt(withoutFooter(bytes), {});
    expect([ledger.schemaFrom, ledger.columns.map(({ type }) => type)]).toEqual([
      "guessed",
      ["INT64", "INT64", "STRING", "DOUBLE", "FLOAT", "BOOLEAN", "FIXED_LEN_BYTE_ARRAY(16)", "STRING"],
    ]);
    // The bytes of small integers do not show their width.
    const widened = (row: string) => row.replace(/^(\|[^|]*\|[^|]*)/, "$100000000");
    expect(rows).toEqual((await rowTexts(bytes)).map(widened));
  });
});

function refusal(error: unknown): undefined {
  expect(error).toMatchObject({ name: "CFileError", field: "schema" });
}

describe("the pages of several columns", () => {
  const schema: readonly SchemaElement[] = [
    { name: "root", num_children: 2 },
    { name: "a", type: "INT32", repetition_type: "REQUIRED" },
    { name: "b", type: "INT32", repetition_type: "OPTIONAL" },
  ];
  /** Row groups with pages of these row counts; every page of the second column has a null. */
  function groups(
    count: number,
    sizes: readonly number[],
  ): { readonly bytes: Uint8Array; readonly rows: string[] } {
    const rows = sizes.flatMap((size) => Array.from({ length: size }, (_, i) => i === 0));
    const starts = sizes.map((_, page) => sizes.slice(0, page).reduce((sum, size) => sum + size, 0));
    const numbers = (page: number) =>
      Array.from({ length: sizes[page] ?? 0 }, (_, i) => 1000 + (starts[page] ?? 0) + i);
    const file = craftedFile(schema, rows.length, [
      { path: "a", pages: sizes.map((_, page) => ({ values: numbers(page) })) },
      {
        path: "b",
        pages: sizes.map((size, page) => ({
          values: numbers(page).slice(1),
          definitions: [0, ...Array<number>(size - 1).fill(1)],
        })),
      },
    ]);
    const little = (value: number) => Buffer.from(Int32Array.of(value).buffer).toString("hex");
    const texts = rows.map((isNull, i) => `|${little(1000 + i)}|${isNull ? "-0" : little(1000 + i)}`);
    return {
      bytes: concatBytes([MAGIC, ...Array<Uint8Array>(count).fill(withoutFooter(file).subarray(4))]),
      rows: Array<string[]>(count).fill(texts).flat(),
    };
  }

  it.each([
    [3, [60]],
    [3, [25, 35]],
    [3, [31, 7, 13, 41, 53, 17]],
  ])("recur: %i row groups with pages of %j rows", async (count, sizes) => {
    const { bytes, rows: expected } = groups(count, sizes);
    const { rows, ledger } = await rebuilt(bytes, {});
    expect(ledger.columns.map(({ path, type }) => `${path} ${type}`)).toEqual(["c0 INT32", "c1 INT32"]);
    expect(rows).toEqual(expected);
  });

  it("give no wrong row when one of them is damaged", async () => {
    const { bytes, rows: whole } = groups(3, [25, 35]);
    const expected = new Set(whole);
    const pages = (await partsOf(bytes)).filter(({ kind }) => kind === "page");
    for (const { offset, size } of pages) {
      const damaged = bytes.slice();
      damaged[offset + size - 1] = (damaged[offset + size - 1] ?? 0) ^ 0x40;
      // The guess may have a different number of columns, or there may be no matching schema.
      const found = await rebuilt(damaged, { lost: "drop" }).catch(refusal);
      expect(found?.ledger.ok ?? false).toBe(false);
      if (found?.ledger.columns.length === 2) {
        expect(found.rows.filter((row) => !expected.has(row))).toEqual([]);
      }
    }
  });
});

describe("a closer type", () => {
  const fixed = (array: Float32Array | Float64Array | Int32Array | BigInt64Array): LeafValues => ({
    ...{ kind: "fixed", width: array.BYTES_PER_ELEMENT, length: array.length },
    bytes: new Uint8Array(array.buffer),
  });
  const text = (value: string | Uint8Array): LeafValues => {
    const data = typeof value === "string" ? new TextEncoder().encode(value) : value;
    return { kind: "binary", length: 1, offsets: Int32Array.of(0, data.length), data };
  };
  const UTF8 = { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } };
  it.each<readonly [string, Parameters<typeof closerType>[0], readonly LeafValues[], object]>([
    ["floats", "INT32", [fixed(Float32Array.of(1, -2.5, 0, 1e9))], { type: "FLOAT" }],
    ["doubles", "INT64", [fixed(Float64Array.of(1, -2.5, 0)), fixed(Float64Array.of(7))], { type: "DOUBLE" }],
    ["integers", "INT32", [fixed(Int32Array.of(1, -2, 0, 1e9))], { type: "INT32" }],
    ["long integers", "INT64", [fixed(BigInt64Array.of(1n, -2n, 2n ** 60n))], { type: "INT64" }],
    ["zeros", "INT32", [fixed(Int32Array.of(0, 0))], { type: "INT32" }],
    [
      "floats and others",
      "INT32",
      [fixed(Float32Array.of(1, 2)), fixed(Int32Array.of(0x1020304, 7))],
      { type: "INT32" },
    ],
    ["values of another kind", "INT32", [text("a")], { type: "INT32" }],
    ["text", "BYTE_ARRAY", [text("é")], UTF8],
    ["bytes", "BYTE_ARRAY", [text("a"), text(Uint8Array.of(0xff))], { type: "BYTE_ARRAY" }],
    ["nothing", "BYTE_ARRAY", [], UTF8],
    ["INT96", "INT96", [], { type: "INT96" }],
  ])("follows from values: %s", (_, type, samples, expected) => {
    expect(closerType(type, samples)).toEqual(expected);
  });
});
