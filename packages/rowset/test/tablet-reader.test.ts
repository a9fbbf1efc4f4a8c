import { MemoryArena } from "@cfile/bytes";
import { type CellValue, rowNumbers } from "@cfile/encodings";
import { describe, expect, it, vi } from "vitest";
import { openRowSet, type RowSetReader, type RowSetSchema, TabletReader } from "../src/index.js";
import { column, type Entry, filesOf, writeBase, writeDeltas } from "./synthetic.js";

const schema: RowSetSchema = {
  columns: [
    column(1, "k", { isKey: true }),
    column(2, "n", { nullable: true }),
    column(3, "s", { type: "STRING" }),
  ],
};

async function rowSet(
  keys: readonly number[],
  redo: Entry[] = [],
  undo: Entry[] = [],
): Promise<RowSetReader> {
  const base = await writeBase(
    schema,
    keys.map((key) => [key, 10 * key, `s${key % 3}`]),
  );
  const redoFiles = redo.length > 0 ? [await writeDeltas("redo", schema, redo)] : [];
  const undoFiles = undo.length > 0 ? [await writeDeltas("undo", schema, undo)] : [];
  return openRowSet(filesOf(base, redoFiles, undoFiles), schema);
}

async function cellsOf(
  batches: AsyncIterable<{ columns: readonly { toArray(): CellValue[] }[]; length: number }>,
) {
  const rows: CellValue[][] = [];
  for await (const { columns, length } of batches) {
    const cells = columns.map((column) => column.toArray());
    rows.push(...Array.from({ length }, (_, i) => cells.map((column) => column[i] ?? null)));
  }
  return rows;
}

const range = (from: number, to: number, step = 1): number[] =>
  Array.from({ length: Math.ceil((to - from) / step) }, (_, i) => from + i * step);

