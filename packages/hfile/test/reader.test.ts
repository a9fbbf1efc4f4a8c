import { isCFileError, type Progress } from "@cfile/bytes";
import { memorySource } from "@cfile/io";
import { withMetrics } from "@cfile/io/decorators";
import { describe, expect, it } from "vitest";
import { openHFile } from "../src/index.js";
import { recoverHFile } from "../src/recover.js";
import { goldenFile } from "./golden.js";
import { numberedEntries, writeFile } from "./sorted-files.js";

const deep = goldenFile("hudi_1_0_hbase_2_4_13_1KB_GZ_10000_large_keys_deep_index");

describe("progress", () => {
  it("of scans, verification and recovery ascends to its total", async () => {
    const reader = await openHFile(deep.bytes);
    const works = {
      scan: async (onProgress: (progress: Progress) => void) => {
        for await (const _ of reader.scan({ onProgress })) {
          // Only the progress counts.
        }
      },
      verify: (onProgress: (progress: Progress) => void) => reader.verify({ onProgress }),
      recover: async (onProgress: (progress: Progress) => void) => {
        for await (const _ of (await recoverHFile(deep.bytes)).batches({ onProgress })) {
          // Only the progress counts.
        }
      },
    };
    for (const [name, work] of Object.entries(works)) {
      const seen: Progress[] = [];
      await work((progress) => seen.push(progress));
      const { total } = seen[0] ?? { total: -1 };
      expect(
        seen.every(({ done }, i) => done > (seen[i - 1]?.done ?? 0)),
        name,
      ).toBe(true);
      expect(seen.at(-1), name).toEqual({ done: total, total });
    }
  });
});

describe("reads", () => {
  it("a lookup reads one block per level, and nothing when repeated", async () => {
    const source = withMetrics(memorySource(deep.bytes));
    const reader = await openHFile(source);
    const row = reader.lastRow ?? "";
    const { reads } = source.metrics;
    expect(await reader.get(row)).toBeDefined();
    expect(source.metrics.reads).toBe(reads + 3);
    expect(await reader.get(row)).toBeDefined();
    expect(await reader.seek(row)).toMatchObject({ result: "found" });
    expect(source.metrics.reads).toBe(reads + 3);
  });

  it("scans and sorted lookups read adjacent blocks with one request", async () => {
    const entries = numberedEntries(20_000);
    const bytes = await writeFile(entries, { blockSize: 1024 });
    const source = withMetrics(memorySource(bytes));
    const reader = await openHFile(source);
    for await (const _ of reader.scan()) {
      // Only the reads count.
    }
    expect(source.metrics.reads).toBeLessThan(30);
    const before = source.metrics.reads;
    await reader.getMany(entries.filter((_, i) => i % 10 === 0).map(({ row }) => row));
    expect(source.metrics.reads - before).toBeLessThan(30);
  });

  it("a repeated prefix scan reads nothing", async () => {
    const source = withMetrics(memorySource(deep.bytes));
    const reader = await openHFile(source);
    const prefix = (reader.lastRow ?? new Uint8Array(0)).subarray(0, -2);
    const walk = async () => {
      let cells = 0;
      for await (const batch of reader.scan({ prefix })) {
        cells += batch.length;
      }
      return cells;
    };
    const cells = await walk();
    const { reads } = source.metrics;
    expect([await walk(), source.metrics.reads]).toEqual([cells, reads]);
  });

  it("stop when the signal is aborted", async () => {
    const reader = await openHFile(deep.bytes);
    const controller = new AbortController();
    await expect(async () => {
      for await (const _ of reader.scan({ signal: controller.signal })) {
        controller.abort(new RangeError("enough"));
      }
    }).rejects.toThrow("enough");
  });
});

describe("batches", () => {
  it("pack rows and values", async () => {
    const entries = numberedEntries(10);
    const reader = await openHFile(await writeFile(entries, {}));
    for await (const batch of reader.scan({ from: entries[3]?.row, limit: 4 })) {
      const { offsets, data } = batch.packRows();
      expect(data.subarray(offsets[1], offsets[2])).toEqual(entries[4]?.row);
      const values = batch.packValues();
      expect(values.data.subarray(values.offsets[3], values.offsets[4])).toEqual(entries[6]?.value);
      expect([batch.length, offsets.length]).toEqual([4, 5]);
    }
  });

  it("decode rows and values as text", async () => {
    const reader = await openHFile(await writeFile(numberedEntries(3), { profile: "hudi" }));
    expect(reader.profile).toBe("hudi");
    const cell = await reader.first();
    expect([cell?.rowText, cell?.valueText]).toEqual(["key-00000000", "value 0"]);
    expect(await reader.get("key-00000002")).toEqual(new TextEncoder().encode("value 2"));
    expect(await reader.hudiBloomFilter()).toBeUndefined();
  });

  it("require a valid limit", async () => {
    const reader = await openHFile(await writeFile([], {}));
    await expect(reader.scan({ limit: -1 }).next()).rejects.toSatisfy((e) =>
      isCFileError(e, "E_INVALID_ARGUMENT"),
    );
  });
});
