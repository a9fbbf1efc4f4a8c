/** Rows of a log that a tablet lacks, compared with sets of keys. */

import { ByteReader } from "@cfile/bytes";
import { FixedBatch } from "@cfile/encodings";
import type { TableBatch } from "@cfile/encodings/batches";
import { encodeRowKey, type RowSetSchema } from "@cfile/rowset";
import fc from "fast-check";
import { expect, it } from "vitest";
import { missingRows } from "../src/check/check-whole-log.js";

const schema: RowSetSchema = {
  columns: [{ id: 1, name: "id", type: "INT32", isKey: true, nullable: false, array: false }],
};

/** Ascending keys in batches of this many rows. */
async function* batchesOf(keys: readonly number[], size: number): AsyncGenerator<TableBatch, void, void> {
  for (let firstRow = 0; firstRow < keys.length; firstRow += size) {
    const values = Int32Array.from(keys.slice(firstRow, firstRow + size));
    const { length } = values;
    const rows = { type: "INT32", length, firstRow, validity: undefined, nullCount: 0 } as const;
    yield { length, firstRow, names: ["id"], columns: [new FixedBatch(rows, "INT32", values)] };
  }
}

/** The number of an encoded key. */
const numberOf = (key: Uint8Array): number => (new ByteReader(key).u32be("key") ^ 0x80000000) | 0;

it("are those whose keys are not among the tablet's, whatever the batches", async () => {
  const keys = fc.uniqueArray(fc.integer({ min: -50, max: 50 }), { maxLength: 60 });
  const size = fc.integer({ min: 1, max: 20 });
  await fc.assert(
    fc.asyncProperty(keys, keys, size, size, async (wanted, held, wantedSize, heldSize) => {
      const [log, tablet] = [wanted, held].map((all) => [...all].sort((a, b) => a - b)) as [
        number[],
        number[],
      ];
      const starts: number[] = [];
      const found = await missingRows(batchesOf(log, wantedSize), (from) => {
        starts.push(numberOf(from));
        return batchesOf(
          tablet.filter((key) => key >= numberOf(from)),
          heldSize,
        );
      });
      const lost = log.filter((key) => !held.includes(key));
      expect(found).toEqual({ count: lost.length, first: lost.length === 0 ? "" : `"${lost[0]}"` });
      // The tablet is read once, from the first key of the log on.
      expect(starts).toEqual(log.slice(0, 1));
    }),
    { seed: 29, numRuns: 500 },
  );
});

it("of several batches of the tablet that the log has no row of are skipped", async () => {
  const tablet = Array.from({ length: 10_000 }, (_, i) => i);
  const found = await missingRows(batchesOf([0, 9_999, 10_000], 10), () => batchesOf(tablet, 100));
  expect(found).toEqual({ count: 1, first: '"10000"' });
  expect(numberOf(encodeRowKey(schema, [-7]))).toBe(-7);
});
