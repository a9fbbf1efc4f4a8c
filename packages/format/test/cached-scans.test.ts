/** Scans that keep blocks in the cache return the same cells as plain scans, and from the third scan on do not read blocks. */
import { MemoryArena } from "@cfile/bytes";
import type { CellValue } from "@cfile/encodings";
import { memorySource } from "@cfile/io";
import { withMetrics } from "@cfile/io/decorators";
import { describe, expect, test } from "vitest";
import { type CFileReader, openCFile, type ScanOptions } from "../src/index.js";
import { goldenBytes, goldenFile, goldenNames } from "./golden.js";

async function cells(file: CFileReader, options: ScanOptions = {}): Promise<CellValue[]> {
  const parts: CellValue[][] = [];
  for await (const batch of file.scan(options)) {
    parts.push(batch.toArray());
  }
  return parts.flat(1);
}

const columns = goldenNames.filter((name) => goldenFile(name).rows > 0);

describe("a scan with cacheBlocks", () => {
  test.each(columns)("returns the same cells for any cache size: %s", async (name) => {
    const source = (): ReturnType<typeof memorySource> => memorySource(goldenBytes(name));
    const expected = await cells(await openCFile(source()));
    for (const cacheBytes of [3000, 1 << 26]) {
      const file = await openCFile(source(), { cacheBytes });
      await cells(file, { cacheBlocks: true, rows: { from: expected.length >> 1 } });
      for (const options of [{}, { batchRows: 77, arena: new MemoryArena() }]) {
        expect(await cells(file, { cacheBlocks: true, ...options })).toEqual(expected);
      }
    }
  });

  test.each(columns.slice(0, 20))("reads no block after the second scan: %s", async (name) => {
    const source = withMetrics(memorySource(goldenBytes(name)));
    const file = await openCFile(source);
    await cells(file, { cacheBlocks: true });
    const { reads: first } = source.metrics;
    await cells(file, { cacheBlocks: true });
    const { reads } = source.metrics;
    expect(reads).toBeGreaterThan(first);
    await cells(file, { cacheBlocks: true });
    expect(source.metrics.reads).toBe(reads);
  });

  test.each(columns.slice(0, 20))("reads no block again over a network: %s", async (name) => {
    const memory = memorySource(goldenBytes(name));
    const source = withMetrics({
      ...memory,
      isMemory: false,
      traffic: { requests: 0, bytes: 0, milliseconds: 0 },
    });
    const file = await openCFile(source);
    await cells(file, { cacheBlocks: true });
    const { reads } = source.metrics;
    await cells(file, { cacheBlocks: true });
    expect(source.metrics.reads).toBe(reads);
  });

  test("reports a damaged block in every scan", async () => {
    const bytes = goldenBytes("large_int32_bshuf").slice();
    bytes[1000] = (bytes[1000] as number) ^ 1;
    const file = await openCFile(memorySource(bytes));
    for (let scan = 0; scan < 3; scan++) {
      await expect(cells(file, { cacheBlocks: true })).rejects.toMatchObject({ code: "E_CHECKSUM" });
    }
  });
});

describe("a dictionary", () => {
  const coded = columns.filter((name) => goldenFile(name).encoding === "DICT_ENCODING");

  async function opened(name: string): Promise<{ file: CFileReader; dictionaryReads: () => number }> {
    const memory = memorySource(goldenBytes(name));
    let reads = 0;
    let start = Number.POSITIVE_INFINITY;
    const file = await openCFile({
      ...memory,
      isMemory: false,
      read: (offset, length, options) => {
        reads += offset <= start && start < offset + length ? 1 : 0;
        return memory.read(offset, length, options);
      },
    });
    start = file.structure.footer.dictionary?.offset ?? start;
    return { file, dictionaryReads: () => reads };
  }

  test("is not kept by the first scan of a local file", async () => {
    let files = 0;
    for (const name of coded) {
      const { file, dictionaryReads } = await opened(name);
      const expected = await cells(file);
      const once = dictionaryReads();
      expect(await cells(file)).toEqual(expected);
      const twice = dictionaryReads();
      expect(await cells(file)).toEqual(expected);
      // A small file is in memory as a whole once its footer is read.
      files += once > 0 ? 1 : 0;
      expect([twice - once, dictionaryReads() - twice]).toEqual(once > 0 ? [once, 0] : [0, 0]);
    }
    expect(files).toBeGreaterThan(0);
  });

  test("is kept by lookups", async () => {
    let files = 0;
    for (const name of coded) {
      const { file, dictionaryReads } = await opened(name);
      const value = await file.get(0);
      const once = dictionaryReads();
      expect((await cells(file))[0]).toEqual(value);
      expect(dictionaryReads()).toBe(once);
      files += once > 0 ? 1 : 0;
    }
    expect(files).toBeGreaterThan(0);
  });
});
