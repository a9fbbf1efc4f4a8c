/** Arrays whose pages do not state their rows: after a damaged page, rows are counted from the end of the chunk. */
import { batchFromValues } from "@cfile/encodings/batches";
import { memorySink } from "@cfile/io";
import { describe, expect, it } from "vitest";
import { recoverParquet } from "../src/recover.js";
import { exportParquet } from "../src/write.js";
import { subjectOf } from "./rebuilt-rows.js";

const ROWS = 200;
const COLUMN = { name: "list", type: "INT32", nullable: true, array: true } as const;
const cells = Array.from({ length: ROWS }, (_, i) =>
  i % 6 === 0 ? null : Array.from({ length: i % 4 }, (_, j) => (j === 1 ? null : i + j)),
);

async function arrays(): Promise<Uint8Array> {
  async function* rows() {
    const columns = [batchFromValues(COLUMN, cells)];
    yield { length: ROWS, firstRow: 0, names: [COLUMN.name], columns };
  }
  const sink = memorySink();
  const options = { codec: "SNAPPY", dataPageVersion: 1, rowGroupRows: 100, pageRows: 20 } as const;
  await exportParquet(sink, { columns: [COLUMN], rows: rows() }, options);
  return sink.bytes();
}

async function recovered(damaged: Uint8Array) {
  await using file = await recoverParquet(damaged, { useOffsetIndex: false });
  const values: unknown[] = [];
  for await (const batch of file.column("list")) {
    values.push(...batch.toArray());
  }
  return { values, lost: file.columns[0]?.lost ?? [], losses: file.report.losses.length };
}

describe("a damaged page of arrays without row counts and offset index", () => {
  it.each([
    ["header", 0, 4],
    ["page", 30, 34],
  ])("loses only its rows, and the one that may continue in it: %s", async (_, from, to) => {
    const bytes = await arrays();
    const { groups } = await subjectOf("arrays", bytes);
    for (const [group, { leaves }] of groups.entries()) {
      const pages = leaves[0]?.pages ?? [];
      for (const [index, page] of pages.slice(0, -1).entries()) {
        const damaged = bytes.slice();
        damaged.fill(0xff, page.from + from, page.from + to);
        const { values, lost, losses } = await recovered(damaged);
        const first = 100 * group + 20 * index;
        const range = { from: Math.max(100 * group, first - 1), to: first + 20 };
        expect([lost, losses]).toEqual([[range], 1]);
        const expected = cells.map((cell, row) => (row >= range.from && row < range.to ? null : cell));
        expect(values).toEqual(expected);
      }
    }
  });

  it("loses the pages between two damaged ones, whose rows nothing states", async () => {
    const bytes = await arrays();
    const { groups } = await subjectOf("arrays", bytes);
    const pages = groups[0]?.leaves[0]?.pages ?? [];
    for (const index of [1, 3]) {
      bytes.fill(0xff, (pages[index]?.from ?? 0) + 30, (pages[index]?.from ?? 0) + 34);
    }
    const { values, lost, losses } = await recovered(bytes);
    expect([lost, losses]).toEqual([[{ from: 19, to: 80 }], 2]);
    expect(values).toEqual(cells.map((cell, row) => (row >= 19 && row < 80 ? null : cell)));
  });
});
