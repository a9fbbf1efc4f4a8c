import { memorySource } from "@cfile/io";
import { describe, expect, test } from "vitest";
import { findBloomSizing } from "../src/recover.js";
import { bloomSizingByBytes, bloomSizingByCount, DEFAULT_FALSE_POSITIVE_RATE } from "../src/write.js";
import { numberedKeys, writeBloom } from "./files.js";

/** A Bloom file without header and footer. */
async function damaged(sizing: Parameters<typeof writeBloom>[1]): Promise<ReturnType<typeof memorySource>> {
  const bytes = await writeBloom(numberedKeys(900), sizing);
  bytes.fill(0, 0, 12);
  return memorySource(bytes.subarray(0, bytes.length - 40), "x.bloom");
}

describe("the size of the filters of a damaged file", () => {
  test("is that of its filters, with Kudu's rate if that needs as many hash functions", async () => {
    const found = await findBloomSizing(await damaged({ filterBytes: 512 }));
    expect(found).toEqual({ sizing: bloomSizingByBytes(512), from: "filters" });
  });

  test("has the given rate", async () => {
    const sizing = bloomSizingByBytes(512, 0.01);
    const found = await findBloomSizing(await damaged({ sizing }), { falsePositiveRate: 0.01 });
    expect(found).toEqual({ sizing, from: "filters" });
  });

  test("has a rate that needs the number of hash functions of the filters", async () => {
    for (const rate of [0.3, 0.02, 0.001, 1e-7]) {
      const sizing = bloomSizingByBytes(1024, rate);
      const { sizing: found } = await findBloomSizing(await damaged({ sizing }));
      expect(found).toMatchObject({ filterBytes: 1024, hashCount: sizing.hashCount });
    }
  });

  test("refuses a rate that needs another number of hash functions", async () => {
    const source = await damaged({ filterBytes: 512 });
    await expect(findBloomSizing(source, { falsePositiveRate: 0.3 })).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      field: "falsePositiveRate",
    });
  });

  test("is the one of most filters", async () => {
    const parts = [bloomSizingByCount(100), bloomSizingByCount(400)].map((sizing) =>
      writeBloom(numberedKeys(900), { sizing }),
    );
    const bytes = Buffer.concat(await Promise.all(parts));
    const { sizing } = await findBloomSizing(memorySource(bytes));
    expect(sizing.filterBytes).toBe(bloomSizingByCount(100).filterBytes);
  });

  test("is Kudu's default if no filter is readable", async () => {
    const nothing = memorySource(new Uint8Array(5000));
    expect(await findBloomSizing(nothing)).toEqual({ sizing: bloomSizingByBytes(), from: "default" });
    const { sizing } = await findBloomSizing(nothing, { falsePositiveRate: 0.01 });
    expect(sizing).toEqual(bloomSizingByBytes(undefined, 0.01));
    expect(sizing.falsePositiveRate).toBeGreaterThan(DEFAULT_FALSE_POSITIVE_RATE);
  });
});
