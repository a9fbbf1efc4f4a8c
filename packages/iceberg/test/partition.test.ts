import { type AvroObject, readAvroContainer } from "@cfile/avro";
import { writeAvroContainer } from "@cfile/avro/write";
import { toHex } from "@cfile/bytes";
import { batchFromValues } from "@cfile/encodings/batches";
import { memoryTree, readExactly, sizeOf } from "@cfile/io";
import { serveFiles } from "@cfile-tools/testkit";
import { icebergMetadata, icebergRead } from "icebird";
import { describe, expect, test } from "vitest";
import {
  commitSnapshot,
  createIcebergTable,
  type IcebergFile,
  icebergSchema,
  isInPartition,
  openIcebergTable,
  type PartitionValue,
  partitionValue,
  readSnapshot,
  type SourceColumn,
  writeIcebergFile,
} from "../src/index.js";
import { manifestEntrySchema } from "../src/manifest/manifest-schema.js";
import { manifestListBytes } from "../src/manifest/write-manifest.js";
import { writeWhole } from "../src/metadata/table-folders.js";
import { tableMetadata } from "../src/metadata/table-metadata.js";
import { comparePartitions, partitionType } from "../src/schema/partition.js";
import { memoryFolders } from "./made-table.js";

const at = (text: string): bigint => BigInt(Date.parse(text)) * 1000n;

describe("transforms", () => {
  test.each<[string, string, PartitionValue, PartitionValue]>([
    ["identity", "string", "a", "a"],
    ["identity", "int", -3, -3],
    ["truncate[10]", "int", 1, 0],
    ["truncate[10]", "int", -1, -10],
    ["truncate[10]", "long", -20n, -20n],
    ["year", "date", -1, -1],
    ["month", "date", 31, 1],
    ["month", "timestamptz", at("2017-11-16T22:31:08Z"), 574],
    ["year", "timestamptz", at("2017-11-16T22:31:08Z"), 47],
    ["day", "timestamptz", at("2017-11-16T22:31:08Z"), 17486],
    ["hour", "timestamptz", at("2017-11-16T22:31:08Z"), 419686],
    ["day", "timestamptz", -1n, -1],
    ["hour", "timestamptz", -3_600_000_001n, -2],
  ])("%s of %s %s is %s", (transform, type, value, expected) => {
    expect(partitionValue({ transform }, type, value, value)).toBe(expected);
  });

  test.each<[string, string, PartitionValue, PartitionValue]>([
    ["identity", "int", 1, 2],
    ["truncate[10]", "int", 9, 10],
    ["day", "timestamptz", -1n, 0n],
    ["bucket[4]", "int", 1, 1],
    ["identity", "double", 1, 1],
    ["truncate[2]", "string", "ab", "ab"],
    ["day", "date", 1, 1],
    ["hour", "date", 1, 1],
    ["void", "date", 1, 1],
    ["year", "timestamptz", 2n ** 63n - 1n, 2n ** 63n - 1n],
  ])("%s of %s from %s to %s are not one partition", (transform, type, low, high) => {
    expect(partitionValue({ transform }, type, low, high)).toBeUndefined();
  });
});

const COLUMNS: readonly SourceColumn[] = [
  { id: 1, name: "id", type: "INT64", nullable: false, array: false, isKey: true },
  { id: 2, name: "seen at", type: "UNIXTIME_MICROS", nullable: false, array: false, isKey: true },
  { id: 3, name: "tenant", type: "STRING", nullable: false, array: false, isKey: true },
];
const SCHEMA = icebergSchema(COLUMNS);
type Row = readonly [bigint, bigint, string];
const DAY = 86_400_000_000n;

async function writeRows(
  folders: ReturnType<typeof memoryFolders>,
  name: string,
  rows: readonly Row[],
  isDelete = false,
): Promise<IcebergFile> {
  // icebird compares timestamps as objects, so they are never equal.
  const written = isDelete ? COLUMNS.slice(0, 1) : COLUMNS;
  async function* batches() {
    const columns = written.map((column, i) =>
      batchFromValues(
        column,
        rows.map((row) => row[i] ?? null),
      ),
    );
    yield { length: rows.length, firstRow: 0, names: written.map((one) => one.name), columns };
  }
  const table = { columns: written, rows: batches() };
  return writeIcebergFile(await folders.data.createSink(name), name, table, { schema: SCHEMA, isDelete });
}

