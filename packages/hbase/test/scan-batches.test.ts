/** Batches of a scan: their boundaries change no cell, and packed cells have the same bytes as single ones. */
import { toHex } from "@cfile/bytes";
import type { PackedBytes } from "@cfile/hfile";
import { describe, expect, it } from "vitest";
import type { TableCells } from "../src/index.js";
import { collectCells, FACTS, openFacts, openRoot } from "./golden.js";

const TABLES = FACTS.filter(([, , { kind }]) => kind === "table");

function parts({ offsets, data }: PackedBytes): string[] {
  return Array.from({ length: offsets.length - 1 }, (_, i) =>
    toHex(data.subarray(offsets[i], offsets[i + 1])),
  );
}

function oneByOne(cells: TableCells, part: "row" | "qualifier" | "value"): string[] {
  return Array.from({ length: cells.length }, (_, i) => toHex(cells[part](i)));
}

describe.each(TABLES)("%s of %s", (_, folder, facts) => {
  it.each([{}, { versions: "all" }] as const)(
    "has the same cells in batches of any size: %o",
    async (options) => {
      const table = await openFacts(await openRoot(folder), facts);
      const now = 1_700_000_000_000;
      const expected = await collectCells(table.scan({ ...options, now }));
      for (const batchCells of [1, 7, 100]) {
        expect(await collectCells(table.scan({ ...options, now, batchCells }))).toEqual(expected);
      }
      const rows = [...new Set(expected.map(([row]) => row))];
      for (const limit of [1, 5, rows.length - 1]) {
        const first = new Set(rows.slice(0, Math.max(0, limit)));
        const found = await collectCells(table.scan({ ...options, now, limit: Math.max(0, limit) }));
        expect(found).toEqual(expected.filter(([row]) => first.has(row)));
      }
      await table.close();
    },
  );

  it("has the same rows, qualifiers and values when packed", async () => {
    const table = await openFacts(await openRoot(folder), facts);
    for await (const cells of table.scan({ raw: true, versions: "all", batchCells: 1000 })) {
      expect(parts(cells.packRows())).toEqual(oneByOne(cells, "row"));
      expect(parts(cells.packQualifiers())).toEqual(oneByOne(cells, "qualifier"));
      expect(parts(cells.packValues())).toEqual(oneByOne(cells, "value"));
    }
    await table.close();
  });
});
