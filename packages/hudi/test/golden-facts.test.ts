import { createHash } from "node:crypto";
import { utf8Bytes } from "@cfile/bytes";
import { hudiBloomLookup } from "@cfile/hfile";
import { beforeAll, describe, expect, test } from "vitest";
import { openHudiTable } from "../src/index.js";
import { bloomFilters } from "../src/metadata/bloom-filters.js";
import { columnStats } from "../src/metadata/column-stats.js";
import type { MetadataTable } from "../src/metadata/metadata-table.js";
import { findLocations } from "../src/metadata/record-index.js";
import type { FileSlice } from "../src/slices/file-slices.js";
import type { HudiTable } from "../src/table/hudi-table.js";
import type { HudiInstant } from "../src/timeline/instant.js";
import { type Facts, factsOf, goldenTree, TABLES } from "./golden-table.js";

const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

describe.each(TABLES)("%s", (name) => {
  let table: HudiTable;
  let facts: Facts;
  let metadata: MetadataTable;

  beforeAll(async () => {
    table = await openHudiTable(goldenTree(name));
    facts = factsOf(name);
    if (table.metadata === undefined) {
      throw new Error("no metadata table");
    }
    metadata = table.metadata;
  });

  test("has Hudi's properties", () => {
    expect(Object.fromEntries([...table.properties.all].sort())).toEqual(facts.properties);
  });

  /** Archives keep times only in seconds. */
  const inSeconds = (rows: readonly (readonly (string | null)[])[]) =>
    rows.map(([time, action, state, completion, file]) => [
      time,
      action,
      state,
      completion?.slice(0, 14) ?? null,
      file,
    ]);
  const listed = (instants: readonly HudiInstant[]) =>
    instants.map(({ time, action, state, completionTime, file }) => [
      time,
      action,
      state,
      completionTime ?? null,
      file,
    ]);
  const exact = (layout: number) => (rows: readonly (readonly (string | null)[])[]) =>
    layout === 2 ? rows : inSeconds(rows);

  test("has Hudi's timelines", async () => {
    const form = exact(table.properties.layout);
    expect(form(listed(table.instants))).toEqual(form(facts.active_timeline));
    expect(listed(await table.archivedInstants())).toEqual(facts.archived_timeline);
    expect(form(listed((await metadata.timeline()).instants))).toEqual(form(facts.metadata_active_timeline));
    expect(listed((await (await metadata.timeline()).archived()).instants)).toEqual(
      facts.metadata_archived_timeline,
    );
  });

  const form = (slices: readonly FileSlice[]) =>
    slices.map(({ fileId, baseInstant, baseFile, logFiles }) => [
      fileId,
      baseInstant,
      baseFile ?? null,
      logFiles,
    ]);

  test("has the metadata table's valid instants and slices", async () => {
    expect([...(await metadata.validInstants())].sort()).toEqual(facts.valid_metadata_instants);
    for (const [partition, slices] of Object.entries(facts.metadata_file_slices)) {
      expect(form(await metadata.slices(partition)), partition).toEqual(slices);
    }
  });

  test("has Hudi's partitions and files", async () => {
    expect(await table.partitions()).toEqual(facts.partitions);
    for (const partition of facts.partitions) {
      expect([...(await table.filesOf(partition))], partition).toEqual(facts.files[partition]);
    }
  });

  test("has Hudi's file slices at several instants", async () => {
    for (const [instant, byPartition] of Object.entries(facts.file_slices)) {
      for (const partition of facts.partitions) {
        expect(form(await table.slices(partition, instant)), `${instant} ${partition}`).toEqual(
          byPartition[partition],
        );
      }
    }
  });

  test("finds all records in the record index", async () => {
    const keys = facts.record_index.map(([key]) => key);
    const found = await findLocations(metadata, [...keys, "absent-0", "absent-1"]);
    const rows = keys.map((key) => {
      const location = found.get(key);
      return [key, location?.partition, location?.fileId, location?.instant];
    });
    expect(rows).toEqual(facts.record_index);
    expect(found.size).toBe(keys.length);
  });

  test("has Hudi's Bloom filters, with Hudi's answers", async () => {
    const { probes, filters } = facts.bloom_filters;
    for (const [partition, file, type, digest, answers] of filters) {
      const filter = (await bloomFilters(metadata, partition, [file])).get(file);
      if (filter === undefined) {
        throw new Error(`no filter of ${file}`);
      }
      expect(filter.typeCode).toBe(type);
      expect(createHash("sha256").update(filter.text).digest("hex")).toBe(digest);
      const mayContain = hudiBloomLookup(filter);
      expect(probes.map((key) => (mayContain(utf8Bytes(key)) ? "1" : "0")).join(""), file).toBe(answers);
    }
    expect(filters.length).toBeGreaterThan(0);
  });

  /** Hudi 0.15 shows dates and decimals in wrappers that differ from the stored ones. */
  const SHOWN: Readonly<Record<string, string>> = {
    DateWrapper: "IntWrapper",
    DecimalWrapper: "BytesWrapper",
  };

  test("has Hudi's column statistics", async () => {
    for (const [partition, file, column, min, max, ...counts] of facts.column_stats.records) {
      const stats = (await columnStats(metadata, String(partition), [String(file)], [String(column)]))
        .get(String(file))
        ?.get(String(column));
      const shown = (value: typeof stats extends undefined ? never : NonNullable<typeof stats>["min"]) => {
        if (value === undefined) {
          return null;
        }
        const wrapper =
          table.properties.version === 6 ? (SHOWN[value.wrapper] ?? value.wrapper) : value.wrapper;
        const content = value.value instanceof Uint8Array ? toHex(value.value) : value.value;
        const isText =
          typeof content === "bigint" || (typeof content === "number" && !Number.isFinite(content));
        return { [wrapper]: isText ? String(content) : content };
      };
      const where = `${partition} ${file} ${column}`;
      expect([shown(stats?.min), shown(stats?.max)], where).toEqual([min, max]);
      const { valueCount, nullCount, totalSize, totalUncompressedSize } = stats ?? {};
      expect([valueCount, nullCount, totalSize, totalUncompressedSize, false], where).toEqual(counts);
    }
  });
});
