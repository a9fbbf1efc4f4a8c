/** Scans that reuse memory and scans that expand dictionaries return the same cells as plain scans. */
import { MemoryArena } from "@cfile/bytes";
import type { CellValue, ColumnBatch } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import { type ByteSource, memorySink, memorySource } from "@cfile/io";
import { describe, expect, test } from "vitest";
import { type OpenOptions, openCFile, type ScanOptions } from "../src/index.js";
import { CFileWriter, type WriterOptions } from "../src/write.js";
import { goldenBytes, goldenFile, goldenNames } from "./golden.js";

async function cells(name: string, options: ScanOptions, open: OpenOptions = {}): Promise<CellValue[]> {
  const file = await openCFile(memorySource(goldenBytes(name)), open);
  const parts: CellValue[][] = [];
  for await (const batch of file.scan(options)) {
    expect(batch.kind === "dictionary" && options.expandDictionaries).toBeFalsy();
    parts.push(batch.toArray());
  }
  return parts.flat(1);
}

const columns = goldenNames.filter((name) => goldenFile(name).rows > 0);

describe("a scan with an arena", () => {
  test.each(columns)("returns the same cells: %s", async (name) => {
    const expected = await cells(name, {});
    for (const kernels of ["auto", "portable"] as const) {
      expect(await cells(name, { arena: new MemoryArena() }, { kernels })).toEqual(expected);
      expect(await cells(name, { arena: new MemoryArena(), batchRows: 77 }, { kernels })).toEqual(expected);
    }
  });

  test("uses the same memory for consecutive blocks", async () => {
    const name = columns.find((one) => one.startsWith("int32") && one.includes("multi")) ?? columns[0];
    const file = await openCFile(memorySource(goldenBytes(name as string)));
    const buffers = new Set<ArrayBufferLike>();
    let batches = 0;
    for await (const batch of file.scan({ arena: new MemoryArena() })) {
      batches++;
      if (batch.kind === "fixed") {
        buffers.add(batch.values.buffer);
      }
    }
    expect(buffers.size).toBeLessThanOrEqual(Math.max(1, Math.ceil(batches / 2)));
  });

  test("reads the first blocks into it, together with the header", async () => {
    for (const name of columns.filter((one) => one.startsWith("large_int"))) {
      const bytes = goldenBytes(name);
      const targets: (Uint8Array | undefined)[] = [];
      const source: ByteSource = {
        ...memorySource(bytes),
        isMemory: false,
        read: async (offset, length, { target } = {}) => {
          if (offset === 0) {
            targets.push(target);
          }
          const found = bytes.subarray(offset, offset + length);
          target?.set(found);
          return target?.subarray(0, found.length) ?? found;
        },
      };
      const file = await openCFile(source, { header: "later" });
      const parts: CellValue[][] = [];
      for await (const batch of file.scan({ arena: new MemoryArena() })) {
        parts.push(batch.toArray());
      }
      expect(targets).toEqual([expect.any(Uint8Array)]);
      expect(parts.flat(1)).toEqual(await cells(name, {}));
    }
  });

  test("continues when a buffer has been transferred", async () => {
    for (const name of columns.filter((one) => one.includes("bshuf")).slice(0, 10)) {
      const expected = await cells(name, {});
      const file = await openCFile(memorySource(goldenBytes(name)));
      const parts: CellValue[][] = [];
      for await (const batch of file.scan({ arena: new MemoryArena() })) {
        parts.push(batch.toArray());
        if (batch.kind === "fixed" && batch.values.buffer instanceof ArrayBuffer) {
          structuredClone(batch.values.buffer, { transfer: [batch.values.buffer] });
        }
      }
      expect(parts.flat(1)).toEqual(expected);
    }
  });
});

describe("the batches of a block", () => {
  const texts = Array.from({ length: 40_000 }, (_, i) => `word ${i % 7}`);
  const flags = Array.from({ length: 140_000 }, (_, i) => i % 5000 < 2000);
  const numbers = Array.from({ length: 40_000 }, (_, i) => i % 9);

  async function batchesOf(
    type: WriterOptions["type"],
    values: readonly CellValue[],
    batchRows?: number,
  ): Promise<ColumnBatch[]> {
    const sink = memorySink();
    const writer = new CFileWriter(sink, { type });
    await writer.append(batchFromValues({ type }, values));
    await writer.finish();
    const batches: ColumnBatch[] = [];
    for await (const batch of (await openCFile(memorySource(sink.bytes()))).scan({ batchRows })) {
      batches.push(batch);
    }
    return batches;
  }

  test.each([
    { type: "STRING", values: texts, batchRows: undefined, lengths: [16_000, 16_000, 8000] },
    { type: "STRING", values: texts, batchRows: Number.POSITIVE_INFINITY, lengths: [40_000] },
    { type: "BOOL", values: flags, batchRows: undefined, lengths: [131_072, 8928] },
    { type: "INT32", values: numbers, batchRows: undefined, lengths: [40_000] },
    { type: "INT32", values: numbers, batchRows: 19_999, lengths: [19_999, 19_999, 2] },
  ] as const)(
    "have $lengths rows for $type and batchRows $batchRows",
    async ({ type, values, batchRows, lengths }) => {
      const batches = await batchesOf(type, values, batchRows);
      expect(batches.map(({ length }) => length)).toEqual(lengths);
      const starts = lengths.map((_, i) => lengths.slice(0, i).reduce((sum, length) => sum + length, 0));
      expect(batches.map(({ firstRow }) => firstRow)).toEqual(starts);
      expect(batches.flatMap((batch) => batch.toArray())).toEqual(values);
    },
  );

  test("share memory", async () => {
    const batches = await batchesOf("INT32", numbers, 1000);
    const buffers = new Set(batches.map((batch) => batch.kind === "fixed" && batch.values.buffer));
    expect(batches).toHaveLength(40);
    expect(buffers).toEqual(new Set([expect.any(ArrayBuffer)]));
  });
});

describe("a scan that expands dictionaries", () => {
  const dictionaries = columns.filter((name) => goldenFile(name).encoding === "DICT_ENCODING");

  test.each(dictionaries)("returns the same cells: %s", async (name) => {
    const expected = await cells(name, {});
    for (const kernels of ["auto", "portable"] as const) {
      for (const arena of [undefined, new MemoryArena()]) {
        expect(await cells(name, { expandDictionaries: true, arena }, { kernels })).toEqual(expected);
      }
    }
  });
});
