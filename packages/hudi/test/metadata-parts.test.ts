/** Parts of the metadata table: records, keys and files that the golden tables lack. */

import { type AvroObject, type AvroValue, parseAvroSchema } from "@cfile/avro";
import { appendAvro } from "@cfile/avro/write";
import { ByteBuilder, concatBytes, utf8Bytes } from "@cfile/bytes";
import { HFileWriter } from "@cfile/hfile/write";
import { memorySink, memoryTree } from "@cfile/io";
import { describe, expect, test, vi } from "vitest";
import { keyWords, openHudiTable } from "../src/index.js";
import { SchemaCache } from "../src/log/avro-rows.js";
import { bloomFilters } from "../src/metadata/bloom-filters.js";
import { columnStats, partitionStats } from "../src/metadata/column-stats.js";
import { listedFiles, mergeRecords } from "../src/metadata/merge-records.js";
import { MetadataGroup } from "../src/metadata/metadata-group.js";
import { ALL_PARTITIONS, bloomFilterKey, columnStatsKey, groupOfKey } from "../src/metadata/metadata-keys.js";
import type { MetadataTable } from "../src/metadata/metadata-table.js";
import { findLocations, locationOf } from "../src/metadata/record-index.js";
import { validInstants } from "../src/metadata/valid-instants.js";
import { xxHash64 } from "../src/metadata/xxhash64.js";
import { TableFiles } from "../src/table/table-files.js";
import { metadataProperties, parseTableProperties } from "../src/table/table-properties.js";
import { Timeline } from "../src/timeline/timeline.js";
import { factsOf, TABLES, type TableName, unpack } from "./golden-table.js";
import { blockOf, logOf } from "./made-logs.js";

const refused = (code: string, field: string) => expect.objectContaining({ code, field });
const T = (number: number) => `202611220000000${String(number).padStart(2, "0")}`;

describe("hashes", () => {
  // As published for xxHash.
  test.each([
    ["", 0xef46db3751d8e999n],
    ["abc", 0x44bc2cf5ad770999n],
    ["Nobody inspects the spammish repetition", 0xfbcea83c8a378bf1n],
  ])("of %j", (text, hash) => {
    expect(xxHash64(utf8Bytes(text), 0n)).toBe(hash);
  });

  test("select a file group, also if Java's is the smallest integer", () => {
    expect([groupOfKey("polygenelubricants", 10), groupOfKey("a", 10), groupOfKey("", 3)]).toEqual([8, 7, 0]);
  });

  test("begin with those of the column and the partition", () => {
    const key = columnStatsKey("a", "p", "f");
    expect([
      key.length,
      key.startsWith(columnStatsKey("a")),
      key.startsWith(columnStatsKey("a", "p")),
    ]).toEqual([48, true, true]);
  });
});

