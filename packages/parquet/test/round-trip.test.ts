import { type BinaryBatch, DictionaryBatch } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import { digestOf } from "@cfile-tools/any-column";
import { listGolden, readGolden, readGoldenJson } from "@cfile-tools/testkit";
import { type CFileReader, memorySink, openCFile } from "cfile";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { describe, expect, it } from "vitest";
import { openParquet, tableOfFiles } from "../src/index.js";
import { type ExportOptions, exportParquet, type ParquetTable } from "../src/write.js";

const names = listGolden(".", ".cfile");

const open = (name: string): Promise<CFileReader> => openCFile(readGolden(`${name}.cfile`));

async function toParquet(table: ParquetTable, options: ExportOptions = {}): Promise<Uint8Array> {
  const sink = memorySink();
  await exportParquet(sink, table, options);
  return sink.bytes();
}

/** Codecs that are tested only with some columns. */
const PARTLY: readonly string[] = ["LZ4_RAW", "GZIP"];

describe("a CFile survives a round trip through Parquet", () => {
  it.each([
    ["SNAPPY", 1, 1 << 20],
    ["UNCOMPRESSED", 2, 300],
    ["LZ4_RAW", 2, 1 << 20],
    ["GZIP", 1, 1 << 20],
  ] as const)("%s, data pages of version %i, row groups of %i rows", async (codec, version, rowGroupRows) => {
    for (const name of names) {
      await using file = await open(name);
      if (
        (version === 2 && file.rowCount > 1000) ||
        (PARTLY.includes(codec) && !/_(int32|string|bool|decimal128)_.*_n1000/.test(name))
      ) {
        continue;
      }
      const options = {
        codec,
        rowGroupRows,
        dataPageVersion: version,
        pageRows: version === 2 ? 128 : undefined,
      };
      const bytes = await toParquet(tableOfFiles({ [name]: file }), options);
      await using parquet = await openParquet(bytes);
      const [column] = parquet.columns;
      const { type, nullable, array } = file;
      expect(column).toMatchObject({ name, type, nullable, array });
      const digest = readGoldenJson<{ sha256: string }>(`${name}.json`).sha256;
      expect(await digestOf({ type, nullable, array }, parquet.column(name)), name).toBe(digest);
    }
  });
});

describe("other readers", () => {
  const cases = [
    "int8_plain_null",
    "uint16_plain_null",
    "int32_rle_null",
    "int64_bshuf_null",
    "string_dict_null",
    "bool_rle_null",
    "double_plain_null",
  ];
  it.each(cases)("read %s columns (hyparquet)", async (name) => {
    await using file = await open(`enc_${name}_n1000`);
    const bytes = await toParquet(tableOfFiles({ v: file }));
    const rows = await parquetReadObjects({ file: bytes.slice().buffer, compressors });
    expect(rows.map(({ v }) => v)).toEqual(await file.toArray());
  });

  it("read arrays, decimals and timestamps", async () => {
    async function* rows() {
      yield {
        length: 3,
        firstRow: 0,
        names: ["l", "d", "t"],
        columns: [
          batchFromValues({ type: "INT32", array: true, nullable: true }, [[1, null, 3], null, []]),
          batchFromValues({ type: "DECIMAL128" }, [-12345n, 0n, 99n]),
          batchFromValues({ type: "UNIXTIME_MICROS", nullable: true }, [
            null,
            -1000n,
            1_700_000_000_000_000n,
          ]),
        ],
      };
    }
    const columns = [
      { name: "l", type: "INT32", array: true, nullable: true },
      { name: "d", type: "DECIMAL128", array: false, nullable: false, precision: 20, scale: 2 },
      { name: "t", type: "UNIXTIME_MICROS", array: false, nullable: true },
    ] as const;
    const bytes = await toParquet({ columns, rows: rows() }, { sortedBy: ["d"], keyValues: { owner: "me" } });
    expect(await parquetReadObjects({ file: bytes.slice().buffer, compressors })).toEqual([
      { l: [1, null, 3], d: -123.45, t: null },
      { l: undefined, d: 0, t: new Date(-1) },
      { l: [], d: 0.99, t: new Date(1_700_000_000_000) },
    ]);
    const { row_groups: groups, key_value_metadata: pairs } = parquetMetadata(bytes.slice().buffer);
    expect(groups[0]?.sorting_columns).toEqual([{ column_idx: 1, descending: false, nulls_first: false }]);
    expect(pairs).toContainEqual({ key: "owner", value: "me" });
    await using parquet = await openParquet(bytes);
    expect(parquet.columns[1]).toMatchObject({ type: "DECIMAL128", precision: 20, scale: 2 });
    expect(parquet.sortedBy).toEqual(["d"]);
    expect(parquet.keyValues.get("owner")).toBe("me");
  });
});

