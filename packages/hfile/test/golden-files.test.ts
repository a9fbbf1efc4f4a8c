import { createHash } from "node:crypto";
import { fromHex, toHex } from "@cfile/bytes";
import { memorySource } from "@cfile/io";
import { withMetrics } from "@cfile/io/decorators";
import { describe, expect, it } from "vitest";
import { CELL_TYPES, type HFileCell, type HFileReader, openHFile } from "../src/index.js";
import { EntriesDigest, sha256 } from "./entries-digest.js";
import { type GoldenFile, goldenFile, goldenFiles } from "./golden.js";

const TYPE_CODES = new Map(
  Object.entries(CELL_TYPES).map(([code, name]) => [name.toUpperCase(), Number(code)]),
);

const hexOf = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString("hex");

async function allCells(reader: HFileReader): Promise<HFileCell[]> {
  const cells: HFileCell[] = [];
  for await (const cell of reader.entries()) {
    cells.push(cell);
  }
  return cells;
}

describe.each(goldenFiles)("$name", ({ bytes, facts }: GoldenFile) => {
  it("yields the expected entries in order", async () => {
    const reader = await openHFile(bytes);
    const digest = new EntriesDigest();
    for await (const batch of reader.scan()) {
      digest.add(batch);
    }
    expect(digest.count).toBe(facts.entry_count);
    expect(reader.entryCount).toBe(facts.entry_count);
    expect(digest.hex()).toBe(facts.entries_sha256);
  });

  it("is opened with two reads at the end of the file", async () => {
    const source = withMetrics(memorySource(bytes));
    const reader = await openHFile(source);
    expect(source.metrics.reads).toBe(2);
    expect(source.metrics.bytes).toBe(bytes.length - reader.trailer.loadOnOpenOffset);
    expect(reader.trailer.codec).toBe(facts.compression);
    if (facts.index_levels !== undefined) {
      expect(reader.trailer.indexLevels).toBe(facts.index_levels);
    }
    expect(reader.structure.dataIndex.length).toBe(
      facts.index_entries_per_level?.[0] ?? reader.trailer.dataIndexCount,
    );
  });

  it("returns the expected first, last and sampled cells", async () => {
    const reader = await openHFile(bytes);
    const cells = await allCells(reader);
    const first = await reader.first();
    const last = await reader.last();
    expect(first?.key).toEqual(cells[0]?.key);
    expect(last?.key).toEqual(cells.at(-1)?.key);
    expect(reader.lastRow ?? new Uint8Array(0)).toEqual(last?.row ?? new Uint8Array(0));
    if (facts.first_key !== undefined && facts.last_key !== undefined) {
      expect(first === undefined ? undefined : toHex(first.row)).toBe(facts.first_key?.hex);
      expect(last === undefined ? undefined : toHex(last.row)).toBe(facts.last_key?.hex);
    }
    for (const { ordinal, key, value } of facts.samples ?? []) {
      expect(toHex(cells[ordinal]?.row ?? new Uint8Array(0))).toBe(key);
      expect(toHex(cells[ordinal]?.value ?? new Uint8Array(0))).toBe(value);
    }
    for (const [i, entry] of (facts.first_entries ?? []).entries()) {
      const cell = cells[i] as HFileCell;
      expect({
        row: toHex(cell.row),
        family: toHex(cell.family),
        qualifier: toHex(cell.qualifier),
        timestamp: String(cell.timestamp),
        type: cell.type,
        mvcc: String(cell.mvcc),
        value: toHex(cell.value),
      }).toEqual({
        row: entry.row,
        family: entry.family,
        qualifier: entry.qualifier,
        timestamp: entry.timestamp,
        type: TYPE_CODES.get(entry.type.toUpperCase()),
        mvcc: entry.mvcc,
        value: entry.value,
      });
      if (entry.tags !== undefined) {
        expect(toHex(cell.tags)).toBe(entry.tags);
      }
    }
  });

  it("returns the expected file info and meta blocks", async () => {
    const reader = await openHFile(bytes);
    if (facts.file_info !== undefined) {
      const info = Object.fromEntries(
        reader.fileInfo.entries.map(({ key, value }) => [new TextDecoder().decode(key), toHex(value)]),
      );
      expect(info).toEqual(facts.file_info);
    }
    const metaBlocks = facts.meta_blocks ?? [];
    if (Array.isArray(metaBlocks)) {
      expect(reader.metaBlockNames).toEqual(metaBlocks.map(({ name }) => name));
      for (const { name, content_length, content_sha256 } of metaBlocks) {
        const block = (await reader.metaBlock(name)) as Uint8Array;
        expect([block.length, sha256(block)]).toEqual([content_length, content_sha256]);
      }
    } else {
      expect([...reader.metaBlockNames].sort()).toEqual(Object.keys(metaBlocks).sort());
      for (const [name, hex] of Object.entries(metaBlocks)) {
        expect(toHex((await reader.metaBlock(name)) as Uint8Array)).toBe(hex);
      }
    }
    expect(await reader.metaBlock("there is no such block")).toBeUndefined();
  });

  it("finds every sampled row, with get and getMany", async () => {
    const reader = await openHFile(bytes);
    const cells = await allCells(reader);
    const sampled = cells.filter((_, i) => i % Math.ceil(cells.length / 300) === 0);
    const firstOf = new Map<string, Uint8Array>();
    for (const cell of cells) {
      const row = toHex(cell.row);
      firstOf.set(row, firstOf.get(row) ?? cell.value);
    }
    const rows = sampled.map((cell) => cell.row);
    const values = rows.map((row) => firstOf.get(toHex(row)));
    expect((await reader.getMany(rows)).map(hexOf)).toEqual(values.map(hexOf));
    for (const [i, row] of rows.entries()) {
      expect(hexOf(await reader.get(row))).toBe(hexOf(values[i]));
      const absent = new Uint8Array([...row, 0]);
      expect(await reader.get(absent)).toBeUndefined();
    }
  });

  it("returns the expected results of seeks and prefix scans", async () => {
    const reader = await openHFile(bytes);
    const cells = await allCells(reader);
    const at = (ordinal: number | undefined) => cells[ordinal ?? -1]?.key;
    expect(cells.length).toBe(facts.entry_count);
    for (const seek of facts.seeks ?? []) {
      const key = fromHex(seek.key);
      const found = await reader.seek(key);
      switch (seek.result) {
        case "found":
          expect(found.result === "found" && found.cell.key).toEqual(at(seek.first_ordinal));
          expect((await reader.getAll(key)).length).toBe(seek.count);
          expect(toHex((await reader.get(key)) as Uint8Array)).toBe(seek.value_hex);
          break;
        case "between":
          expect(found.result === "between" && found.floor.key).toEqual(at(seek.floor_ordinal));
          expect(found.result === "between" && found.ceiling.key).toEqual(at(seek.ceiling_ordinal));
          break;
        case "before_first":
          expect(found.result === "before first" && found.ceiling.key).toEqual(at(0));
          break;
        case "after_last":
          expect(found.result === "after last" && found.floor.key).toEqual(cells.at(-1)?.key);
          break;
        case "empty_file":
          expect(found.result).toBe("empty");
          break;
      }
    }
    for (const { prefix, count, first_ordinal, last_ordinal } of facts.prefix_scans ?? []) {
      const keys: Uint8Array[] = [];
      for await (const cell of reader.entries({ prefix: fromHex(prefix) })) {
        keys.push(cell.key);
      }
      expect(keys.length).toBe(count);
      if (first_ordinal !== null && last_ordinal !== null) {
        expect([keys[0], keys.at(-1)]).toEqual([at(first_ordinal), at(last_ordinal)]);
      }
    }
  });
});

