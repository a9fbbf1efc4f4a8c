/** Verification by kernels finds the same problems as portable verification. */
import { toHex } from "@cfile/bytes";
import { memorySource } from "@cfile/io";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeDeltaKey } from "../src/index.js";
import { openDeltaFile } from "../src/read.js";
import { deltaFile, type Entry, forgedFile } from "./forge.js";

async function reportsOf(bytes: Uint8Array, rowCount: number): Promise<unknown[]> {
  const reports: unknown[] = [];
  for (const kernels of ["portable", "simd"] as const) {
    const reader = await openDeltaFile(memorySource(bytes, "deltas"), { kernels });
    const columns = [{ id: 1, name: "c", type: "INT8", nullable: true, array: false }] as const;
    for (const kind of ["redo", "undo", undefined] as const) {
      reports.push(await reader.verify({ kind, rowCount, columns }));
    }
  }
  return reports;
}

describe("verification by kernels", () => {
  const key = fc.record({
    row: fc.integer({ min: 0, max: 40 }),
    timestamp: fc.bigInt({ min: 0n, max: 300n }),
  });
  const change = fc.constantFrom(
    "02",
    "02",
    "02",
    "01010207",
    "03",
    "0301020701000",
    "0102",
    "",
    "04",
    "01010307",
  );

  it("reports the same for values in any order, valid or not", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(key, change), { minLength: 1, maxLength: 12 }),
        fc.boolean(),
        async (entries, isSorted) => {
          const sorted = isSorted ? entries.toSorted(([a], [b]) => a.row - b.row) : entries;
          const values = sorted.map(
            ([place, hex]) => toHex(encodeDeltaKey(place)) + (hex.length % 2 ? `${hex}0` : hex),
          );
          const reports = await reportsOf(await forgedFile(values), 30);
          expect(reports.slice(3)).toEqual(reports.slice(0, 3));
        },
      ),
      { seed: 1, numRuns: 150 },
    );
  });

  it("reports the same for rows that were deleted together, in blocks of any size", async () => {
    for (const rows of [1, 500, 3000]) {
      const entries = Array.from({ length: rows }, (_, i): Entry => [70_000 + i, 7n, i === 700 ? 1 : 2]);
      const file = await deltaFile("undo", entries, { blockSize: 4096 });
      for (const rowCount of [80_000, 70_100]) {
        const reports = await reportsOf(file, rowCount);
        expect(reports.slice(3)).toEqual(reports.slice(0, 3));
      }
    }
  });
});
