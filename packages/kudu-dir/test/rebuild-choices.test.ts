/** Choices of the user, and the metadata written for them. */
import { DELETE, UPDATE } from "@cfile/deltafile";
import { MemoryDirectory } from "@cfile/io";
import { describe, expect, it } from "vitest";
import {
  type KnownTable,
  type RebuiltDir,
  rebuildKuduDir,
  tableOfColumns,
  writeRebuiltMetadata,
} from "../src/index.js";
import { column, keyColumn, SERVER_IDENTITY, WrittenBlocks } from "./written-blocks.js";

const WIDE = { columns: [keyColumn(0), column(1), column(2), column(3)] };
const NARROW = { columns: [keyColumn(0), column(1)] };

async function catalogTable({ columns }: typeof WIDE): Promise<KnownTable> {
  return { ...(await tableOfColumns("t", columns)), origin: "catalog" };
}

const rowsFrom = (first: number, width: number) =>
  [0, 1, 2].map((i) => Array.from({ length: width }, () => first + i));

describe("columns of a compaction", () => {
  /** Two row sets without columns 1 and 2, followed by `count` new columns. */
  async function compacted(count: number) {
    const written = new WrittenBlocks();
    const replaced = [1, 2];
    const first = await written.rowSet(WIDE, rowsFrom(0, 4), { replaced });
    const second = await written.rowSet(WIDE, rowsFrom(10, 4), { replaced });
    written.skip();
    const made: bigint[] = [];
    for (let i = 0; i < count; i++) {
      made.push(await written.column([7, 8, 9 + i]));
    }
    return { written, first, second, made };
  }

  it("are chosen for one row set together", async () => {
    const { written, first, second, made } = await compacted(2);
    const tables = [await catalogTable(WIDE)];
    const rebuilt = (owners: readonly bigint[]): Promise<RebuiltDir> =>
      written.rebuild({
        tables,
        choices: { blocks: new Map(made.map((id, i) => [id, { rowSet: owners[i] ?? 0n }])) },
      });
    await expect(rebuilt([first.key, second.key])).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      message: expect.stringContaining("choose one row set for all"),
    });
    const { rowSets } = await rebuilt([second.key, second.key]);
    expect(rowSets.find(({ id }) => id === second.key)?.blocks.columns).toEqual(
      new Map([
        [0, second.key],
        [1, made[0]],
        [2, made[1]],
        [3, second.columns.get(3)],
      ]),
    );
  });

  it("need the column's ID if several are missing", async () => {
    const { written, first, made } = await compacted(1);
    const tables = [await catalogTable(WIDE)];
    const [block = 0n] = made;
    const rebuilt = (column?: number): Promise<RebuiltDir> =>
      written.rebuild({ tables, choices: { blocks: new Map([[block, { rowSet: first.key, column }]]) } });
    await expect(rebuilt()).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      message: expect.stringContaining(`fits several columns of row set ${first.key}: 1 or 2`),
    });
    const { rowSets } = await rebuilt(2);
    expect(rowSets.find(({ id }) => id === first.key)?.blocks.columns.get(2)).toBe(block);
  });

  it("are matched in bounded time: many columns, and a last one that fits nowhere", async () => {
    const written = new WrittenBlocks();
    const count = 60;
    const ids = Array.from({ length: count }, (_, i) => i + 1);
    const schema = { columns: [keyColumn(0), ...ids.map((id) => column(id)), column(count + 1)] };
    const files = await written.rowSet(schema, rowsFrom(0, count + 2), { replaced: ids });
    written.skip();
    for (let i = 0; i < count / 2; i++) {
      await written.column([1, 2, 3]);
    }
    const last = await written.column([1, 2, 3], "DOUBLE");
    const { rowSets, ambiguous } = await written.rebuild({ tables: [await catalogTable(schema)] });
    expect(rowSets.map(({ id }) => id)).toEqual([files.key]);
    expect(ambiguous.map(({ candidates }) => candidates)).toEqual([[files.key]]);
    expect(ambiguous[0]?.blocks.at(-1)?.id).toBe(last);
  });

  it("cannot be given to a row set without a table", async () => {
    const { written, first, made } = await compacted(1);
    const choices = { blocks: new Map([[made[0] ?? 0n, { rowSet: first.key, column: 1 }]]) };
    await expect(written.rebuild({ choices })).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      message: expect.stringContaining(`is not a missing column of row set ${first.key}`),
    });
  });
});

