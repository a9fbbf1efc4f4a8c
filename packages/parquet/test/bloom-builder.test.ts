/** Bloom filters of written chunks: their size follows the number of distinct values, and absent values are rarely found. */
import { batchFromValues } from "@cfile/encodings/batches";
import { memorySink, memorySource } from "@cfile/io";
import { describe, expect, it } from "vitest";
import { BloomFilter } from "../src/prune/bloom-filter.js";
import { readFooter } from "../src/read/parquet-footer.js";
import { exportParquet } from "../src/write.js";

const ROWS = 20_000;

async function filterOf(distinct: number) {
  const column = { name: "n", type: "INT64", nullable: false, array: false } as const;
  const values = Array.from({ length: ROWS }, (_, i) => BigInt(i % distinct));
  async function* rows() {
    yield { length: ROWS, firstRow: 0, names: ["n"], columns: [batchFromValues(column, values)] };
  }
  const sink = memorySink();
  await exportParquet(sink, { columns: [column], rows: rows() }, { bloomFilters: ["n"] });
  const source = memorySource(sink.bytes(), "filtered");
  const { metadata } = await readFooter(source);
  const meta = metadata.row_groups[0]?.columns[0]?.meta_data;
  const [offset, length] = [Number(meta?.bloom_filter_offset), meta?.bloom_filter_length ?? 0];
  const filter = await BloomFilter.open(source, offset, offset + length);
  const mayHave = (value: number) => filter?.mayHave(new Uint8Array(BigInt64Array.of(BigInt(value)).buffer));
  return { length, mayHave };
}

describe("Bloom filters", () => {
  it.each([
    [ROWS, 32768],
    [10_000, 16384],
    [1000, 2048],
    [100, 256],
    [1, 32],
  ])("of %i distinct values have %i bytes and few false positives", async (distinct, bytes) => {
    const { length, mayHave } = await filterOf(distinct);
    expect(length - bytes).toBeLessThan(32);
    expect(length).toBeGreaterThan(bytes);
    for (let value = 0; value < distinct; value += 7) {
      expect(await mayHave(value)).toBe(true);
    }
    let found = 0;
    for (let value = ROWS; value < ROWS + 5000; value++) {
      found += (await mayHave(value)) ? 1 : 0;
    }
    expect(found / 5000).toBeLessThan(0.015);
  });
});
