/** How recovery records lost rows, and how it compares rows. */
import { batchFromValues, type TableBatch } from "@cfile/encodings/batches";
import { openCFile } from "@cfile/format";
import type { RecoverableFile } from "@cfile/format/recover";
import { describe, expect, it } from "vitest";
import { LostRows } from "../src/recover/lost-rows.js";
import { filledColumn, rowNumbers } from "../src/recover/rebuilt-columns.js";
import { sameRow } from "../src/recover/same-cells.js";
import { LedgerRanges } from "../src/recover/tablet-ledger.js";

const key = (n: number): Uint8Array => Uint8Array.of(n >> 8, n & 255);

describe("lost rows", () => {
  const lostOf = (...ranges: (readonly [number, number])[]): LostRows => {
    const lost = new LostRows(10);
    for (const [from, to] of ranges) {
      lost.add(from, to);
    }
    return lost;
  };

  it.each([
    [[], 0, []],
    [[[0, 10]], 10, [{ from: 0, to: 10 }]],
    [
      [
        [2, 4],
        [3, 5],
      ],
      3,
      [{ from: 2, to: 5 }],
    ],
    [
      [
        [1, 2],
        [8, 99],
      ],
      3,
      [
        { from: 1, to: 2 },
        { from: 8, to: 10 },
      ],
    ],
  ] as const)("%j are counted once, in ranges", (ranges, count, expected) => {
    const lost = lostOf(...ranges);
    expect([lost.count, lost.ranges]).toEqual([count, expected]);
  });

  it.each([
    [[], [4, 5, 6]],
    [[[0, 4]], [4, 5, 6]],
    [[[5, 6]], [4, 6]],
    [[[4, 7]], undefined],
  ] as const)("%j are left out of a batch", (ranges, expected) => {
    const column = { type: "INT32", nullable: false, array: false } as const;
    const columns = [batchFromValues(column, [4, 5, 6])];
    const batch: TableBatch = { length: 3, firstRow: 4, names: ["n"], columns };
    const left = lostOf(...ranges).without(batch);
    expect(left?.columns[0]?.toArray()).toEqual(expected);
  });
});

describe("cells of two replicas", () => {
  const INT = { type: "INT32", nullable: true, array: false } as const;
  const INTS = { type: "INT32", nullable: true, array: true } as const;
  const BOOL = { type: "BOOL", nullable: true, array: false } as const;
  const DOUBLE = { type: "DOUBLE", nullable: true, array: false } as const;
  const TEXT = { type: "STRING", nullable: true, array: false } as const;

  it.each([
    [INT, 1, 1, true],
    [INT, 1, 2, false],
    [INT, 0, 0, true],
    [INT, null, null, true],
    [INT, null, 0, false],
    [INT, 0, null, false],
    [BOOL, true, true, true],
    [BOOL, true, false, false],
    [DOUBLE, 0, -0, false],
    [DOUBLE, Number.NaN, Number.NaN, true],
    [TEXT, "ab", "ab", true],
    [TEXT, "ab", "ac", false],
    [TEXT, "ab", "a", false],
    [INTS, [1, 2], [1, 2], true],
    [INTS, [1, 2], [1, 3], false],
    [INTS, [1, 2], [1], false],
    [INTS, [1, null], [1, null], true],
    [INTS, [], [], true],
    [INTS, [], null, false],
  ])("%j: %j and %j", (column, left, right, expected) => {
    const batchOf = (...values: unknown[]): TableBatch => ({
      ...{
        length: values.length,
        firstRow: 0,
        names: ["c"],
        columns: [batchFromValues(column, values as never)],
      },
    });
    // The same at different positions in the batches.
    expect(sameRow(batchOf(left), 0, batchOf(left, right), 1, 1)).toBe(expected);
    expect(sameRow(batchOf(right, left), 1, batchOf(right), 0, 1)).toBe(expected);
  });

  it("of other kinds differ", () => {
    const of = (column: typeof INT | typeof INTS | typeof BOOL, value: unknown): TableBatch => ({
      ...{ length: 1, firstRow: 0, names: ["c"], columns: [batchFromValues(column, [value] as never)] },
    });
    const all = [of(INT, 1), of(INTS, [1]), of(BOOL, true)];
    for (const left of all) {
      expect(all.filter((right) => sameRow(left, 0, right, 0, 1))).toEqual([left]);
    }
  });
});