describe("records of one key", () => {
  const stats = (fields: AvroObject): AvroObject => ({
    ColumnStatsMetadata: { valueCount: 1, nullCount: 2, totalSize: 3, totalUncompressedSize: 4, ...fields },
  });
  const int = (value: number): AvroValue => ({ IntWrapper: { value } });

  test("without files and statistics are replaced", () => {
    expect(mergeRecords({ a: 1 }, { b: 2 })).toEqual({ b: 2 });
    expect(mergeRecords(undefined, { b: 2 })).toEqual({ b: 2 });
    expect(mergeRecords(stats({}), { filesystemMetadata: null })).toEqual({ filesystemMetadata: null });
    expect(mergeRecords({ ColumnStatsMetadata: null }, stats({}))).toEqual(stats({}));
    expect(mergeRecords({ filesystemMetadata: new Map() }, { b: 1 })).toEqual({ b: 1 });
  });

  test("have the files of both, without deleted ones", () => {
    const file = (size: number, isDeleted = false): AvroValue => ({ size, isDeleted });
    const of = (files: Record<string, AvroValue>) => ({ filesystemMetadata: new Map(Object.entries(files)) });
    const older = of({ a: file(1), b: file(9), c: file(3), d: file(4, true) });
    const merged = mergeRecords(
      older,
      of({ a: file(2), b: file(5), c: file(0, true), d: file(7), e: file(8, true) }),
    );
    expect([...listedFiles(merged)]).toEqual([
      ["a", 2],
      ["b", 9],
      ["d", 7],
    ]);
  });

  test.each<[string, AvroObject, AvroObject, AvroObject]>([
    [
      "both bounds",
      { minValue: int(1), maxValue: int(5) },
      { minValue: int(2), maxValue: int(9) },
      { minValue: int(1), maxValue: int(9) },
    ],
    [
      "the other bounds",
      { minValue: int(3), maxValue: int(9) },
      { minValue: int(2), maxValue: int(5) },
      { minValue: int(2), maxValue: int(9) },
    ],
    [
      "bounds of one",
      { minValue: null },
      { minValue: int(2), maxValue: null },
      { minValue: int(2), maxValue: null },
    ],
    [
      "bounds of the older one",
      { minValue: int(2), maxValue: int(3) },
      {},
      { minValue: int(2), maxValue: int(3) },
    ],
    [
      "decimals as bytes and as decimals",
      {
        minValue: { BytesWrapper: { value: Uint8Array.of(0xff) } },
        maxValue: { DecimalWrapper: { value: Uint8Array.of(1, 0) } },
      },
      {
        minValue: { DecimalWrapper: { value: 3n } },
        maxValue: { DecimalWrapper: { value: Uint8Array.of(2) } },
      },
      {
        minValue: { BytesWrapper: { value: Uint8Array.of(0xff) } },
        maxValue: { DecimalWrapper: { value: Uint8Array.of(1, 0) } },
      },
    ],
  ])("have sums and %s", (_, older, newer, bounds) => {
    const merged = mergeRecords(stats(older), stats(newer))["ColumnStatsMetadata"];
    expect(merged).toMatchObject({
      valueCount: 2,
      nullCount: 4,
      totalSize: 6,
      totalUncompressedSize: 8,
      ...bounds,
    });
  });

  test.each([{ isDeleted: true }, { isTightBound: true }])("are replaced by statistics with %j", (fields) => {
    expect(mergeRecords(stats({ minValue: int(1) }), stats(fields))).toEqual(stats(fields));
    expect(mergeRecords(stats({ isDeleted: true }), stats({}))).toEqual(stats({}));
  });
});

describe("locations of records", () => {
  const locate = (fields: AvroObject) => locationOf({ recordIndexMetadata: { instantTime: 0, ...fields } });
  const bits = { fileIdHighBits: 1, fileIdLowBits: -1n };

  test.each<[AvroObject, object]>([
    [
      { ...bits, fileIndex: 2, partitionName: "p" },
      { partition: "p", fileId: "00000000-0000-0001-ffff-ffffffffffff-2", instant: "19700101000000000" },
    ],
    [
      { ...bits, fileIndex: -1 },
      { partition: "", fileId: "00000000-0000-0001-ffff-ffffffffffff" },
    ],
    [{ ...bits, fileIndex: null }, { fileId: "00000000-0000-0001-ffff-ffffffffffff" }],
    [{ fileIdEncoding: 1, fileId: "any" }, { fileId: "any" }],
    [{ fileIdEncoding: 1 }, { fileId: "" }],
  ])("are read: case %#", (fields, location) => {
    expect(locate(fields)).toMatchObject(location);
  });

  test.each<[string, AvroObject]>([
    ["instantTime", { ...bits, instantTime: 8.64e15 }],
    ["instantTime", { ...bits, instantTime: "now" }],
    ["fileIdHighBits", { fileIdHighBits: "1", fileIdLowBits: 1 }],
  ])("with a wrong %s are refused", (field, fields) => {
    expect(() => locate(fields)).toThrow(refused("E_CORRUPT", field));
  });

  test("that are missing are refused", () => {
    expect(() => locationOf({})).toThrow(refused("E_CORRUPT", "recordIndexMetadata"));
  });
});

/** A metadata table that finds these records. */
const finding = (records: Readonly<Record<string, AvroObject>>) =>
  ({
    find: async (_: string, keys: readonly string[]) =>
      new Map(keys.flatMap((key) => (records[key] ? [[key, records[key]]] : []))),
  }) as unknown as MetadataTable;

