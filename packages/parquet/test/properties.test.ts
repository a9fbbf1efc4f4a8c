/** Round trips of every type, null pattern and array shape, and the effects of damage to any byte of a page. */

import { batchesOf, type Column, columns, digestOf } from "@cfile-tools/any-column";
import { memorySink } from "cfile";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openParquet, type ParquetColumn } from "../src/index.js";
import { recoverParquet } from "../src/recover.js";
import { type ExportOptions, exportParquet } from "../src/write.js";

const forms: fc.Arbitrary<ExportOptions> = fc.record({
  codec: fc.constantFrom("UNCOMPRESSED", "SNAPPY", "LZ4_RAW", "GZIP"),
  dataPageVersion: fc.constantFrom(1, 2),
  pageRows: fc.constantFrom(1, 8, 100, 20_000),
  rowGroupRows: fc.constantFrom(1, 50, 1 << 20),
  statistics: fc.constantFrom("page", "chunk", "none"),
});

async function toParquet(column: Column, options: ExportOptions): Promise<Uint8Array> {
  const own: ParquetColumn = { name: "c", type: column.type, nullable: column.nullable, array: column.array };
  async function* rows() {
    for (const batch of batchesOf(column)) {
      yield { length: batch.length, firstRow: 0, names: ["c"], columns: [batch] };
    }
  }
  const sink = memorySink();
  await exportParquet(sink, { columns: [own], rows: rows() }, options);
  return sink.bytes();
}

describe("any column", () => {
  it("survives a round trip through Parquet", async () => {
    await fc.assert(
      fc.asyncProperty(columns, forms, async (column, options) => {
        await using file = await openParquet(await toParquet(column, options));
        expect(file.columns).toMatchObject([
          { type: column.type, nullable: column.nullable, array: column.array },
        ]);
        expect(await digestOf(column, file.column("c"))).toBe(await digestOf(column, batchesOf(column)));
      }),
      { numRuns: 80, seed: 9 },
    );
  });
});

describe("a changed byte of a page", () => {
  it("loses exactly the reported rows and leaves all others correct", async () => {
    await fc.assert(
      fc.asyncProperty(
        columns,
        forms,
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        async (column, options, at, xor) => {
          const whole = await toParquet(column, options);
          const expected = batchesOf(column).flatMap((batch) => batch.toArray({ strings: "bytes" }));
          await using sound = await openParquet(whole);
          const places: number[] = [];
          for (let group = 0; group < sound.metadata.row_groups.length; group++) {
            const leaf = sound.leaves[0];
            const starts: number[] = [];
            for await (const visit of leaf === undefined ? [] : sound.pages(leaf, group, true)) {
              starts.push(visit.offset);
            }
            const meta = sound.metadata.row_groups[group]?.columns[0]?.meta_data;
            const end = (starts[0] ?? 0) + Number(meta?.total_compressed_size);
            // Only the last quarter of every page, to exclude headers, which a CRC does not cover.
            starts.forEach((start, i) => {
              const next = starts[i + 1] ?? end;
              places.push(...Array.from({ length: (next - start) >> 2 }, (_, j) => next - 1 - j));
            });
          }
          const damaged = whole.slice();
          const place = places[at % Math.max(1, places.length)];
          if (place === undefined) {
            return;
          }
          damaged[place] = (damaged[place] as number) ^ xor;
          await using saved = await recoverParquet(damaged);
          expect(saved.report.ok).toBe(false);
          const [account] = saved.columns;
          const lost = new Set<number>();
          for (const { from, to } of account?.lost ?? []) {
            for (let row = from; row < to; row++) {
              lost.add(row);
            }
          }
          expect(account).toMatchObject({ rowsLost: lost.size, rowsKept: expected.length - lost.size });
          const cells: unknown[] = [];
          for await (const batch of saved.column("c")) {
            cells.push(...batch.toArray({ strings: "bytes" }));
          }
          expect(cells).toEqual(expected.map((cell, row) => (lost.has(row) ? null : cell)));
          const kept: unknown[] = [];
          for await (const {
            columns: [batch],
          } of saved.table("drop").rows) {
            kept.push(...(batch?.toArray({ strings: "bytes" }) ?? []));
          }
          expect(kept).toEqual(expected.filter((_, row) => !lost.has(row)));
        },
      ),
      { numRuns: 80, seed: 9 },
    );
  });
});
