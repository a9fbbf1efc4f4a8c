import { batchFromValues } from "@cfile/encodings/batches";
import { memorySink, memorySource } from "@cfile/io";
import { expect, test } from "vitest";
import { openParquet } from "../src/index.js";
import { type ExportOptions, exportParquet } from "../src/write.js";

const BATCH = 1000;
const BATCHES = 100;
const WIDTH = 8;
const column = { name: "n", type: "INT64", nullable: false, array: false } as const;

async function groupsOf(options: ExportOptions) {
  async function* rows() {
    for (let at = 0; at < BATCHES; at++) {
      const values = Array.from({ length: BATCH }, (_, i) => BigInt(at * BATCH + i));
      yield { length: BATCH, firstRow: at * BATCH, names: ["n"], columns: [batchFromValues(column, values)] };
    }
  }
  const sink = memorySink();
  const table = { columns: [column], rows: rows() };
  const { groupOffsets } = await exportParquet(sink, table, { codec: "UNCOMPRESSED", ...options });
  const { metadata } = await openParquet(memorySource(sink.bytes(), "groups"));
  const groups = metadata.row_groups.map((group) => ({
    rows: Number(group.num_rows),
    bytes: Number(group.total_compressed_size),
    offset: Number(group.file_offset),
  }));
  expect(groupOffsets).toEqual(groups.map(({ offset }) => offset));
  expect(groups.reduce((sum, group) => sum + group.rows, 0)).toBe(BATCH * BATCHES);
  return groups;
}

test.each([50_000, 200_000])(
  "a row group ends at %i bytes, rounded up to whole pages and batches",
  async (bytes) => {
    const pageRows = 500;
    const groups = await groupsOf({ rowGroupBytes: bytes, pageRows });
    expect(groups.length).toBeGreaterThan(2);
    for (const group of groups.slice(0, -1)) {
      expect(group.bytes).toBeGreaterThanOrEqual(bytes);
      // Pages have a header of some bytes.
      expect(group.bytes).toBeLessThan(bytes + (BATCH + pageRows) * WIDTH * 1.05);
      expect(group.rows % BATCH).toBe(0);
    }
  },
);

test("compressed bytes count, not those of the values", async () => {
  const [plain, compressed] = [
    await groupsOf({ rowGroupBytes: 50_000, pageRows: 500 }),
    await groupsOf({ rowGroupBytes: 50_000, pageRows: 500, codec: "ZSTD" }),
  ];
  expect(compressed.length).toBeLessThan(plain.length / 2);
});

test("a row group has at most the given rows, whatever its bytes", async () => {
  const groups = await groupsOf({ rowGroupRows: 30_000 });
  expect(groups.map(({ rows }) => rows)).toEqual([30_000, 30_000, 30_000, 10_000]);
});