describe("Bloom filters and statistics", () => {
  test("that are deleted are absent", async () => {
    const deleted = { isDeleted: true };
    const metadata = finding({
      [bloomFilterKey("p", "f")]: { BloomFilterMetadata: deleted },
      [columnStatsKey("a", "p", "f")]: { ColumnStatsMetadata: deleted },
      [columnStatsKey("a", "p")]: { ColumnStatsMetadata: deleted },
      [columnStatsKey("b", "p")]: { ColumnStatsMetadata: { valueCount: 5 } },
    });
    expect([...(await bloomFilters(metadata, "p", ["f", "g"]))]).toEqual([]);
    expect([...(await columnStats(metadata, "p", ["f"], ["a"]))]).toEqual([]);
    expect([...(await partitionStats(metadata, "p", ["a", "b"]))]).toMatchObject([
      ["b", { valueCount: 5, min: undefined }],
    ]);
  });

  test("of two columns of a file are found together", async () => {
    const metadata = finding({
      [columnStatsKey("a", "p", "f")]: { ColumnStatsMetadata: { isTightBound: true } },
      [columnStatsKey("b", "p", "f")]: { ColumnStatsMetadata: {} },
    });
    expect([...((await columnStats(metadata, "p", ["f"], ["a", "b"])).get("f")?.keys() ?? [])]).toEqual([
      "a",
      "b",
    ]);
  });

  test.each<[AvroObject]>([[{ BloomFilterMetadata: {} }], [{}]])("in %j are refused", async (record) => {
    const metadata = finding({ [bloomFilterKey("p", "f")]: record });
    await expect(bloomFilters(metadata, "p", ["f"])).rejects.toMatchObject({
      code: "E_CORRUPT",
      field: "BloomFilterMetadata",
    });
  });

  test("are simple if the type of a Bloom filter is not stated", async () => {
    const { files } = unpack("mor_v9");
    await using table = await openHudiTable(memoryTree(files));
    const [partition = ""] = await table.partitions();
    const name = [...(await table.filesOf(partition)).keys()].find((file) => file.endsWith(".parquet")) ?? "";
    const key = bloomFilterKey(partition, name);
    const record = (await table.metadata?.find("bloom_filters", [key]))?.get(key);
    const { type: _, ...info } = (record?.["BloomFilterMetadata"] ?? {}) as AvroObject;
    const found = await bloomFilters(finding({ [key]: { BloomFilterMetadata: info } }), partition, [name]);
    expect(found.get(name)).toMatchObject({ text: info["bloomFilter"] });
  });
});

