/** Other readers read files of `@cfile/parquet`, and it reads theirs. */

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ColumnBatch } from "@cfile/encodings";
import { memorySink } from "@cfile/io";
import { listGolden, pathToGolden, readGolden, temporaryFolder } from "@cfile-tools/testkit";
import { DuckDBInstance } from "@duckdb/node-api";
import { openCFile } from "cfile";
import { parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { type ColumnSource, parquetWriteBuffer } from "hyparquet-writer";
import { Compression, Encoding, readParquet, WriterPropertiesBuilder, writeParquet } from "parquet-wasm/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openParquet, tableOfFiles } from "../src/index.js";
import { type ExportOptions, exportParquet } from "../src/write.js";

const TYPES = [
  "int8_plain",
  "int16_rle",
  "int32_bshuf",
  "int64_plain",
  "uint8_plain",
  "uint16_plain",
  "uint32_plain",
  "uint64_plain",
  "float_bshuf",
  "double_plain",
  "bool_rle",
  "date_plain",
  "unixtime_micros_plain",
  "decimal32_plain",
  "decimal64_plain",
  "string_dict",
  "binary_plain",
];
const ARRAYS = [
  "array_int16_plain",
  "array_example_c_plain",
  "array_bool_rle",
  "array_double_plain",
  "array_date_plain",
  "array_decimal64_plain",
  "array_string_dict",
  "array_all_null",
  "array_all_empty",
  "array_all_elements_null",
];
const DIGITS: Readonly<Record<string, number>> = { DECIMAL32: 9, DECIMAL64: 18, DECIMAL128: 38 };

/** A golden column as a Parquet file. */
async function ours(type: string, options: ExportOptions): Promise<{ bytes: Uint8Array; values: unknown[] }> {
  const name = type.startsWith("array_") ? type : `enc_${type}_null_n1000`;
  await using file = await openCFile(pathToGolden(`${name}.cfile`));
  const sink = memorySink();
  const precision = DIGITS[file.type];
  const table = tableOfFiles({ c: file }, precision === undefined ? {} : { c: { precision, scale: 0 } });
  await exportParquet(sink, table, { pageRows: 300, ...options });
  const values: unknown[] = [];
  for await (const batch of file.scan()) {
    values.push(...cells(batch.toArray({ strings: "bytes" })));
  }
  return { bytes: sink.bytes(), values };
}

/** Values for comparison, with text as bytes. */
function cells(values: Iterable<unknown>): unknown[] {
  return Array.from(values, (value) =>
    typeof value === "string" || value instanceof Uint8Array
      ? Buffer.from(value).toString("hex")
      : Array.isArray(value)
        ? cells(value)
        : value,
  );
}

async function valuesOf(bytes: Uint8Array): Promise<unknown[]> {
  expect(await openParquet(bytes).then((file) => file.verify())).toMatchObject({ ok: true });
  await using file = await openParquet(bytes);
  const all: unknown[] = [];
  for await (const batch of file.column("c") as AsyncIterable<ColumnBatch>) {
    all.push(...cells(batch.toArray({ strings: "bytes" })));
  }
  return all;
}

describe("DuckDB", () => {
  let folder: string;
  let instance: DuckDBInstance;
  let connection: Awaited<ReturnType<DuckDBInstance["connect"]>>;
  beforeAll(async () => {
    folder = temporaryFolder();
    instance = await DuckDBInstance.create(":memory:", { threads: "1" });
    connection = await instance.connect();
  });
  afterAll(async () => {
    connection.closeSync();
    instance.closeSync();
  });

  it.each([
    [{ dataPageVersion: 1, codec: "SNAPPY" }, "PARQUET_VERSION v1, COMPRESSION snappy"],
    [{ dataPageVersion: 2, codec: "LZ4_RAW" }, "PARQUET_VERSION v2, COMPRESSION zstd"],
    [{ dataPageVersion: 2, codec: "GZIP" }, "PARQUET_VERSION v2, COMPRESSION brotli"],
    [{ dataPageVersion: 1, codec: "ZSTD" }, "PARQUET_VERSION v1, COMPRESSION lz4_raw"],
    [{ dataPageVersion: 2, codec: "ZSTD" }, "PARQUET_VERSION v2, COMPRESSION uncompressed"],
  ] as const)("reads our files with %j, and we read its files with %s", async (options, theirs) => {
    const types = [...TYPES, "decimal128_plain", ...ARRAYS];
    for (const type of types.filter((_, i) => !["GZIP", "ZSTD"].includes(options.codec) || i % 3 === 0)) {
      const { bytes, values } = await ours(type, options);
      const [from, to] = [join(folder, `${type}.parquet`), join(folder, `${type}.duckdb.parquet`)];
      await writeFile(from, bytes);
      await connection.run(
        `COPY (SELECT * FROM read_parquet('${from}')) TO '${to}' (FORMAT parquet, ${theirs})`,
      );
      expect(await valuesOf(new Uint8Array(await readFile(to))), type).toEqual(values);
    }
  });

  it("finds rows with our statistics and indexes", async () => {
    // Strings of the golden files are not all UTF-8, so DuckDB does not compare them. Some decimals have more digits than their
    // precision, and DuckDB prints those from unrelated memory.
    for (const type of ["int16_rle", "int32_bshuf", "int64_plain", "date_plain"]) {
      const { bytes } = await ours(type, { rowGroupRows: 100, pageRows: 10 });
      const path = join(folder, `${type}.stats.parquet`);
      await writeFile(path, bytes);
      const count = async (sql: string) => (await (await connection.runAndReadAll(sql)).getRows())[0]?.[0];
      const total = await count(
        `SELECT count(*) FROM (SELECT DISTINCT c FROM '${path}' WHERE c IS NOT NULL)`,
      );
      const found = await count(
        `SELECT count(*) FROM (SELECT DISTINCT c FROM '${path}') d WHERE (SELECT count(*) FROM '${path}' p WHERE p.c = d.c) > 0`,
      );
      expect([type, found]).toEqual([type, total]);
      const bounds = await count(
        `SELECT bool_and(stats_min_value IS NOT NULL AND stats_null_count IS NOT NULL) FROM parquet_metadata('${path}')`,
      );
      expect([type, bounds]).toEqual([type, true]);
    }
  });
});

describe("parquet-wasm", () => {
  it.each([
    ["PLAIN", Encoding.PLAIN, Compression.ZSTD, [...TYPES, "decimal128_plain", ...ARRAYS]],
    ["BYTE_STREAM_SPLIT", Encoding.BYTE_STREAM_SPLIT, Compression.BROTLI, ["float_bshuf", "double_plain"]],
    [
      "DELTA_BINARY_PACKED",
      Encoding.DELTA_BINARY_PACKED,
      Compression.GZIP,
      ["int32_bshuf", "int64_plain", "int8_plain", "date_plain"],
    ],
    [
      "DELTA_LENGTH_BYTE_ARRAY",
      Encoding.DELTA_LENGTH_BYTE_ARRAY,
      Compression.LZ4_RAW,
      ["string_dict", "binary_plain"],
    ],
    ["DELTA_BYTE_ARRAY", Encoding.DELTA_BYTE_ARRAY, Compression.SNAPPY, ["string_dict", "binary_plain"]],
    ["RLE", Encoding.RLE, Compression.UNCOMPRESSED, ["bool_rle"]],
  ] as const)("reads our files, and we read its %s pages", async (_, encoding, compression, types) => {
    for (const type of types) {
      const { bytes, values } = await ours(type, { dataPageVersion: 2 });
      const properties = new WriterPropertiesBuilder()
        .setDictionaryEnabled(false)
        .setEncoding(encoding)
        .setCompression(compression)
        .build();
      expect(await valuesOf(writeParquet(readParquet(bytes), properties)), type).toEqual(values);
    }
  });
});

describe("hyparquet", () => {
  it.each([1, 2] as const)("reads our data pages of version %i", async (dataPageVersion) => {
    for (const type of [
      "int8_plain",
      "int64_plain",
      "uint16_plain",
      "double_plain",
      "bool_rle",
      "string_dict",
      "array_int16_plain",
      "array_example_c_plain",
      "array_bool_rle",
      "array_string_dict",
      "array_all_elements_null",
    ]) {
      const { bytes, values } = await ours(type, { dataPageVersion });
      const rows = await parquetReadObjects({ file: bytes.slice().buffer, compressors, utf8: false });
      // hyparquet omits the field of a null list.
      expect(cells(rows.map(({ c = null }) => c)), type).toEqual(values);
    }
  });

  const strings = Array.from({ length: 3000 }, (_, i) => (i % 9 === 0 ? null : `common prefix ${i >> 3}`));
  const numbers = Array.from({ length: 3000 }, (_, i) => (i % 7 === 0 ? null : (i * 7919) % 100_003));
  const wide = Array.from({ length: 3000 }, (_, i) => BigInt.asIntN(64, BigInt(i) ** 6n * 0x123456789n));
  const lists = Array.from({ length: 500 }, (_, i) =>
    i % 5 === 0 ? null : Array.from({ length: i % 100 }, (__, j) => (j % 3 === 0 ? null : i * j)),
  );
  it.each([
    ["DELTA_BYTE_ARRAY", { type: "STRING", data: strings }],
    ["DELTA_LENGTH_BYTE_ARRAY", { type: "STRING", data: strings }],
    ["DELTA_BINARY_PACKED", { type: "INT32", data: numbers }],
    ["DELTA_BINARY_PACKED", { type: "INT64", data: wide }],
    ["BYTE_STREAM_SPLIT", { type: "INT32", data: numbers }],
  ] as const)("writes %s pages that we read", async (encoding, { type, data }) => {
    const column = { name: "c", data: [...data], type, encoding, nullable: true } satisfies ColumnSource;
    const bytes = new Uint8Array(parquetWriteBuffer({ columnData: [column], pageSize: 4096 }));
    expect(await valuesOf(bytes)).toEqual(cells(data));
  });

  // Except files that it cannot read: damaged ones, and one with an empty v2 page.
  const golden = listGolden("parquet", ".parquet").filter(
    (name) => !/^(ARROW|PARQUET)|malformed|empty_datapage/.test(name),
  );
  it.each(golden)("and we read the same rows from %s", async (name) => {
    const bytes = readGolden(`parquet/${name}.parquet`);
    await using file = await openParquet(bytes, { verifyChecksums: !name.includes("corrupt") });
    const rows = await parquetReadObjects({ file: bytes.slice().buffer, compressors, utf8: false });
    expect(rows.length).toBe(file.rowCount);
    for (const { name: own, type, scale = 0 } of file.columns) {
      const all: unknown[] = [];
      for await (const batch of file.column(own)) {
        all.push(...batch.toArray({ strings: "bytes" }));
      }
      const theirs = rows.map((row) => {
        const value: unknown = row[own] ?? null;
        return value instanceof Date
          ? BigInt(value.getTime()) * 1000n
          : typeof value === "number" && type.startsWith("DECIMAL")
            ? Math.round(value * 10 ** scale)
            : value;
      });
      const units = all.map((value) =>
        type.startsWith("DECIMAL") && typeof value === "bigint" ? Number(value) : value,
      );
      expect(cells(units), own).toEqual(cells(theirs));
    }
  });

  it("writes pages that start inside an array, which we read", async () => {
    const schema = [
      { name: "root", num_children: 1 },
      { name: "c", repetition_type: "OPTIONAL", num_children: 1, converted_type: "LIST" },
      { name: "list", repetition_type: "REPEATED", num_children: 1 },
      { name: "element", repetition_type: "OPTIONAL", type: "INT32" },
    ] as const;
    const written = parquetWriteBuffer({
      columnData: [{ name: "c", data: lists }],
      schema: [...schema],
      pageSize: 64,
    });
    await using file = await openParquet(new Uint8Array(written));
    const all: unknown[] = [];
    for await (const batch of file.column("c")) {
      all.push(...batch.toArray());
    }
    expect(all).toEqual(lists);
  });
});
