/** Verification of rows against indexes with wrong statements. */
import type { AvroObject } from "@cfile/avro";
import { memoryTree } from "@cfile/io";
import { describe, expect, test, vi } from "vitest";
import { type HudiTable, openHudiTable, verifyTable } from "../src/index.js";
import type { MetadataTable } from "../src/metadata/metadata-table.js";
import { locationOf } from "../src/metadata/record-index.js";
import { factsOf, goldenTree, unpack } from "./golden-table.js";

async function indexedTable(name = "mor_v9"): Promise<{ table: HudiTable; metadata: MetadataTable }> {
  const table = await openHudiTable(goldenTree(name));
  const { metadata } = table;
  if (metadata === undefined) {
    throw new Error("expected a metadata table");
  }
  return { table, metadata };
}

async function messagesOf(table: HudiTable): Promise<string[]> {
  const messages: string[] = [];
  const report = await verifyTable(table, { deep: true, onProblem: ({ message }) => messages.push(message) });
  expect([report.ok, report.problemCount]).toEqual([messages.length === 0, messages.length]);
  return messages;
}

test("a record index that lacks a key, has one too many, and has one elsewhere", async () => {
  const { table, metadata } = await indexedTable();
  const { withPrefix } = metadata;
  vi.spyOn(metadata, "withPrefix").mockImplementation(async (partition, prefix) => {
    const found = await withPrefix.call(metadata, partition, prefix);
    const changed = new Map(found);
    const [[absent] = [""], [moved, record] = ["", {}]] = [...found];
    const elsewhere = [...found.values()].find((one) => locationOf(one).fileId !== locationOf(record).fileId);
    changed.delete(absent);
    return changed.set(moved, elsewhere ?? {}).set("ghost", record);
  });
  const messages = await messagesOf(table);
  expect(messages).toHaveLength(3);
  expect(messages.filter((message) => message.includes("no entry"))).toHaveLength(1);
  expect(messages.filter((message) => message.includes('key "ghost", which no row has'))).toHaveLength(1);
});

test("a key that a second group has too, as inserts may leave it", async () => {
  const { table } = await indexedTable();
  const { slices } = table;
  const [first = ""] = await table.partitions();
  vi.spyOn(table, "slices").mockImplementation(async (partition, asOf) => {
    const found = await slices.call(table, partition, asOf);
    return partition === first
      ? [...found, ...found.map((slice) => ({ ...slice, fileId: "second" }))]
      : found;
  });
  expect(await messagesOf(table)).toEqual([]);
});

/** Changes the statistics of a column in the metadata table. */
function restate(metadata: MetadataTable, column: string, change: (stats: AvroObject) => AvroObject): void {
  const { find } = metadata;
  vi.spyOn(metadata, "find").mockImplementation(async (partition, keys) => {
    const found = await find.call(metadata, partition, keys);
    const changed = [...found].map(([key, record]) => {
      const stats = record["ColumnStatsMetadata"] as AvroObject | null | undefined;
      return [
        key,
        stats?.["columnName"] === column ? { ...record, ColumnStatsMetadata: change(stats) } : record,
      ] as const;
    });
    return new Map(changed);
  });
}

test.each([
  ["number of nulls of ts", (stats: AvroObject) => ({ ...stats, nullCount: Number(stats["nullCount"]) + 1 })],
  [
    "values of ts are outside its bounds",
    (stats: AvroObject) => ({ ...stats, maxValue: stats["minValue"] ?? null }),
  ],
])("column statistics with a wrong %s", async (message, change) => {
  const { table, metadata } = await indexedTable();
  restate(metadata, "ts", change);
  const messages = await messagesOf(table);
  expect(messages.length).toBeGreaterThan(0);
  expect(messages.filter((each) => !each.includes(message))).toEqual([]);
});

describe("column statistics of files in milliseconds", () => {
  test("are in milliseconds", async () => {
    const { table, metadata } = await indexedTable("timestamp_millis");
    expect(metadata.has("column_stats")).toBe(true);
    expect(await messagesOf(table)).toEqual([]);
  });

  const bound = (wrapper: string, value: number) => ({ [wrapper]: { value } });
  test.each(["m", "l"])("with wrong bounds are reported: %s", async (column) => {
    const { table, metadata } = await indexedTable("timestamp_millis");
    restate(metadata, column, (stats) => ({ ...stats, maxValue: bound("LongWrapper", -6) }));
    const messages = await messagesOf(table);
    expect(messages).toHaveLength(2);
    expect(messages.filter((each) => !each.includes(`values of ${column} are outside its bounds`))).toEqual(
      [],
    );
  });

  test.each([
    [1_800_000_000_000_000, 0],
    [9, 2],
  ])("may state that they are in microseconds: to %d", async (max, problems) => {
    const { table, metadata } = await indexedTable("timestamp_millis");
    const minValue = bound("TimestampMicrosWrapper", -5_000_000);
    restate(metadata, "m", (stats) => ({
      ...stats,
      minValue,
      maxValue: bound("TimestampMicrosWrapper", max),
    }));
    expect(await messagesOf(table)).toHaveLength(problems);
  });
});

test("a table whose metadata table is not in use has no index to compare", async () => {
  const { files } = unpack("cow_v9");
  const path = ".hoodie/hoodie.properties";
  const text = new TextDecoder().decode(files.get(path));
  files.set(path, new TextEncoder().encode(text.replace(/^hoodie\.table\.metadata\.partitions=.*$/m, "")));
  const table = await openHudiTable(memoryTree(files));
  expect(table.metadata).toBeUndefined();
  const report = await verifyTable(table, { deep: true });
  expect(report).toMatchObject({ ok: true, rows: factsOf("cow_v9").row_count });
});