describe("dictionaries", () => {
  it("are preserved", async () => {
    await using file = await open("large_string_dict");
    await using parquet = await openParquet(await toParquet(tableOfFiles({ s: file })));
    for await (const batch of parquet.column("s")) {
      expect(batch.kind).toBe("dictionary");
    }
  });
});

describe("a chunk keeps only its first dictionary", () => {
  const words = (texts: readonly string[]) => {
    const { offsets, data } = batchFromValues({ type: "STRING" }, texts) as BinaryBatch;
    return { kind: "binary", length: texts.length, offsets, data } as const;
  };
  const coded = (texts: readonly string[], codes: readonly number[]) =>
    new DictionaryBatch(
      { type: "STRING", length: codes.length, firstRow: 0, validity: undefined, nullCount: 0 },
      Int32Array.from(codes),
      words(texts),
    );
  it.each([1, 2] as const)("and stores other strings in plain pages of version %i", async (version) => {
    async function* rows() {
      for (const batch of [
        coded(["a", "bb"], [0, 1, 1, 0]),
        batchFromValues({ type: "STRING" }, ["plain", ""]),
        coded(["ccc", "a"], [1, 0, 0]),
      ]) {
        yield { length: batch.length, firstRow: 0, names: ["s"], columns: [batch] };
      }
    }
    const columns = [{ name: "s", type: "STRING", nullable: false, array: false }] as const;
    const bytes = await toParquet({ columns, rows: rows() }, { dataPageVersion: version });
    const expected = ["a", "bb", "bb", "a", "plain", "", "a", "ccc", "ccc"];
    await using parquet = await openParquet(bytes);
    const kinds: string[] = [];
    const texts: unknown[] = [];
    for await (const batch of parquet.column("s")) {
      kinds.push(batch.kind);
      texts.push(...batch.toArray());
    }
    expect(kinds).toEqual(["dictionary", "binary"]);
    expect(texts).toEqual(expected);
    expect(parquet.metadata.row_groups[0]?.columns[0]?.meta_data?.encodings).toEqual([
      "RLE",
      "PLAIN",
      "RLE_DICTIONARY",
    ]);
    const theirs = await parquetReadObjects({ file: bytes.slice().buffer, compressors });
    expect(theirs.map(({ s }) => s)).toEqual(expected);
  });

  it.each([1, 1000])("and writes no codes after a plain page, with %i rows per page", async (pageRows) => {
    const [plain, first] = [batchFromValues({ type: "STRING" }, ["plain"]), coded(["a"], [0, 0])];
    for (const [batches, encodings] of [
      [
        [plain, first],
        ["RLE", "PLAIN"],
      ],
      [
        [first, plain, first],
        ["RLE", "PLAIN", "RLE_DICTIONARY"],
      ],
    ] as const) {
      async function* rows() {
        for (const batch of batches) {
          yield { length: batch.length, firstRow: 0, names: ["s"], columns: [batch] };
        }
      }
      const columns = [{ name: "s", type: "STRING", nullable: false, array: false }] as const;
      const bytes = await toParquet({ columns, rows: rows() }, { pageRows });
      await using parquet = await openParquet(bytes);
      const kinds: string[] = [];
      for await (const batch of parquet.column("s")) {
        kinds.push(...Array<string>(batch.length).fill(batch.kind));
      }
      const before = batches.indexOf(plain) === 0 ? [] : ["dictionary", "dictionary"];
      expect(kinds).toEqual([...before, "binary", "binary", "binary"]);
      expect(parquet.metadata.row_groups[0]?.columns[0]?.meta_data?.encodings).toEqual(encodings);
    }
  });
});

describe("a damaged page", () => {
  it("is detected by its CRC and loses only its own rows", async () => {
    await using file = await open("large_int32_bshuf");
    const bytes = await toParquet(tableOfFiles({ v: file }), { codec: "UNCOMPRESSED" });
    expect(await openParquet(bytes).then((file) => file.verify())).toMatchObject({
      ok: true,
      uncheckedPages: 0,
      losses: [],
    });
    bytes[100] = (bytes[100] as number) ^ 1;
    const { losses } = await openParquet(bytes).then((file) => file.verify());
    expect(losses).toMatchObject([
      { part: "page", page: 0, rows: { from: 0 }, error: { code: "E_CHECKSUM" } },
    ]);
  });
});

describe("rows that do not fit the columns", () => {
  it("throw and leave no file", async () => {
    async function* rows() {
      yield { length: 1, firstRow: 0, names: ["v"], columns: [batchFromValues({ type: "INT32" }, [1])] };
    }
    const columns = [{ name: "v", type: "INT64", nullable: false, array: false }] as const;
    const sink = memorySink();
    await expect(exportParquet(sink, { columns, rows: rows() })).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      field: "v",
    });
    expect(() => sink.bytes()).toThrow();
  });
});