const FIELDS = [
  { sourceId: 2, transform: "day", name: "seen at_day" },
  { sourceId: 3, transform: "identity", name: "tenant" },
];
const ROWS: readonly Row[] = [
  [1n, 5n, "a"],
  [2n, 6n, "a"],
  [3n, DAY, "日本"],
  [4n, -1n, "c"],
];

async function partitionedTable(folders: ReturnType<typeof memoryFolders>) {
  const [first, second, other] = [
    await writeRows(folders, "1.parquet", ROWS.slice(0, 2)),
    await writeRows(folders, "2.parquet", ROWS.slice(2, 3)),
    await writeRows(folders, "3.parquet", ROWS.slice(3)),
  ];
  const dataFiles = [{ ...second, partition: [1, "日本"] }, { ...first, partition: [0, "a"] }, other];
  return createIcebergTable(
    folders,
    { schema: SCHEMA, sortedBy: [], partitionedBy: FIELDS, properties: {} },
    { dataFiles },
  );
}

async function avro(folders: ReturnType<typeof memoryFolders>, path: string): Promise<AvroObject[]> {
  const source = await folders.metadata.openSource(path.slice(path.lastIndexOf("/") + 1));
  const bytes = await readExactly(source, 0, await sizeOf(source));
  return (await readAvroContainer(bytes)) as AvroObject[];
}

test("manifests have the values of partitions, and the list their range", async () => {
  const folders = memoryFolders();
  const { metadata } = await partitionedTable(folders);
  expect(metadata.json).toMatchObject({
    "default-spec-id": 1,
    "last-partition-id": 1001,
    "partition-specs": [
      { "spec-id": 0, fields: [] },
      {
        "spec-id": 1,
        fields: [
          { "source-id": 2, "field-id": 1000, name: "seen at_day", transform: "day" },
          { "source-id": 3, "field-id": 1001, name: "tenant", transform: "identity" },
        ],
      },
    ],
  });
  const [plain, partitioned] = await avro(folders, metadata.current?.manifestList ?? "");
  expect(plain).toMatchObject({ partition_spec_id: 0, partitions: [], added_files_count: 1 });
  expect(partitioned).toMatchObject({ partition_spec_id: 1, added_files_count: 2 });
  const ranges = ((partitioned?.["partitions"] ?? []) as AvroObject[]).map((range) => [
    toHex(range["lower_bound"] as Uint8Array),
    toHex(range["upper_bound"] as Uint8Array),
  ]);
  expect(ranges).toEqual([
    ["00000000", "01000000"],
    ["61", toHex(new TextEncoder().encode("日本"))],
  ]);
  const entries = await avro(folders, String(partitioned?.["manifest_path"]));
  expect(entries.map((entry) => (entry["data_file"] as AvroObject)["partition"])).toEqual([
    { p0: 1, tenant: "日本" },
    { p0: 0, tenant: "a" },
  ]);
});

test("icebird and readSnapshot read a table with partitions; deletes apply to all of them", async () => {
  const server = await serveFiles({});
  const tableUrl = server.url.replace(/\/$/, "");
  const folders = memoryFolders(undefined, undefined, tableUrl);
  const table = await partitionedTable(folders);
  const deleted = ROWS.slice(1);
  const deleteFiles = [await writeRows(folders, "4.parquet", deleted, true)];
  const live = {
    ...(await writeRows(folders, "5.parquet", [ROWS[2] ?? [0n, 0n, ""]])),
    partition: [1, "日本"],
  };
  await commitSnapshot(table, { dataFiles: [live], deleteFiles });
  for (const kind of ["data", "metadata"] as const) {
    for (const [name, body] of folders[kind].snapshot()) {
      server.files.set(`${kind}/${name}`, { body });
    }
  }
  const found = await icebergRead({ tableUrl, metadata: await icebergMetadata({ tableUrl }) });
  expect(found.map(({ id }) => id).sort()).toEqual([1n, 3n]);
  const opened = await openIcebergTable(folders);
  const ids: unknown[] = [];
  for (const { rows } of opened === undefined ? [] : (await readSnapshot(opened)).files) {
    for await (const batch of rows()) {
      ids.push(...(batch.columns[0]?.toArray() ?? []));
    }
  }
  expect(ids.sort()).toEqual([1n, 3n]);
});

