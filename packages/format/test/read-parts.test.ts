/** Files whose bytes arrive in several parts have the same cells as files in memory. */
import { MemoryArena } from "@cfile/bytes";
import type { CellValue } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import { type ByteSource, memorySink, memorySource } from "@cfile/io";
import { beforeAll, describe, expect, test } from "vitest";
import { openCFile, type ScanOptions } from "../src/index.js";
import { CFileWriter, type WriterOptions } from "../src/write.js";

const ROWS = 60_000;
/** Many blocks, most of them in several parts. */
const PART_BYTES = 1000;
const FORMS: readonly (readonly [string, WriterOptions])[] = [
  ["bitshuffle, LZ4", { type: "INT32", compression: "LZ4", blockSize: 4096 }],
  [
    "plain without compression",
    { type: "INT32", encoding: "PLAIN_ENCODING", compression: "NO_COMPRESSION", blockSize: 4096 },
  ],
];
const numbers = Array.from({ length: ROWS }, (_, i) => (i * 2_654_435_761) | 0);

/** A source on a network that keeps the parts in which bytes arrive. */
function partSource(
  bytes: Uint8Array,
): ByteSource & { readonly joins: number[]; readonly targets: unknown[] } {
  const joins: number[] = [];
  const targets: unknown[] = [];
  return {
    name: "parts",
    joins,
    targets,
    traffic: { requests: 0, bytes: 0, milliseconds: 0 },
    size: async () => bytes.length,
    read: async (offset, length, options) => {
      targets.push(options?.target);
      return bytes.subarray(offset, offset + length);
    },
    readParts: async (offset) => ({
      subarray: (start, end, memory) => {
        const found = bytes.subarray(offset + start, offset + end);
        if (Math.floor(start / PART_BYTES) === Math.floor((end - 1) / PART_BYTES)) {
          return found;
        }
        joins.push(end - start);
        const joined = memory ? new Uint8Array(memory.take(end - start), 0, end - start) : found.slice();
        joined.set(found);
        return joined;
      },
    }),
  };
}

describe.each(FORMS)("a file that arrives in parts: %s", (_name, options) => {
  let bytes: Uint8Array;
  beforeAll(async () => {
    const sink = memorySink();
    const writer = new CFileWriter(sink, options);
    await writer.append(batchFromValues(options, numbers));
    await writer.finish();
    bytes = sink.bytes();
  });

  test.each<[string, ScanOptions]>([
    ["new memory", {}],
    ["an arena", { arena: new MemoryArena() }],
    ["small batches in an arena", { arena: new MemoryArena(), batchRows: 100 }],
    ["the cache", { cacheBlocks: true }],
    ["small groups", { readAhead: { bytes: 20_000, requests: 2 } }],
  ])("is scanned with %s", async (_scan, scan) => {
    const source = partSource(bytes);
    const file = await openCFile(source, { header: "read" });
    for (let time = 0; time < 2; time++) {
      const cells: CellValue[] = [];
      for await (const batch of file.scan(scan)) {
        cells.push(...batch.toArray());
      }
      expect(cells).toEqual(numbers);
    }
    expect(source.joins.length).toBeGreaterThan(10);
    // Whole groups are never joined: the longest joined range is a block.
    expect(Math.max(...source.joins)).toBeLessThan(20_000);
    expect(source.targets.filter((target) => target !== undefined)).toEqual([]);
  });

  test("is looked up, searched and verified", async () => {
    const file = await openCFile(partSource(bytes));
    expect(await file.get(ROWS - 1)).toBe(numbers[ROWS - 1]);
    const rows = Uint32Array.from([1, 20_000, 40_000, 59_000]);
    expect(await file.getMany(rows)).toEqual([...rows].map((row) => numbers[row]));
    expect(await file.verify()).toMatchObject({ problems: [] });
  });

  test("has its damaged block named", async () => {
    const blocks = await (await openCFile(memorySource(bytes))).listDataBlocks();
    const offset = blocks[20]?.offset ?? 0;
    const damaged = bytes.slice();
    damaged[offset + 100] = (damaged[offset + 100] ?? 0) ^ 1;
    const scan = async (): Promise<void> => {
      for await (const batch of (await openCFile(partSource(damaged), { header: "read" })).scan({
        arena: new MemoryArena(),
      })) {
        void batch;
      }
    };
    await expect(scan()).rejects.toMatchObject({ code: "E_CHECKSUM", path: "parts", block: { offset } });
  });
});