describe("special golden files", () => {
  it("have the expected keys and MVCC numbers", async () => {
    const { bytes, facts } = goldenFile("synthetic_crc32_gz_columns_mvcc");
    const hash = createHash("sha256");
    const cells = await allCells(await openHFile(bytes));
    for (const cell of cells) {
      const head = Buffer.alloc(4);
      head.writeUInt32BE(cell.key.length);
      const mvcc = Buffer.alloc(8);
      mvcc.writeBigUInt64BE(BigInt.asUintN(64, cell.mvcc));
      hash.update(head).update(cell.key).update(mvcc);
    }
    expect(hash.digest("hex")).toBe(facts.full_key_mvcc_sha256);
  });

  it("expose Hudi's Bloom filters", async () => {
    const simple = await openHFile(goldenFile("hudi_1_0_hbase_2_4_9_16KB_NONE_5000").bytes);
    const filter = await simple.hudiBloomFilter();
    expect(filter?.simple).toMatchObject({ hashes: 20, hashKind: 1, bits: 288 });
    expect(filter?.simple?.words.length).toBe(36);
    const dynamic = await openHFile(goldenFile("hudi_1_0_hbase_2_4_9_no_entry").bytes);
    expect(await dynamic.hudiBloomFilter()).toMatchObject({ typeCode: "DYNAMIC_V0", simple: undefined });
  });

  it("distinguish a block's artificial first key from its real one", async () => {
    const reader = await openHFile(goldenFile("hudi_1_0_hbase_2_4_13_16KB_GZ_20000_fake_first_key").bytes);
    const { dataIndex } = reader.structure;
    const found = await reader.seek(dataIndex.row(1));
    expect(found).toMatchObject({ result: "between", hudiCode: -2 });
    expect(await reader.seek(reader.lastRow ?? "")).toMatchObject({ result: "found", hudiCode: 0 });
  });
});
