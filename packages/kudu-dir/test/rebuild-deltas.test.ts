/** Assigns delta files to row sets by the order in which a server writes its blocks. */
import { DELETE, UPDATE } from "@cfile/deltafile";
import { describe, expect, it } from "vitest";
import { fiveRows, knownTable, numbers, SINGLE, singleRows } from "./single-table.js";
import { column, keyColumn, WrittenBlocks, type WrittenChange } from "./written-blocks.js";

const undoOf = (rows: number): WrittenChange[] =>
  numbers(rows).map((row) => ({ row, time: 4n, type: DELETE }));

describe("the delta files after base files", () => {
  const ghost: WrittenChange = { row: 1, time: 5n, type: DELETE };

  it.each([
    {
      title: "are its own without an UNDO file, whose history was deleted",
      wait: 0n,
      evidence: "made right after the base files",
    },
    {
      title: "are of a later flush if they were finished later",
      wait: 1_000_000n,
      evidence: "only row set that it fits",
    },
  ])("$title", async ({ wait, evidence }) => {
    const written = new WrittenBlocks(1000n, 1_700_000_000_000_000n);
    const files = await fiveRows(written);
    written.skip();
    written.now = (written.now ?? 0n) + wait;
    const redo = await written.deltas("redo", [ghost]);
    const { rowSets } = await written.rebuild({ tables: [await knownTable(SINGLE)] });
    expect(rowSets).toMatchObject([{ id: files.key, blocks: { undo: [], redo: [redo] } }]);
    expect(rowSets[0]?.files.find(({ block }) => block.id === redo)?.evidence).toBe(evidence);
  });

  it("are in the order of their blocks if they begin at the same time", async () => {
    const written = new WrittenBlocks();
    await fiveRows(written);
    await written.deltas("undo", undoOf(5));
    written.skip();
    const redo: bigint[] = [];
    for (const row of [3, 1, 2]) {
      redo.push(await written.deltas("redo", [{ row, time: 5n, type: UPDATE, cells: { 1: row } }]));
    }
    const { rowSets } = await written.rebuild({ tables: [await knownTable(SINGLE)] });
    expect(rowSets).toMatchObject([{ doubts: [], possibleDeltas: [], blocks: { redo } }]);
  });
});

describe("delta files between columns and Bloom file, as in a copied replica,", () => {
  const update = (row: number, time: number): WrittenChange => ({
    ...{ row, time: BigInt(time), type: UPDATE, cells: { 1: time } },
  });

  it("are not taken as copied if they are not in the order of a copy", async () => {
    const written = new WrittenBlocks();
    const redo: bigint[] = [];
    await written.rowSet(SINGLE, singleRows(5), {
      between: async () => {
        redo.push(await written.deltas("redo", [update(0, 20), update(0, 21)]));
        redo.push(await written.deltas("redo", [update(1, 10), update(1, 11)]));
      },
    });
    const { rowSets } = await written.rebuild({ tables: [await knownTable(SINGLE)] });
    expect(rowSets).toMatchObject([
      { doubts: [], possibleDeltas: [], blocks: { undo: [], redo: redo.toReversed() } },
    ]);
    expect(rowSets[0]?.files.filter(({ role }) => role === "redo").map(({ evidence }) => evidence)).toEqual([
      "only row set that it fits",
      "only row set that it fits",
    ]);
  });

  it("are not its own if they change columns that its table does not have", async () => {
    const written = new WrittenBlocks();
    const wide = { columns: [keyColumn(0), column(1), column(2)] };
    const other = { ...(await knownTable(wide)), id: "other", name: "other" };
    const tablets = other.tablets.map((tablet) => ({ ...tablet, id: "00000000000000000000000000000def" }));
    const large = await written.rowSet(
      wide,
      numbers(20, 100).map((n) => [n, n, n]),
    );
    written.skip();
    written.skip();
    const foreign: bigint[] = [];
    const copied = await written.rowSet(SINGLE, singleRows(20), {
      between: async () => {
        // A flush of another tablet while the replica was copied.
        const cells = { 2: 5 };
        const changes = [20, 21].map((time) => ({ ...update(10, time), cells }));
        foreign.push(await written.deltas("redo", changes));
      },
    });
    const tables = [await knownTable(SINGLE), { ...other, tablets }];
    const { rowSets } = await written.rebuild({ tables });
    const of = (id: bigint) => rowSets.find((one) => one.id === id);
    expect(of(copied.key)?.blocks).toMatchObject({ redo: [], undo: [] });
    expect(of(large.key)?.blocks).toMatchObject({ redo: foreign, undo: [] });
  });

  it("are not its own if they change rows that it does not have", async () => {
    const written = new WrittenBlocks();
    const large = await written.rowSet(SINGLE, singleRows(20, 100));
    written.skip();
    written.skip();
    let foreign = 0n;
    let undo = 0n;
    const copied = await written.rowSet(SINGLE, singleRows(5), {
      between: async () => {
        foreign = await written.deltas("redo", [update(10, 20), update(10, 21)]);
        undo = await written.deltas("undo", [update(1, 8), update(1, 7)]);
      },
    });
    const { rowSets } = await written.rebuild({ tables: [await knownTable(SINGLE)] });
    const of = (id: bigint) => rowSets.find((one) => one.id === id);
    expect(of(copied.key)?.blocks).toMatchObject({ redo: [], undo: [undo] });
    expect(of(large.key)?.blocks).toMatchObject({ redo: [foreign], undo: [] });
  });
});

it("a delta file after the columns of a compaction is not of its row set if it changes rows that this does not have", async () => {
  const written = new WrittenBlocks();
  const large = await written.rowSet(SINGLE, singleRows(20, 100));
  written.skip();
  written.skip();
  const small = await written.rowSet(SINGLE, singleRows(5), { replaced: [1] });
  written.skip();
  written.skip();
  const made = await written.column(numbers(5));
  const foreign = await written.deltas("redo", [{ row: 10, time: 20n, type: UPDATE, cells: { 1: 3 } }]);
  const { rowSets } = await written.rebuild({ tables: [await knownTable(SINGLE)] });
  const of = (id: bigint) => rowSets.find((one) => one.id === id);
  expect(of(small.key)).toMatchObject({ doubts: [], blocks: { redo: [], undo: [] } });
  expect(of(small.key)?.blocks.columns.get(1)).toBe(made);
  expect(of(large.key)?.blocks).toMatchObject({ redo: [foreign], undo: [] });
});
