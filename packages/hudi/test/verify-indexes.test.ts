/** A check of rows against indexes that state something else. */
import type { AvroObject } from "@cfile/avro";
import { memoryTree } from "@cfile/io";
import { expect, test, vi } from "vitest";
import { type HudiTable, openHudiTable, verifyTable } from "../src/index.js";
import type { MetadataTable } from "../src/metadata/metadata-table.js";
import { locationOf } from "../src/metadata/record-index.js";
import { factsOf, goldenTree, unpack } from "./golden-table.js";

async function indexedTable(): Promise<{ table: HudiTable; metadata: MetadataTable }> {
  const table = await openHudiTable(goldenTree("mor_v9"));
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

test.each([
  ["number of nulls of ts", (stats: AvroObject) => ({ ...stats, nullCount: Number(stats["nullCount"]) + 1 })],
  [
    "values of ts are outside its bounds",
    (stats: AvroObject) => ({ ...stats, maxValue: stats["minValue"] ?? null }),
  ],
])("column statistics with a wrong %s", async (message, change) => {
  const { table, metadata } = await indexedTable();
  const { find } = metadata;
  vi.spyOn(metadata, "find").mockImplementation(async (partition, keys) => {
    const found = await find.call(metadata, partition, keys);
    const changed = [...found].map(([key, record]) => {
      const stats = record["ColumnStatsMetadata"] as AvroObject | null | undefined;
      return [
        key,
        stats?.["columnName"] === "ts" ? { ...record, ColumnStatsMetadata: change(stats) } : record,
      ] as const;
    });
    return new Map(changed);
  });
  const messages = await messagesOf(table);
  expect(messages.length).toBeGreaterThan(0);
  expect(messages.filter((each) => !each.includes(message))).toEqual([]);
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
