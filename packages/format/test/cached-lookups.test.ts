/** Repeated lookups return the same values, regardless of the content of the cache, and without more reads. */
import type { CellOptions } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import { memorySink, memorySource } from "@cfile/io";
import { withMetrics } from "@cfile/io/decorators";
import { describe, expect, test } from "vitest";
import { openCFile, type SearchValue } from "../src/index.js";
import { CFileWriter } from "../src/write.js";
import { cellOf, goldenBytes, goldenFile, goldenNames, goldenValues } from "./golden.js";

const sorted = goldenNames.filter((name) => (goldenFile(name).layout?.validx ?? null) !== null);

function spread(rows: number, max = 40): number[] {
  return Array.from({ length: Math.min(rows, max) }, (_, i) => (i * 7919) % rows);
}

describe("repeated lookups by row", () => {
  test.each(goldenNames.filter((name) => goldenFile(name).rows > 0))(
    "return the same values for any cache size: %s",
    async (name) => {
      const { rows } = goldenFile(name);
      const bytes = goldenBytes(name);
      const sample = spread(rows, bytes.length > 1 << 18 ? 6 : 12);
      const uncached = await openCFile(memorySource(bytes), { cacheBytes: 0 });
      for (const cacheBytes of [0, 3000, 1 << 26]) {
        const file = await openCFile(memorySource(bytes), { cacheBytes });
        for (const options of [{}, { strings: "bytes" }, {}] satisfies CellOptions[]) {
          for (const row of sample) {
            expect(await file.get(row, options)).toEqual(await uncached.get(row, options));
          }
        }
      }
    },
  );
});

describe("repeated searches by value", () => {
  test.each(sorted)("find the same rows: %s", async (name) => {
    const golden = goldenFile(name);
    const values = goldenValues(golden);
    const uncached = await openCFile(memorySource(goldenBytes(name)), { cacheBytes: 0 });
    const file = await openCFile(memorySource(goldenBytes(name)));
    if (file.kind !== "column" || golden.nullable || golden.array || values.length === 0) {
      return;
    }
    for (const row of [...spread(values.length), ...spread(values.length)]) {
      const value = cellOf(golden.type, values[row] as never) as SearchValue;
      const expected = await uncached.find(value);
      for (const keepDecoded of [false, false, true, true, false]) {
        expect(await file.find(value, { keepDecoded })).toEqual(expected);
      }
    }
  });
});

describe("cached blocks", () => {
  const column = { type: "INT64", encoding: "RLE", validx: true, blockSize: 4096 } as const;

  async function sortedColumn(): Promise<Uint8Array> {
    const sink = memorySink();
    const writer = new CFileWriter(sink, column);
    const values = Array.from({ length: 20_000 }, (_, i) => BigInt(3 * i) - 7000n);
    await writer.append(batchFromValues(writer.options, values, 0));
    await writer.finish();
    return sink.bytes();
  }

  test.each([
    [false, "all fit into a cache of twice the file's size"],
    [true, "do not, because they are decoded"],
  ])("with keepDecoded %s, %s", async (keepDecoded) => {
    const sink = memorySink();
    const writer = new CFileWriter(sink, {
      type: "STRING",
      encoding: "PREFIX_ENCODING",
      validx: true,
      blockSize: 4096,
    });
    const keys = Array.from({ length: 20_000 }, (_, i) => `key ${String(i).padStart(8, "0")}`);
    await writer.append(batchFromValues(writer.options, keys, 0));
    await writer.finish();
    const source = withMetrics(memorySource(sink.bytes()));
    const file = await openCFile(source, { cacheBytes: 2 * sink.bytes().length });
    const searchAll = async (): Promise<number> => {
      for (let row = 0; row < keys.length; row += 20) {
        expect(await file.find(keys[row] as string, { keepDecoded })).toEqual({ row, exact: true });
      }
      return source.metrics.reads;
    };
    const reads = await searchAll();
    expect((await searchAll()) - reads === 0).toBe(!keepDecoded);
  });

  test("are not read again, and return the same values", async () => {
    const source = withMetrics(memorySource(await sortedColumn()));
    const file = await openCFile(source);
    const lookUpAll = async (): Promise<void> => {
      for (let row = 0; row < 20_000; row += 997) {
        expect(await file.get(row)).toBe(BigInt(3 * row) - 7000n);
        expect(await file.find(3 * row - 7000)).toEqual({ row, exact: true });
        expect(await file.find(BigInt(3 * row) - 7001n)).toEqual({ row, exact: false });
      }
      expect(await file.find(60_000)).toBeUndefined();
    };
    await lookUpAll();
    const { reads } = source.metrics;
    await lookUpAll();
    await lookUpAll();
    expect(source.metrics.reads).toBe(reads);
  });

  test("return copies of bytes, which the caller may modify", async () => {
    const sink = memorySink();
    const writer = new CFileWriter(sink, { type: "STRING", encoding: "DICT_ENCODING" });
    await writer.append(batchFromValues(writer.options, ["a", "b", "a", "b"], 0));
    await writer.finish();
    const file = await openCFile(memorySource(sink.bytes()));
    for (let i = 0; i < 4; i++) {
      const cell = await file.get(2, { strings: "bytes" });
      expect(cell).toEqual(Uint8Array.of(97));
      (cell as Uint8Array).fill(0);
    }
  });

  test("with damage still return the valid rows", async () => {
    const sink = memorySink();
    const options = { type: "STRING", encoding: "PREFIX_ENCODING", checksums: false } as const;
    const writer = new CFileWriter(sink, options);
    const keys = Array.from({ length: 1000 }, (_, i) => `key${String(i).padStart(6, "0")}`);
    await writer.append(batchFromValues(writer.options, keys, 0));
    await writer.finish();
    const bytes = sink.bytes();
    // The shared length of a later entry becomes greater than the length of the previous value.
    const text = Buffer.from(bytes).indexOf("key000800", 0, "latin1");
    bytes[text - 1] = 0xff;
    const file = await openCFile(memorySource(bytes));
    for (let i = 0; i < 3; i++) {
      expect(await file.get(5)).toBe("key000005");
      expect(await file.get(100)).toBe("key000100");
    }
    await expect(file.get(801)).rejects.toMatchObject({ name: "CFileError" });
  });
});