describe("a file group", () => {
  const SCHEMA = { type: "record", name: "r", fields: [{ name: "n", type: "int" }] };
  const NAME = `files-0000-0_0-1-1_${T(1)}.hfile`;
  const LOG = `.files-0000-0_${T(2)}.log.1_0-1-1`;

  async function hfile(
    records: Readonly<Record<string, number | undefined>>,
    hasSchema = true,
  ): Promise<Uint8Array> {
    const sink = memorySink();
    const writer = new HFileWriter(sink, { profile: "hudi" });
    for (const [row, n] of Object.entries(records)) {
      const value = new ByteBuilder();
      if (n !== undefined) {
        appendAvro(value, parseAvroSchema(JSON.stringify(SCHEMA)), { n }, "record");
      }
      await writer.append({ row, value: value.finish() });
    }
    if (hasSchema) {
      writer.addFileInfo("schema", JSON.stringify(SCHEMA));
    }
    await writer.finish();
    return sink.bytes();
  }

  const block = (
    type: number,
    content: Uint8Array,
    instant = T(2),
    more: readonly (readonly [number, string])[] = [],
  ) => blockOf(type, new Map([[0, instant], ...more]), content);

  async function recordsOf(base: Uint8Array | undefined, logs: readonly Uint8Array[]): Promise<unknown> {
    const files = new Map([[`files/${LOG}`, concatBytes([...logs])]]);
    if (base !== undefined) {
      files.set(`files/${NAME}`, base);
    }
    const slice = {
      ...{ partition: "files", fileId: "files-0000-0", baseInstant: T(1) },
      baseFile: base === undefined ? undefined : NAME,
      logFiles: logs.length === 0 ? [] : [LOG],
    };
    const context = {
      files: new TableFiles(memoryTree(files)),
      schemas: new SchemaCache(),
      valid: async () => new Set([T(2)]),
    };
    const group = new MetadataGroup(slice, context);
    try {
      return Object.fromEntries(await group.read({ prefix: "" }));
    } finally {
      await group.close();
    }
  }

  test("has the records of its base file and of valid blocks; empty values delete", async () => {
    const base = await hfile({ a: 1, b: 2, c: 3 });
    expect(await recordsOf(base, [])).toEqual({ a: { n: 1 }, b: { n: 2 }, c: { n: 3 } });
    const logs = [
      block(4, await hfile({ b: undefined, d: 4 })),
      block(4, await hfile({ e: 5 }), T(9)),
      // A command other than a rollback.
      block(0, new Uint8Array(0), T(2), [[3, "1"]]),
    ];
    expect(await recordsOf(base, logs)).toEqual({ a: { n: 1 }, c: { n: 3 }, d: { n: 4 } });
    expect(await recordsOf(undefined, logs)).toEqual({ d: { n: 4 } });
  });

  test("passes over damage in blocks that do not count, but in no others", async () => {
    const good = block(4, await hfile({ a: 1 }));
    const cut = (bytes: Uint8Array) => bytes.slice(0, -2);
    expect(await recordsOf(undefined, [cut(block(4, new Uint8Array(9), T(9))), good])).toEqual({
      a: { n: 1 },
    });
    const unnamed = block(4, await hfile({ b: 2 }), "");
    for (const damaged of [cut(block(4, new Uint8Array(9))), Uint8Array.of(1, 2, 3), unnamed]) {
      await expect(recordsOf(undefined, [damaged, good])).rejects.toMatchObject({ code: "E_CORRUPT" });
    }
  });

  test("refuses records without a schema, and blocks of other kinds", async () => {
    await expect(recordsOf(await hfile({ a: 1 }, false), [])).rejects.toMatchObject({ code: "E_CORRUPT" });
    const rows = logOf(SCHEMA, [], T(2));
    await expect(recordsOf(undefined, [rows])).rejects.toMatchObject({
      code: "E_CORRUPT",
      field: "block type",
    });
  });
});