describe("TabletReader", () => {
  it("scans only row sets that may have keys of the range", async () => {
    const rowSets = [
      await rowSet(range(0, 100)),
      await rowSet(range(90, 200)),
      await rowSet(range(200, 300)),
    ];
    const scans = rowSets.map((one) => vi.spyOn(one, "scan"));
    const tablet = new TabletReader(schema, rowSets);
    for (const order of ["key", "any"] as const) {
      for (const options of [
        { keys: { from: [150], to: [200] } },
        {
          where: [
            { column: "k", op: ">=", value: 150 },
            { column: "k", op: "<", value: 200 },
          ] as const,
        },
      ]) {
        const rows = await cellsOf(tablet.scan({ ...options, order, columns: ["k"] }));
        expect(rows).toEqual(range(150, 200).map((key) => [key]));
        expect(scans.map((scan) => scan.mock.calls.length > 0)).toEqual([false, true, false]);
        for (const scan of scans) {
          scan.mockClear();
        }
      }
    }
  });

  it("merges many row sets in the memory of those that overlap", async () => {
    const rowSets = await Promise.all(
      Array.from({ length: 30 }, (_, i) => rowSet(range(1000 * i + (i % 2), 1000 * i + 1100, 2))),
    );
    const take = vi.spyOn(MemoryArena.prototype, "take");
    const rows = await cellsOf(
      new TabletReader(schema, rowSets).scan({ columns: ["n"], arena: new MemoryArena() }),
    );
    const buffers = new Set(take.mock.results.map(({ value }) => value));
    take.mockRestore();
    expect(rows).toHaveLength(30 * 550);
    expect(buffers.size).toBeLessThan(20);
  });

  it("yields rows in key order, whether or not row sets overlap", async () => {
    const tablet = new TabletReader(schema, [
      await rowSet(range(500, 600)),
      await rowSet(range(0, 300, 3)),
      await rowSet(range(1, 300, 3)),
      await rowSet(range(2, 350, 3)),
      await rowSet(range(400, 450)),
    ]);
    const keys = [...range(0, 300), ...range(302, 350, 3), ...range(400, 450), ...range(500, 600)];
    for (const options of [{}, { batchRows: 7 }, { batchRows: 64, arena: new MemoryArena() }]) {
      const rows = await cellsOf(tablet.scan({ ...options, columns: ["s", "n"] }));
      expect(rows).toEqual(keys.map((key) => [`s${key % 3}`, 10 * key]));
    }
    expect(await cellsOf(tablet.scan({ columns: ["k"], limit: 303 }))).toEqual(
      keys.slice(0, 303).map((key) => [key]),
    );
    expect(await cellsOf(tablet.scan({ columns: [], limit: 0 }))).toEqual([]);
    const where = [{ column: "k", op: ">=", value: 290 }] as const;
    expect(await cellsOf(tablet.scan({ columns: ["k"], where, limit: 12, batchRows: 5 }))).toEqual(
      keys
        .filter((key) => key >= 290)
        .slice(0, 12)
        .map((key) => [key]),
    );
    expect((await tablet.get([301]))?.cells).toBeUndefined();
    expect((await tablet.get([302]))?.cells).toEqual([302, 3020, "s2"]);
    expect(await tablet.get([1000])).toBeUndefined();
  });

  it("yields one row set after the other in any order", async () => {
    const pieces = [range(1, 300, 3), range(0, 300, 3), range(500, 600)];
    const tablet = new TabletReader(schema, [
      await rowSet(pieces[0] ?? []),
      await rowSet(pieces[1] ?? []),
      await rowSet(pieces[2] ?? []),
    ]);
    const expected = pieces.flat().map((key) => [`s${key % 3}`, 10 * key]);
    for (const options of [
      {},
      { batchRows: 7 },
      { batchRows: 64, arena: new MemoryArena() },
      { limit: 150 },
    ]) {
      const rows = await cellsOf(tablet.scan({ ...options, order: "any", columns: ["s", "n"] }));
      expect(rows).toEqual(expected.slice(0, options.limit));
    }
    const where = [{ column: "k", op: "<", value: 2 }] as const;
    expect(await cellsOf(tablet.scan({ columns: ["k"], where, order: "any" }))).toEqual([[1], [0]]);
    const wrong = JSON.parse('{ "order": "descending" }');
    await expect(cellsOf(tablet.scan(wrong))).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      field: "order",
    });
  });

  it("reads a row set only after the rows before it were yielded", async () => {
    const late = await rowSet([90, 110]);
    const files = late.files;
    let reads = 0;
    const columns = new Map(
      [...files.columns].map(([id, source]) => [
        id,
        {
          ...source,
          name: source.name,
          size: () => source.size(),
          read: (...args: Parameters<typeof source.read>) => {
            reads++;
            return source.read(...args);
          },
        },
      ]),
    );
    const watched = await openRowSet({ ...files, columns }, schema);
    const opening = reads;
    const tablet = new TabletReader(schema, [await rowSet(range(0, 101)), watched]);
    const seen: CellValue[][] = [];
    for await (const batch of tablet.scan({ batchRows: 30, columns: ["k"] })) {
      if (seen.length < 90) {
        expect(reads).toBe(opening);
      }
      seen.push(...(batch.columns[0]?.toArray().map((key) => [key]) ?? []));
      expect(rowNumbers(batch).length).toBe(batch.length);
    }
    expect(seen.map(([key]) => key)).toEqual([...range(0, 91), 90, ...range(91, 101), 110]);
  });

  it("joins the lives of a key in several row sets", async () => {
    const older = await rowSet(
      [1, 2],
      [{ row: 0, timestamp: 20n, type: 2 }],
      [
        { row: 0, timestamp: 10n, type: 2 },
        { row: 1, timestamp: 10n, type: 2 },
      ],
    );
    const newer = await rowSet(
      [1],
      [
        { row: 0, timestamp: 40n, type: 1, cells: { 2: null } },
        { row: 0, timestamp: 50n, type: 2 },
      ],
      [{ row: 0, timestamp: 30n, type: 2 }],
    );
    const tablet = new TabletReader(schema, [newer, older]);
    const at = async (asOf: bigint) => (await tablet.get([1], { asOf, columns: ["n"] }))?.cells;
    expect([
      await at(10n),
      await at(11n),
      await at(21n),
      await at(31n),
      await at(41n),
      await at(51n),
    ]).toEqual([undefined, [10], undefined, [10], [null], undefined]);
    expect(
      (await tablet.history([1], { columns: ["n"] })).map(({ timestamp, deleted, cells }) => [
        timestamp,
        deleted,
        ...cells,
      ]),
    ).toEqual([
      [10n, false, 10],
      [20n, true],
      [30n, false, 10],
      [40n, false, null],
      [50n, true],
    ]);
    const changes = async (from: bigint, to: bigint) => {
      const rows: unknown[] = [];
      for await (const { columns, deleted, changedAt, length, names } of tablet.diff(from, to, {
        columns: ["n"],
      })) {
        expect(names).toEqual(["n"]);
        expect(columns.length).toBe(1);
        rows.push(...range(0, length).map((i) => [columns[0]?.get(i), deleted[i], changedAt[i]]));
      }
      return rows;
    };
    expect(await changes(15n, 35n)).toEqual([[10, 0, 30n]]);
    expect(await changes(15n, 25n)).toEqual([[10, 1, 20n]]);
    expect(await changes(15n, 60n)).toEqual([[10, 1, 20n]]);
    expect(await changes(35n, 45n)).toEqual([[null, 0, 40n]]);
    expect(await changes(0n, 60n)).toEqual([[20, 0, 10n]]);
  });

  it("has no rows without row sets and rejects another schema", async () => {
    expect(await cellsOf(new TabletReader(schema, []).scan())).toEqual([]);
    const other = { columns: [...schema.columns] };
    const rows = await rowSet([1]);
    expect(() => new TabletReader(other, [rows])).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
    );
  });

  it("stops all row sets when the iteration is stopped", async () => {
    const tablet = new TabletReader(schema, [await rowSet(range(0, 100, 2)), await rowSet(range(1, 100, 2))]);
    for await (const batch of tablet.scan({ batchRows: 10 })) {
      expect(batch.length).toBe(10);
      break;
    }
    await tablet.close();
  });
});
