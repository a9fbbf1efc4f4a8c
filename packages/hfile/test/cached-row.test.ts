import { describe, expect, it } from "vitest";
import type { HFileReader } from "../src/index.js";
import { openHFile } from "../src/index.js";
import { goldenFile } from "./golden.js";
import { numberedEntries, writeFile } from "./sorted-files.js";

const deep = await writeFile(numberedEntries(2000), { blockSize: 256, indexBlockSize: 128 });

function cachedValue(reader: HFileReader, row: string): string | undefined {
  const found = reader.cachedRow(row);
  return typeof found === "string" || found === undefined ? found : found.cell(0).valueText;
}

describe("cachedRow", () => {
  it("finds rows whose blocks have been read", async () => {
    const reader = await openHFile(deep);
    expect(reader.structure.trailer.indexLevels).toBeGreaterThan(2);
    expect(cachedValue(reader, "key-00000700")).toBeUndefined();
    await reader.get("key-00000700");
    expect(cachedValue(reader, "key-00000700")).toBe("value 700");
    expect(cachedValue(reader, "key-00000700x")).toBe("absent");
    expect(cachedValue(reader, "key-00001900")).toBeUndefined();
  });

  it("knows without reading that a row before the first one is absent", async () => {
    expect(cachedValue(await openHFile(deep), "a")).toBe("absent");
  });

  it("needs the data block in addition to the index", async () => {
    const reader = await openHFile(await writeFile(numberedEntries(20), { blockSize: 256 }));
    expect(reader.structure.trailer.indexLevels).toBe(1);
    expect(cachedValue(reader, "key-00000007")).toBeUndefined();
    await reader.get("key-00000007");
    expect(cachedValue(reader, "key-00000007")).toBe("value 7");
  });

  it("gives all cells of a row, unless they are in several blocks", async () => {
    const reader = await openHFile(goldenFile("hudi_1_0_hbase_2_4_9_16KB_GZ_200_20_non_unique").bytes);
    const kinds = new Set<string>();
    const rows = new Map<string, number>();
    for await (const batch of reader.scan({ cache: true })) {
      for (let i = 0; i < batch.length; i++) {
        const row = batch.cell(i).rowText;
        rows.set(row, (rows.get(row) ?? 0) + 1);
      }
    }
    for (const [row, count] of rows) {
      const found = reader.cachedRow(row);
      kinds.add(typeof found);
      if (found !== undefined) {
        expect(found).toMatchObject({ length: count });
      }
    }
    expect(kinds.has("object")).toBe(true);
  });
});
