/** Every type, null pattern and array shape, there and back; and what damage of any byte of a page may cost. */
import { createHash } from "node:crypto";
import { batchFromValues, type CellValue, type ColumnBatch, type DataType } from "@cfile/encodings";
import { canonicalBytes, createCFile, memorySink, openCFile } from "cfile";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ExportOptions,
  exportParquet,
  openParquet,
  type ParquetColumn,
  recoverParquet,
} from "../src/index.js";

const int = (bits: number, isSigned = true) =>
  fc.bigInt(isSigned ? -(2n ** BigInt(bits - 1)) : 0n, 2n ** BigInt(isSigned ? bits - 1 : bits) - 1n);
const number = (bits: number, isSigned = true) => int(bits, isSigned).map(Number);
const bytes = fc.uint8Array({ maxLength: 20 });

const CELLS: Readonly<Record<string, fc.Arbitrary<CellValue>>> = {
  UINT8: number(8, false),
  INT8: number(8),
  UINT16: number(16, false),
  INT16: number(16),
  UINT32: number(32, false),
  INT32: number(32),
  UINT64: int(64, false),
  INT64: int(64),
  FLOAT: fc.float(),
  DOUBLE: fc.double(),
  BOOL: fc.boolean(),
  IS_DELETED: fc.boolean(),
  STRING: fc.oneof(fc.string({ maxLength: 12, unit: "binary" }), fc.constantFrom("", "a", "b")),
  VARCHAR: fc.constantFrom("", "a", "ä", "word"),
  BINARY: bytes,
  DATE: number(32),
  UNIXTIME_MICROS: int(64),
  DECIMAL32: number(29),
  DECIMAL64: int(59),
  DECIMAL128: int(126),
  INT128: int(128),
};

/** CFiles have none. */
const WITHOUT_ARRAYS: readonly DataType[] = ["INT128", "DECIMAL128", "IS_DELETED"];

interface Column {
  readonly type: DataType;
  readonly nullable: boolean;
  readonly array: boolean;
  readonly cells: readonly (CellValue | readonly (CellValue | null)[] | null)[];
}

const columns: fc.Arbitrary<Column> = fc
  .record({
    type: fc.constantFrom(...(Object.keys(CELLS) as DataType[])),
    nullable: fc.boolean(),
    array: fc.boolean(),
    nullWeight: fc.constantFrom(0, 1, 5, 50),
    rows: fc.constantFrom(1, 7, 8, 9, 65, 300),
  })
  .chain(({ type, nullable, nullWeight, rows, ...shape }) => {
    const array = shape.array && !WITHOUT_ARRAYS.includes(type);
    const value = CELLS[type] as fc.Arbitrary<CellValue>;
    const orNull = <T>(cell: fc.Arbitrary<T>, isNull: boolean) =>
      fc.oneof(
        { arbitrary: cell, weight: 5 },
        { arbitrary: fc.constant(null), weight: isNull ? nullWeight : 0 },
      );
    const cell = array ? fc.array(orNull(value, true), { maxLength: 9 }) : value;
    return fc
      .array(orNull<CellValue | (CellValue | null)[]>(cell, nullable), { minLength: rows, maxLength: rows })
      .map((cells) => ({ type, nullable, array, cells }));
  });

const forms: fc.Arbitrary<ExportOptions> = fc.record({
  codec: fc.constantFrom("UNCOMPRESSED", "SNAPPY", "LZ4_RAW", "GZIP"),
  dataPageVersion: fc.constantFrom(1, 2),
  pageRows: fc.constantFrom(1, 8, 100, 20_000),
  rowGroupRows: fc.constantFrom(1, 50, 1 << 20),
  statistics: fc.constantFrom("page", "chunk", "none"),
});

/** Two batches, so that row groups and pages end inside the table. */
function batchesOf({ type, nullable, array, cells }: Column): ColumnBatch[] {
  const half = Math.ceil(cells.length / 2);
  return [cells.slice(0, half), cells.slice(half)]
    .filter((part) => part.length > 0)
    .map((part, i) => batchFromValues({ type, nullable, array }, part as CellValue[], i * half));
}

async function toParquet(column: Column, options: ExportOptions): Promise<Uint8Array> {
  const own: ParquetColumn = { name: "c", type: column.type, nullable: column.nullable, array: column.array };
  async function* rows() {
    for (const batch of batchesOf(column)) {
      yield { length: batch.length, names: ["c"], columns: [batch] };
    }
  }
  const sink = memorySink();
  await exportParquet(sink, { columns: [own], rows: rows() }, options);
  return sink.bytes();
}

async function digestOf(
  { type, nullable, array }: Omit<Column, "cells">,
  batches: AsyncIterable<ColumnBatch> | Iterable<ColumnBatch>,
): Promise<string> {
  const sink = memorySink();
  const target = await createCFile(sink, { type, nullable, array });
  for await (const batch of batches) {
    await target.append(batch);
  }
  await target.finish();
  await using file = await openCFile(sink.bytes());
  const hash = createHash("sha256");
  for await (const piece of canonicalBytes(file)) {
    hash.update(piece);
  }
  return hash.digest("hex");
}

describe("any column", () => {
  it("is the same after Parquet", async () => {
    await fc.assert(
      fc.asyncProperty(columns, forms, async (column, options) => {
        await using file = await openParquet(await toParquet(column, options));
        expect(file.columns).toMatchObject([
          { type: column.type, nullable: column.nullable, array: column.array },
        ]);
        expect(await digestOf(column, file.column("c"))).toBe(await digestOf(column, batchesOf(column)));
      }),
      { numRuns: 150, seed: 9 },
    );
  });
});

describe("a byte of a page that is another", () => {
  it("costs rows, but makes none wrong, and the account is exact", async () => {
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
            // Of every page the last quarter: no header is there, which no CRC covers.
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
      { numRuns: 150, seed: 9 },
    );
  });
});