describe("a metadata table", () => {
  test.each([
    ["without files of a partition that the properties name", /metadata\/files\//, "file id"],
    [
      "without the first file group of the record index",
      /metadata\/record_index\/.*record-index-0000-/,
      "file id",
    ],
  ])("%s is refused", async (_, missing, field) => {
    const files = new Map([...unpack("cow_v9").files].filter(([path]) => !missing.test(path)));
    const table = await openHudiTable(memoryTree(files));
    const read = async () => [await table.partitions(), await table.metadata?.find("record_index", ["key"])];
    await expect(read()).rejects.toMatchObject({ code: "E_CORRUPT", field });
  });

  /** Reads the location of every key, which requires all file groups of the record index. */
  async function locationsWithout(name: TableName, missing: RegExp): Promise<unknown> {
    const files = new Map([...unpack(name).files].filter(([path]) => !missing.test(path)));
    await using table = await openHudiTable(memoryTree(files));
    const keys = factsOf(name).record_index.map(([key]) => key);
    return (table.metadata && (await findLocations(table.metadata, keys)))?.size;
  }

  const LAST = "metadata/record_index/.*record-index-0002-";

  test.each(TABLES)("without the last file group of the record index is refused: %s", async (name) => {
    await expect(locationsWithout(name, new RegExp(LAST))).rejects.toMatchObject({
      code: "E_CORRUPT",
      field: "file id",
    });
    expect(await locationsWithout(name, /^$/)).toBe(factsOf(name).record_index.length);
  });

  test("without log files and the last file group is refused: its keys belong to other groups", async () => {
    const logs = "metadata/record_index/\\..*\\.log\\.";
    const older = "metadata/record_index/.*_20261122072(043642|232579|634511)\\.hfile";
    const compacted = new RegExp(`${LAST}|${logs}|${older}`);
    await expect(locationsWithout("cow_v9", compacted)).rejects.toMatchObject({
      code: "E_CORRUPT",
      field: "file id",
    });
  });

  test("that lists a partition without a record of its own is refused", async () => {
    await using table = await openHudiTable(memoryTree(unpack("cow_v9").files));
    const metadata = table.metadata as MetadataTable;
    const [partition = ""] = await table.partitions();
    const find = metadata.find.bind(metadata);
    vi.spyOn(metadata, "find").mockImplementation(async (name, keys) => {
      const found = await find(name, keys);
      found.delete(partition);
      return found;
    });
    const error = refused("E_CORRUPT", "filesystemMetadata");
    await expect(table.filesOf(partition)).rejects.toEqual(error);
    await expect(table.slices(partition)).rejects.toEqual(error);
  });

  test("without a list of partitions is refused", async () => {
    await using table = await openHudiTable(memoryTree(unpack("cow_v9").files));
    const metadata = table.metadata as MetadataTable;
    vi.spyOn(metadata, "find").mockResolvedValue(new Map());
    await expect(table.partitions()).rejects.toEqual(refused("E_CORRUPT", ALL_PARTITIONS));
  });

  test("has no files of a partition that does not exist", async () => {
    await using table = await openHudiTable(memoryTree(unpack("cow_v9").files));
    expect([...(await table.filesOf("absent"))]).toEqual([]);
    expect((await table.partitions()).length).toBeGreaterThan(0);
  });

  test("has keys in words", async () => {
    await using table = await openHudiTable(memoryTree(unpack("cow_v9").files));
    const [path = ""] = await table.partitions();
    const [file = ""] = (await table.filesOf(path)).keys();
    const words = async (partition: string, key: string) => (await keyWords(table, partition))(key);
    expect([
      await words("files", ALL_PARTITIONS),
      await words("files", "."),
      await words("files", "p"),
    ]).toEqual(["all partitions", "the only partition", "p"]);
    expect(await words("record_index", "key")).toBe("key");
    expect(await words("column_stats", columnStatsKey("ts", path, file))).toBe(`ts in ${path}/${file}`);
    expect(await words("partition_stats", columnStatsKey("ts", path))).toBe(`ts in ${path}`);
    expect(await words("bloom_filters", bloomFilterKey(path, file))).toBe(`${path}/${file}`);
    expect(await words("bloom_filters", "x".repeat(36))).toBe(`${"x".repeat(12)}/${"x".repeat(24)}`);
  });
});

describe("valid instants", () => {
  async function valid(
    version: 6 | 9,
    data: Readonly<Record<string, string>>,
    metadata: readonly string[],
  ): Promise<string[]> {
    const folder = version === 6 ? ".hoodie" : ".hoodie/timeline";
    const properties = parseTableProperties(utf8Bytes(`hoodie.table.version=${version}`));
    const tree = memoryTree(
      new Map([
        ...Object.entries(data).map(([name, text]): [string, Uint8Array] => [
          `${folder}/${name}`,
          utf8Bytes(text),
        ]),
        ...metadata.map((name): [string, Uint8Array] => [
          `.hoodie/metadata/${folder}/${name}`,
          utf8Bytes("{}"),
        ]),
      ]),
    );
    const files = new TableFiles(tree);
    const own = await Timeline.load(files.below(".hoodie/metadata"), metadataProperties(properties));
    return [...(await validInstants(await Timeline.load(files, properties), own))].sort();
  }

  test("of version 6 are those of the table, and the metadata table's own work by its suffix", async () => {
    const own = ["001", "006", "007", "010"].map((suffix) => `${T(3)}${suffix}.deltacommit`);
    const found = await valid(6, { [`${T(1)}.commit`]: "{}" }, [
      ...own,
      `${T(4)}.deltacommit`,
      `${"0".repeat(17)}.deltacommit`,
    ]);
    expect(found).toEqual(["0".repeat(17), T(1), `${T(3)}001`, `${T(3)}006`, `${T(3)}010`]);
  });

  test("have those that were rolled back, if the rollback says which", async () => {
    const rollback = JSON.stringify({ commitsRollback: [T(2)] });
    const data = {
      [`${T(1)}_${T(1)}.commit`]: "{}",
      [`${T(4)}_${T(4)}.rollback`]: rollback,
      [`${T(5)}_${T(5)}.rollback`]: "",
    };
    expect(await valid(9, data, [`${T(6)}_${T(6)}.rollback`])).toEqual([T(1), T(2), T(4), T(5), T(6)]);
  });
});
