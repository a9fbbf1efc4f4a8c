import { MemoryArena } from "@cfile/bytes";
import { type CellValue, rowNumbers } from "@cfile/encodings";
import { expectSame, randomNumbers } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import type { RowScanOptions, TabletReader } from "../src/index.js";
import { fulfils, type PlainRow, randomPredicate } from "./plain-filter.js";
import { clientRows, openTablet, serverTablets } from "./server-tablets.js";

const cases = ["cluster-file", "cluster-log"].flatMap((folder) =>
  serverTablets(folder)
    .filter(({ rowSets }) => rowSets.length > 0)
    .map((tablet, i) => ({ folder, tablet, seed: i + 1, name: `${tablet.table} ${tablet.id.slice(0, 6)}` })),
);

async function plainRows(reader: TabletReader, options: RowScanOptions): Promise<PlainRow[]> {
  const rows: PlainRow[] = [];
  for await (const batch of reader.scan(options)) {
    const cells = batch.columns.map((column) => column.toArray({ strings: "bytes" }));
    for (let i = 0; i < batch.length; i++) {
      rows.push(Object.fromEntries(batch.names.map((name, c) => [name, cells[c]?.[i] ?? null])));
    }
  }
  return rows;
}

const project = (rows: readonly PlainRow[], names: readonly string[]): PlainRow[] =>
  rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name] ?? null])));

describe.each(cases)("scans of $name", ({ folder, tablet, seed }) => {
  it("match a plain filter at any timestamp, for any columns", async () => {
    const reader = await openTablet(tablet);
    const random = randomNumbers(seed);
    const { snapshots } = clientRows(folder, tablet.table);
    const { columns } = tablet.schema;
    for (const { timestamp } of snapshots) {
      const asOf = BigInt(timestamp);
      const all = await plainRows(reader, { asOf });
      for (let i = 0; i < 25; i++) {
        const where = Array.from({ length: 1 + random(3) }, () => randomPredicate(all, columns, random));
        const names = columns.filter(() => random(3) === 0).map(({ name }) => name);
        const limit = random(4) === 0 ? random(10) : undefined;
        const batchRows = 1 + random(random(2) === 0 ? 10 : 10000);
        const expected = project(
          all.filter((row) => fulfils(row, where)),
          names,
        ).slice(0, limit);
        const memory = {
          cacheBlocks: random(2) === 0,
          arena: random(2) === 0 ? new MemoryArena() : undefined,
        };
        const options = { asOf, where, columns: names, limit, batchRows, ...memory };
        expectSame(await plainRows(reader, options), expected);
      }
    }
  });

  it("cover all rows in ranges", async () => {
    const reader = await openTablet(tablet);
    const random = randomNumbers(seed);
    for (const rowSet of reader.rowSets) {
      const all: number[] = [];
      for await (const batch of rowSet.scan()) {
        all.push(...rowNumbers(batch));
      }
      const cut = random(rowSet.rowCount + 1);
      for (const rows of [
        { from: 0, to: cut },
        { from: cut, to: rowSet.rowCount + random(3) },
      ]) {
        const found: number[] = [];
        for await (const batch of rowSet.scan({ rows, batchRows: 1 + random(20) })) {
          found.push(...rowNumbers(batch));
        }
        expect(found).toEqual(all.filter((row) => row >= rows.from && row < rows.to));
      }
    }
  });

  it("yield the rows of a key range", async () => {
    const reader = await openTablet(tablet);
    const random = randomNumbers(seed);
    const keyNames = tablet.schema.columns.filter(({ isKey }) => isKey).map(({ name }) => name);
    const all = await plainRows(reader, {});
    expectSame(await plainRows(reader, { keys: {} }), all);
    const keyOf = (row: PlainRow | undefined, length: number): CellValue[] =>
      keyNames.slice(0, length).map((name) => row?.[name] ?? null);
    for (let i = 0; i < 20 && all.length > 0; i++) {
      const from = random(all.length);
      const to = from + random(all.length - from);
      const range = { from: keyOf(all[from], keyNames.length), to: keyOf(all[to], keyNames.length) };
      expectSame(await plainRows(reader, { keys: range }), all.slice(from, to));
      const length = 1 + random(keyNames.length);
      const prefix = keyOf(all[from], length);
      const where = keyNames
        .slice(0, length)
        .map((column, c) => ({ column, op: "=" as const, value: prefix[c] ?? null }));
      const expected = all.filter((row) => fulfils(row, where));
      expectSame(await plainRows(reader, { keys: { prefix } }), expected);
    }
  });
});
