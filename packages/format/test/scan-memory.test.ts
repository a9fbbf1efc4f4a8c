/** Scans that reuse memory and scans that expand dictionaries return the same cells as plain scans. */
import { MemoryArena } from "@cfile/bytes";
import type { CellValue } from "@cfile/encodings";
import { type ByteSource, memorySource } from "@cfile/io";
import { describe, expect, test } from "vitest";
import { type OpenOptions, openCFile, type ScanOptions } from "../src/index.js";
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