it("lost rows of a column of arrays are filled with empty arrays", async () => {
  const column = { id: 1, name: "a", type: "INT32", isKey: false, nullable: false, array: true } as const;
  const survey = {
    ledger: { column: { encoding: undefined, compression: undefined }, path: "block 1" },
    async *entries() {
      yield { entry: { rows: 2 }, batch: undefined };
    },
  } as unknown as RecoverableFile;
  const lost = new LostRows(2);
  const file = await openCFile(await filledColumn(survey, column, lost));
  const cells: unknown[] = [];
  for await (const batch of file.scan()) {
    cells.push(...batch.toArray());
  }
  expect([cells, lost.count]).toEqual([[[], []], 2]);
});

it("row numbers of no rows are a file without keys", async () => {
  const schema = { columns: [] };
  const [none, some] = [await rowNumbers(schema, 0), await rowNumbers(schema, 3)];
  expect(none.column).toEqual(some.column);
  expect(await none.source.size()).toBeLessThan(await some.source.size());
});

describe("a ledger", () => {
  it("counts rows beyond its maximum of ranges in the last one of their server", () => {
    const ranges = new LedgerRanges();
    for (let i = 0; i < 10_010; i++) {
      ranges.addRows(i % 2 === 0 ? "a" : "b", key(i), key(i), 2);
    }
    expect(ranges.sources).toHaveLength(10_000);
    expect(ranges.sources.reduce((sum, { rows }) => sum + rows, 0)).toBe(ranges.rows);
    expect(ranges.sources.slice(-2)).toEqual([
      { server: "a", from: key(9998), to: key(10_008), rows: 12 },
      { server: "b", from: key(9999), to: key(10_009), rows: 12 },
    ]);
    // A server without a range gets one.
    ranges.addRows("c", key(10_010), key(10_010), 1);
    expect(ranges.sources.at(-1)?.server).toBe("c");
  });

  it("joins lost keys that follow each other, and those beyond its maximum", () => {
    const ranges = new LedgerRanges();
    ranges.addLostKey(key(1));
    ranges.addLostKey(key(2));
    ranges.addRows("a", key(3), key(3), 1);
    ranges.addLostKey(key(4));
    expect(ranges.lost).toEqual([
      { from: key(1), to: key(2), rows: 2 },
      { from: key(4), to: key(4), rows: 1 },
    ]);
    for (let i = 5; i < 10_050; i++) {
      ranges.addRows("a", key(i), key(i), 1);
      ranges.addLostKey(key(i));
    }
    expect(ranges.lost).toHaveLength(10_000);
    expect(ranges.lost.reduce((sum, { rows = 0 }) => sum + rows, 0)).toBe(3 + 10_045);
  });

  it("has gaps with the fewest rows of a replica, or an unknown number, before the next keys", () => {
    const ranges = new LedgerRanges();
    ranges.addGap(undefined, key(1), [3, 2]);
    ranges.addGap(key(1), key(2), [1, 4]);
    ranges.addLostKey(key(5));
    ranges.addGap(key(7), undefined, [Number.POSITIVE_INFINITY]);
    expect(ranges.lost).toEqual([
      { from: undefined, to: key(2), rows: 4 },
      { from: key(5), to: key(5), rows: 1 },
      { from: key(7), to: undefined, rows: undefined },
    ]);
    for (let i = 10; i < 10_030; i++) {
      ranges.addGap(key(2 * i), key(2 * i + 1), [1]);
    }
    expect(ranges.lost).toHaveLength(10_001);
  });

  it("lists at most 1000 rows that differ, and counts all", () => {
    const ranges = new LedgerRanges();
    for (let i = 0; i < 1005; i++) {
      ranges.addDifference({ key: key(i), servers: [], without: [] });
    }
    expect([ranges.different.length, ranges.rowsDifferent]).toEqual([1000, 1005]);
  });
});
