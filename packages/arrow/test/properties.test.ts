/** Every type, null pattern and array shape, through Arrow and back. */

import { batchesOf, type Column, columns, digestOf } from "@cfile-tools/any-column";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { apacheArrow } from "../src/apache.js";
import { flechette } from "../src/flechette.js";
import type { TableRows } from "../src/index.js";

const tableOf = (column: Column): TableRows => ({
  columns: [{ name: "c", type: column.type, nullable: column.nullable, array: column.array }],
  rows: (async function* () {
    for (const batch of batchesOf(column)) {
      yield { length: batch.length, firstRow: 0, names: ["c"], columns: [batch] };
    }
  })(),
});

describe("any column", () => {
  it.each([
    ["stream", "expand"],
    ["stream", "keep"],
    ["file", "expand"],
  ] as const)(
    "survives a round trip through an apache-arrow IPC %s, dictionaries: %s",
    async (format, dictionaries) => {
      const arrow = await apacheArrow();
      await fc.assert(
        fc.asyncProperty(columns, async (column) => {
          const pieces: Uint8Array[] = [];
          for await (const piece of arrow.ipc(tableOf(column), { format, dictionaries })) {
            pieces.push(piece.slice());
          }
          const read = await arrow.readIpc(new Uint8Array(Buffer.concat(pieces)));
          expect(read.columns).toMatchObject([
            { type: column.type, nullable: column.nullable, array: column.array },
          ]);
          async function* batches() {
            for await (const { columns: own } of read.rows) {
              yield* own;
            }
          }
          expect(await digestOf(column, batches())).toBe(await digestOf(column, batchesOf(column)));
        }),
        { numRuns: 60, seed: 9 },
      );
    },
  );

  it("survives a round trip through vectors of both libraries", async () => {
    const [arrow, own] = [await apacheArrow(), await flechette()];
    await fc.assert(
      fc.asyncProperty(columns, async (column) => {
        const expected = await digestOf(column, batchesOf(column));
        const type = { name: "c", type: column.type, nullable: column.nullable, array: column.array };
        const renumbered = batchesOf(column);
        const throughArrow = renumbered.flatMap((batch) => arrow.batches(arrow.vector(batch), type));
        const throughOwn = renumbered.flatMap((batch) => own.batches(own.column([batch]), type));
        expect(await digestOf(column, throughArrow)).toBe(expected);
        expect(await digestOf(column, throughOwn)).toBe(expected);
      }),
      { numRuns: 60, seed: 9 },
    );
  });
});
