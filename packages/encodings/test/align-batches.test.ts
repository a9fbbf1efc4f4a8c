import { describe, expect, it } from "vitest";
import { alignBatches, batchFromValues } from "../src/batches.js";
import type { ColumnBatch, InputCell } from "../src/index.js";

async function* parts(type: "INT32" | "STRING", cells: readonly InputCell[], sizes: readonly number[]) {
  let from = 0;
  for (const size of sizes) {
    yield batchFromValues({ type, nullable: true }, cells.slice(from, from + size), from);
    from += size;
  }
}

const numbers = Array.from({ length: 20 }, (_, i) => (i % 3 === 0 ? null : i));
const texts = numbers.map((number) => (number === null ? null : `t${number}`));

describe("aligned columns", () => {
  it("are cut wherever a batch ends and keep every cell", async () => {
    const cells: unknown[][] = [[], []];
    const lengths: number[] = [];
    const columns: Record<string, AsyncIterable<ColumnBatch>> = {
      n: parts("INT32", numbers, [5, 0, 9, 6]),
      t: parts("STRING", texts, [8, 12]),
    };
    for await (const rows of alignBatches(columns)) {
      expect(rows.names).toEqual(["n", "t"]);
      lengths.push(rows.length);
      rows.columns.forEach((batch, i) => {
        expect(batch.length).toBe(rows.length);
        cells[i]?.push(...batch.toArray());
      });
    }
    expect(lengths).toEqual([5, 3, 6, 6]);
    expect(cells).toEqual([numbers, texts]);
  });

  it("rejects columns of different lengths", async () => {
    const columns = { n: parts("INT32", numbers, [20]), t: parts("STRING", texts, [8]) };
    const read = async () => {
      for await (const _ of alignBatches(columns)) {
        // Only the end matters.
      }
    };
    await expect(read()).rejects.toMatchObject({ code: "E_CORRUPT", field: "rows" });
  });

  it("yields nothing without columns", async () => {
    expect((await alignBatches({}).next()).done).toBe(true);
  });
});