test("a file is in a partition only if its statistics say so", async () => {
  const folders = memoryFolders();
  const [day, tenant] = FIELDS;
  const { columns } = await writeRows(folders, "1.parquet", ROWS.slice(0, 2));
  const check = (field: typeof day, value: PartitionValue): boolean | undefined =>
    field && isInPartition(field, value, SCHEMA, columns.find(({ id }) => id === field.sourceId) ?? {});
  expect([check(day, 0), check(day, 1), check(tenant, "a"), check(tenant, "b")]).toEqual([
    true,
    false,
    true,
    false,
  ]);
  const mixed = await writeRows(folders, "2.parquet", ROWS);
  expect(day && isInPartition(day, 0, SCHEMA, mixed.columns[1] ?? {})).toBe(false);
});

test("files without all values, and columns that cannot be partitioned by, are refused", async () => {
  const folders = memoryFolders();
  const table = await partitionedTable(folders);
  const file = { ...(await writeRows(folders, "6.parquet", ROWS.slice(0, 1))), partition: [0] };
  await expect(commitSnapshot(table, { dataFiles: [file] })).rejects.toMatchObject({
    code: "E_INVALID_ARGUMENT",
  });
  const partitionedBy = [{ sourceId: 9, transform: "identity", name: "x" }];
  const created = async () =>
    createIcebergTable(
      memoryFolders(),
      { schema: SCHEMA, sortedBy: [], properties: {}, partitionedBy },
      { dataFiles: [] },
    );
  await expect(created()).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
});

test('deletes of one partition apply to it alone; null differs from the text "null"', async () => {
  const folders = memoryFolders();
  const table = await partitionedTable(folders);
  const all = await writeRows(folders, "4.parquet", ROWS, true);
  await commitSnapshot(table, { dataFiles: [], deleteFiles: [all] });
  const opened = await openIcebergTable(folders);
  const list = (await avro(folders, opened?.metadata.current?.manifestList ?? "")).map((one) => one);
  const [plain, partitioned, deletes] = list;
  const [entry] = await avro(folders, String(partitioned?.["manifest_path"]));
  const [deleted] = await avro(folders, String(deletes?.["manifest_path"]));
  const schema = manifestEntrySchema(
    FIELDS.map(({ name }) => ({ name, type: name === "tenant" ? "string" : "date" })),
  );
  const write = async (manifest: AvroObject | undefined, values: AvroObject[]): Promise<void> => {
    const name = String(manifest?.["manifest_path"]).split("/").at(-1) ?? "";
    await writeWhole(folders.metadata, name, await writeAvroContainer(schema, values));
  };
  const inTenant = (one: AvroObject | undefined, tenant: string | null): AvroObject => ({
    ...one,
    data_file: { ...(one?.["data_file"] as AvroObject), partition: { p0: 0, tenant } },
  });
  const idsLeft = async (ofData: string | null, ofDeletes: string | null): Promise<unknown[]> => {
    await write(partitioned, [inTenant(entry, ofData)]);
    await write(deletes, [inTenant(deleted, ofDeletes)]);
    const entries = [partitioned, { ...deletes, partition_spec_id: 1 }] as AvroObject[];
    const numbers = { snapshotId: 1n, parentId: undefined, sequenceNumber: 2n };
    const name = opened?.metadata.current?.manifestList.split("/").at(-1) ?? "";
    await writeWhole(folders.metadata, name, await manifestListBytes(entries, numbers));
    const ids: unknown[] = [];
    for (const { rows } of opened === undefined ? [] : (await readSnapshot(opened)).files) {
      for await (const { columns } of rows()) {
        ids.push(...(columns[0]?.toArray() ?? []));
      }
    }
    return ids;
  };
  expect(plain).toBeDefined();
  expect(await idsLeft("a", "a")).toEqual([]);
  expect(await idsLeft("a", "b")).toEqual([3n]);
  expect(await idsLeft("null", null)).toEqual([3n]);
  expect(await idsLeft(null, null)).toEqual([]);
});

