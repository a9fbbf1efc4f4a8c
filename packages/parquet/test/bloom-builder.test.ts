/** Bloom filters of written chunks: their size follows the number of distinct values, and absent values are rarely found. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { batchFromValues } from "@cfile/encodings/batches";
import { memorySink, memorySource } from "@cfile/io";
import { temporaryFolder } from "@cfile-tools/testkit";
import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, it } from "vitest";
import { BloomFilter } from "../src/prune/bloom-filter.js";
import { readFooter } from "../src/read/parquet-footer.js";
import { exportParquet } from "../src/write.js";

const ROWS = 20_000;

async function writtenFile(distinct: number): Promise<Uint8Array> {
  const column = { name: "n", type: "INT64", nullable: false, array: false } as const;
  const values = Array.from({ length: ROWS }, (_, i) => BigInt(i % distinct));
  async function* rows() {
    yield { length: ROWS, firstRow: 0, names: ["n"], columns: [batchFromValues(column, values)] };
  }
  const sink = memorySink();
  await exportParquet(sink, { columns: [column], rows: rows() }, { bloomFilters: ["n"] });
  return sink.bytes();
}

async function filterOf(distinct: number) {
  const source = memorySource(await writtenFile(distinct), "filtered");
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

  it.each([ROWS, 1000])(
    "of %i distinct values are probed by DuckDB with the same results",
    async (distinct) => {
      const path = join(temporaryFolder(), "filtered.parquet");
      await writeFile(path, await writtenFile(distinct));
      const { mayHave } = await filterOf(distinct);
      const connection = await (await DuckDBInstance.create(":memory:")).connect();
      const probed = async (value: number): Promise<boolean> => {
        const query = `select bloom_filter_excludes from parquet_bloom_probe('${path}', 'n', ${value})`;
        const [row] = (await connection.runAndReadAll(query)).getRows();
        return row?.[0] === false;
      };
      const values = Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? i * 3 : ROWS + i * 7));
      let excluded = 0;
      for (const value of values) {
        const found = await probed(value);
        expect(found).toBe(await mayHave(value));
        excluded += found ? 0 : 1;
      }
      connection.closeSync();
      expect(excluded).toBeGreaterThan(90);
    },
  );
});