describe("a delta file", () => {
  it.each(["undo", "redo", undefined] as const)("is chosen as %s of one of two row sets", async (kind) => {
    const written = new WrittenBlocks();
    await written.rowSet(NARROW, rowsFrom(0, 2));
    const second = await written.rowSet(NARROW, rowsFrom(10, 2));
    written.skip();
    written.skip();
    const delta = await written.deltas("redo", [{ row: 1, time: 5n, type: UPDATE, cells: { 1: 3 } }]);
    const tables = [await catalogTable(NARROW)];
    const choices = { blocks: new Map([[delta, { rowSet: second.key, kind }]]) };
    const { rowSets, ambiguous } = await written.rebuild({ tables, choices });
    expect(ambiguous).toEqual([]);
    expect(rowSets.map(({ blocks: { undo, redo } }) => ({ undo, redo }))).toEqual([
      { undo: [], redo: [] },
      kind === "undo" ? { undo: [delta], redo: [] } : { undo: [], redo: [delta] },
    ]);
  });
});

it("a delta file cannot be chosen for a row set that lacks its rows", async () => {
  const written = new WrittenBlocks();
  const files = await written.rowSet(NARROW, rowsFrom(0, 2));
  await written.rowSet(NARROW, [...rowsFrom(10, 2), ...rowsFrom(20, 2)]);
  written.skip();
  written.skip();
  const delta = await written.deltas("redo", [{ row: 3, time: 5n, type: UPDATE, cells: { 1: 3 } }]);
  const choices = { blocks: new Map([[delta, { rowSet: files.key }]]) };
  await expect(written.rebuild({ tables: [await catalogTable(NARROW)], choices })).rejects.toMatchObject({
    code: "E_INVALID_ARGUMENT",
    message: expect.stringContaining(`changes rows that row set ${files.key} does not have`),
  });
});

describe("metadata", () => {
  const guessed = async (withoutBloom = false) => {
    const written = new WrittenBlocks();
    const files = await written.rowSet(NARROW, rowsFrom(0, 2), { withoutBloom });
    written.skip();
    await written.deltas("redo", [{ row: 2, time: 5n, type: DELETE }]);
    return { written, files };
  };

  /** Writes metadata, and reads the rows with it. */
  async function rewritten(
    { written }: Awaited<ReturnType<typeof guessed>>,
    identity: ReadonlyMap<string, Uint8Array>,
    change: (rebuilt: RebuiltDir) => RebuiltDir = (rebuilt) => rebuilt,
  ) {
    await using dir = await written.open(identity);
    const rebuilt = change(await rebuildKuduDir(dir));
    const folders = new Map<string, MemoryDirectory>();
    const openFolder = (path: string) => {
      const folder = folders.get(path) ?? new MemoryDirectory(path);
      folders.set(path, folder);
      return Promise.resolve(folder);
    };
    const report = await writeRebuiltMetadata(dir, rebuilt, { openFolder });
    const files = new Map(identity);
    for (const [folder, content] of folders) {
      for (const [name, bytes] of content.snapshot()) {
        files.set(["new", folder, name].filter((part) => part !== "").join("/"), bytes);
      }
    }
    await using again = await written.open(files);
    const rows: unknown[] = [];
    const tablets = await again.tablets();
    for (const tablet of tablets) {
      for await (const { columns } of tablet.scan()) {
        rows.push(...columns.map((cells) => cells.toArray()));
      }
    }
    return { report, uuid: again.uuid, tablets, rows };
  }

  it("of a server without an identity or known tables has a new identity and guessed tables", async () => {
    const nameless = new Map([["ts/data/block_manager_instance", new Uint8Array(3)]]);
    const { report, uuid, tablets, rows } = await rewritten(await guessed(), nameless);
    expect(uuid).toMatch(/^[0-9a-f]{32}$/);
    expect(report).toMatchObject({ written: [{ table: { name: "guess_0", origin: "guess" } }], refused: [] });
    expect(tablets).toMatchObject([{ tableName: "guess_0", superblock: { partition: { hashBuckets: [] } } }]);
    expect(rows).toEqual([
      [0, 1],
      [0, 1],
    ]);
  });

  it("is not written if no tablet is certain", async () => {
    const { written } = await guessed(true);
    await using dir = await written.open();
    const rebuilt = await rebuildKuduDir(dir);
    const openFolder = () => Promise.reject(new Error("nothing must be written"));
    expect(rebuilt.rowSets.map(({ doubts }) => doubts.length)).toEqual([1]);
    await expect(writeRebuiltMetadata(dir, rebuilt, { openFolder })).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
    });
  });

  it("can be written for a row set without a Bloom file if the caller has no doubts", async () => {
    const { tablets, rows } = await rewritten(await guessed(true), SERVER_IDENTITY, (rebuilt) => ({
      ...rebuilt,
      tablets: rebuilt.tablets.map((tablet) => ({ ...tablet, doubts: [] })),
    }));
    expect(tablets[0]?.rowSets.map(({ blocks }) => blocks.bloom)).toEqual([undefined]);
    expect(rows).toEqual([
      [0, 1],
      [0, 1],
    ]);
  });
});