test("a commit into partitions that another writer defined by an unknown column is refused", async () => {
  const folders = memoryFolders();
  const { metadata, ...table } = await partitionedTable(folders);
  const fields = [{ "source-id": 9, "field-id": 1000, transform: "bucket[4]", name: "x" }];
  const specs = { "partition-specs": [{ "spec-id": 1, fields }] };
  const other = { ...table, metadata: tableMetadata({ ...metadata.json, ...specs }) };
  const file = { ...(await writeRows(folders, "6.parquet", ROWS.slice(0, 1))), partition: [0] };
  await expect(commitSnapshot(other, { dataFiles: [file] })).rejects.toMatchObject({
    code: "E_UNSUPPORTED",
    field: "partition-specs",
  });
});

test.each([
  [1, "identity", "int", "04000000", "04000000", 4, true],
  [1, "truncate[10]", "int", "04000000", "0a000000", 0, false],
  [1, "identity", "int", "0400", "0400", 4, false],
  [1, "identity", "int", undefined, "04000000", 4, false],
  [2, "identity", "int", "04000000", "04000000", 4, false],
])(
  "column %d, %s of %s from %s to %s, is in partition %s: %s",
  (sourceId, transform, type, lower, upper, value, is) => {
    const schema = { ...SCHEMA, fields: [{ id: 1, name: "a", required: true, type }] };
    expect(isInPartition({ sourceId, transform, name: "p" }, value, schema, { lower, upper })).toBe(is);
  },
);

test.each([
  ["day", 2, "date"],
  ["hour", 2, "int"],
  ["identity", 3, "string"],
  ["identity", 9, undefined],
])("values of %s of column %d are %s", (transform, sourceId, type) => {
  expect(partitionType({ transform, sourceId, name: "p" }, SCHEMA)).toBe(type);
});

test.each<[PartitionValue, PartitionValue, number]>([
  [1, 2, -1],
  [2n, 1n, 1],
  [2n, 2n, 0],
  ["b", "a", 1],
])("partitions %s and %s compare as %d", (a, b, order) => {
  expect(comparePartitions(a, b)).toBe(order);
});

test("data files in folders of their partitions, and tables without an unpartitioned spec, are read", async () => {
  const folders = memoryFolders();
  const { metadata } = await partitionedTable(folders);
  const bytes = folders.data.snapshot().get("1.parquet") ?? new Uint8Array();
  const dataTree = memoryTree(new Map([["tenant=a/1.parquet", bytes]]));
  const file = { ...(await writeRows(folders, "1.parquet", ROWS.slice(0, 2))), partition: [0, "a"] };
  const inFolders = { ...memoryFolders(), dataTree };
  const table = await createIcebergTable(
    inFolders,
    { schema: SCHEMA, sortedBy: [], partitionedBy: FIELDS, properties: {} },
    { dataFiles: [{ ...file, name: "tenant=a/1.parquet" }] },
  );
  const { "partition-specs": specs, ...json } = table.metadata.json;
  const others = tableMetadata({ ...json, "partition-specs": Array.isArray(specs) ? specs.slice(1) : [] });
  expect([metadata.plainSpecId, others.plainSpecId]).toEqual([0, undefined]);
  const [found] = (await readSnapshot({ ...table, metadata: others })).files;
  const ids: unknown[] = [];
  for await (const { columns } of found?.rows() ?? []) {
    ids.push(...(columns[0]?.toArray() ?? []));
  }
  expect(ids).toEqual([1n, 2n]);
  const deleteFiles = [await writeRows(folders, "7.parquet", ROWS.slice(0, 1), true)];
  const commit = commitSnapshot({ ...table, metadata: others }, { dataFiles: [], deleteFiles });
  await expect(commit).rejects.toMatchObject({ code: "E_UNSUPPORTED", field: "partition-specs" });
});
