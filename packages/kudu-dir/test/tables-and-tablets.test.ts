/** Tables and tablets by name and ID, in changed directories. */
import { CFileError } from "@cfile/bytes";
import { memoryTree } from "@cfile/io";
import { describe, expect, it } from "vitest";
import {
  type KuduDir,
  openKuduCluster,
  openKuduDir,
  openKuduServers,
  type UnreadablePart,
} from "../src/index.js";
import { batchesAgain } from "../src/read/read-again.js";
import { changedSuperblock, fileWith, type SuperblockChange, withSuperblock } from "./edited-files.js";
import { collectChanges, collectRows } from "./json-rows.js";
import { serverFiles, treeOf } from "./servers.js";

/** A table with three tablets; the last one is empty. */
const TABLE = "altered";
const pristine = await openKuduDir(treeOf(serverFiles("file")));
const [first, second] = (await pristine.table(TABLE)).tablets.map(({ id }) => id) as [string, string];
const COPYING = 0;
const TOMBSTONED = 3;

/** The server with some changed superblocks. */
function changedServer(
  ...changes: readonly (readonly [tablet: string, SuperblockChange])[]
): Promise<KuduDir> {
  const files = serverFiles("file");
  for (const [tablet, change] of changes) {
    withSuperblock(tablet, change, files);
  }
  return openKuduDir(treeOf(files));
}

describe("a lookup", () => {
  it.each<[string, (dir: KuduDir) => Promise<unknown>, object]>([
    [
      "of a tablet by a table with several names them",
      (dir) => dir.tablet(TABLE),
      {
        code: "E_INVALID_ARGUMENT",
        field: "tablet",
        reason: expect.stringContaining(`choose one of ${first}`),
      },
    ],
    [
      "of an unknown table names all",
      (dir) => dir.table("no such table"),
      { code: "E_NOT_FOUND", field: "table", reason: expect.stringContaining("tables: altered, small") },
    ],
    [
      "of an unknown superblock",
      (dir) => dir.superblock("f".repeat(32)),
      { code: "E_NOT_FOUND", field: "tablet", reason: `no tablet ${"f".repeat(32)}` },
    ],
    ["of a missing block", (dir) => dir.block(1n), { code: "E_BLOCK_MISSING", field: "block" }],
    [
      "of a block at a place outside of the directories",
      async (dir) => dir.blockAt({ id: 7n, path: "elsewhere/1", offset: 0, length: 1 }),
      { code: "E_BLOCK_MISSING", path: "elsewhere/1", reason: expect.stringContaining("block 7") },
    ],
  ])("%s", async (_name, look, error) => {
    await expect(look(pristine)).rejects.toMatchObject(error);
  });

  it("of a table whose name two tables have asks for an ID, which works", async () => {
    const other = "0".repeat(32);
    await using dir = await changedServer([first, () => ({ tableId: other })]);
    await expect(dir.table(TABLE)).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      field: "table",
      reason: expect.stringContaining(other),
    });
    expect((await dir.table(other)).tablets.map(({ id }) => id)).toEqual([first]);
    expect(await dir.tables()).toHaveLength((await pristine.tables()).length + 1);
  });

  it.each(["log", "file"] as const)("of a block by its position gives its bytes: %s blocks", async (name) => {
    await using dir = await openKuduDir(treeOf(serverFiles(name)));
    const blocks = (await dir.blocks.list()).slice(0, 20);
    for (const { id, path, offset, source } of blocks) {
      const length = await source.size();
      const found = dir.blockAt({ id, path, offset, length });
      expect(await found.size()).toBe(length);
      expect(await found.read(0, length)).toEqual(await source.read(0, length));
    }
    expect(blocks.length).toBe(20);
  });
});

describe("superblocks", () => {
  it("of a tablet other than the one in the name of the file are damaged", async () => {
    const files = serverFiles("file");
    const [path, bytes] = fileWith(files, `/tablet-meta/${first}`);
    const other = "a".repeat(32);
    files.set(path.replace(first, other), bytes);
    await using dir = await openKuduDir(treeOf(files));
    expect(await dir.damagedTablets()).toMatchObject([
      { id: other, error: { code: "E_CORRUPT", field: "tablet_id", expected: other, actual: first } },
    ]);
    expect(await dir.tablets()).toHaveLength((await pristine.tablets()).length);
  });

  it("are only the files named for tablets", async () => {
    const files = serverFiles("file");
    const [path, bytes] = fileWith(files, `/tablet-meta/${first}`);
    files.set(`${path}.kudutmp.Xx1`, bytes);
    files.set(path.replace(first, `${"b".repeat(32)}/file`), bytes);
    await using dir = await openKuduDir(treeOf(files));
    expect(await dir.tablets()).toHaveLength((await pristine.tablets()).length);
    expect(await dir.problems()).toEqual([]);
  });

  it("larger than 256 MiB are refused", async () => {
    const tree = treeOf(serverFiles("file"));
    await using dir = await openKuduDir({
      ...tree,
      openSource: async (path) => {
        const source = await tree.openSource(path);
        return path.endsWith(`tablet-meta/${first}`) ? { ...source, size: async () => 2 ** 29 } : source;
      },
    });
    expect(await dir.damagedTablets()).toMatchObject([
      { id: first, error: { code: "E_LIMIT", field: "file size", path: expect.stringContaining(first) } },
    ]);
  });

  it("without counts of live rows leave the number unknown", async () => {
    await using dir = await changedServer([first, () => ({ supportsLiveRowCount: undefined })]);
    expect((await dir.tablet(first)).liveRowCount).toBeUndefined();
    expect((await dir.tablet(second)).liveRowCount).toBe((await pristine.tablet(second)).liveRowCount);
  });

  it("of one partition are ordered by their IDs", async () => {
    const files = serverFiles("file");
    const [path, bytes] = fileWith(files, `/tablet-meta/${first}`);
    for (const id of ["0".repeat(32), "f".repeat(32)]) {
      files.set(
        path.replace(first, id),
        changedSuperblock(bytes, () => ({ tabletId: id, rowsets: [] })),
      );
    }
    await using dir = await openKuduDir(treeOf(files));
    const ids = (await dir.table(TABLE)).tablets.map(({ id }) => id);
    expect(ids.slice(0, 3)).toEqual(["0".repeat(32), first, "f".repeat(32)]);
  });
});

describe("a table with tablets without data", () => {
  const rowsOf = async (id: string): Promise<unknown[][]> => collectRows((await pristine.tablet(id)).scan());

  it.each([
    ["copying", COPYING],
    ["tombstoned", TOMBSTONED],
  ])("is refused, or read without those that are %s", async (state, tabletDataState) => {
    await using dir = await changedServer([first, () => ({ tabletDataState })]);
    const table = await dir.table(TABLE);
    const error = { code: "E_UNSUPPORTED", field: "tablet_data_state", actual: state };
    const key = [(await rowsOf(second))[0]?.[0] as number];
    const parts: UnreadablePart[] = [];
    const onUnreadable = (part: UnreadablePart): void => void parts.push(part);
    await expect(collectRows(table.scan())).rejects.toMatchObject(error);
    await expect(collectChanges(table.diff(0n, 1n, { partialHistory: true }))).rejects.toMatchObject(error);
    await expect(table.get(key)).rejects.toMatchObject(error);
    expect(await collectRows(table.scan({ onUnreadable }))).toEqual(await rowsOf(second));
    expect(parts).toMatchObject([{ tablet: first, rowSet: undefined, error }]);
    await collectChanges(table.diff(0n, 1n, { onUnreadable, partialHistory: true }));
    expect(parts).toHaveLength(2);
    expect(await table.get(key, { onUnreadable })).toBeDefined();
    expect(parts).toHaveLength(3);
    // With `anyState`, tablets in any state are read.
    const all = [...(await rowsOf(first)), ...(await rowsOf(second))];
    expect(await collectRows(table.scan({ anyState: true, onUnreadable }))).toEqual(all);
    expect(parts).toHaveLength(3);
  });

  it("throws errors of other tablets", async () => {
    const files = serverFiles("file");
    const [block = 0n] = (await pristine.tablet(first)).rowSets[0]?.blocks.columns.values() ?? [];
    files.delete(fileWith(files, String(block).padStart(16, "0"))[0]);
    await using dir = await openKuduDir(treeOf(files));
    const table = await dir.table(TABLE);
    await expect(collectRows(table.scan())).rejects.toMatchObject({ code: "E_BLOCK_MISSING" });
    const parts: UnreadablePart[] = [];
    await collectRows(table.scan({ order: "any", onUnreadable: (part) => parts.push(part) }));
    expect(parts).toMatchObject([
      { tablet: first, rowSet: (await dir.tablet(first)).rowSets[0]?.id, error: { code: "E_BLOCK_MISSING" } },
    ]);
  });
});

describe("a scan", () => {
  it("ends when the limit is reached, in whichever tablet", async () => {
    const table = await pristine.table(TABLE);
    const all = await collectRows(table.scan());
    for (const limit of [1, 47, 48, all.length]) {
      expect(await collectRows(table.scan({ limit }))).toEqual(all.slice(0, limit));
    }
  });

  it("in any order includes the log, if there is one", async () => {
    for (const name of ["unflushed", "altered"]) {
      await using dir = await openKuduDir(treeOf(serverFiles("log")));
      const table = await dir.table(name);
      const byText = (rows: unknown[][]): string[] => rows.map((row) => JSON.stringify(row)).sort();
      const inOrder = await collectRows(table.scan({ withLog: true }));
      const inAny = await collectRows(table.scan({ withLog: true, order: "any" }));
      expect(byText(inAny)).toEqual(byText(inOrder));
    }
    const withoutLogs = new Map([...serverFiles("log")].filter(([path]) => !path.includes("/wals/")));
    await using dir = await openKuduDir(treeOf(withoutLogs));
    const tablet = await dir.tablet("unflushed");
    expect(await collectRows(tablet.scan({ withLog: true }))).toEqual(await collectRows(tablet.scan()));
  });

  it("without an UNDO file or a Bloom file reads the latest rows; history needs the UNDO file", async () => {
    const expected = await collectRows((await pristine.tablet(first)).scan());
    await using bare = await changedServer([
      first,
      ({ rowsets }) => ({ rowsets: rowsets.map((rowSet) => ({ ...rowSet, bloomBlock: undefined })) }),
    ]);
    const tablet = await bare.tablet(first);
    expect(await collectRows(tablet.scan())).toEqual(expected);
    expect((await tablet.size()).bloom).toBe(0);
    const [key] = expected.map(([id]) => [id as number]) as [number[]];
    expect(await tablet.get(key)).toEqual(await (await pristine.tablet(first)).get(key));
    expect(await tablet.history(key)).toEqual(await (await pristine.tablet(first)).history(key));
    const files = serverFiles("file");
    const undo = (await pristine.tablet(first)).rowSets.flatMap(({ blocks }) => blocks.undo);
    for (const id of undo) {
      files.delete(fileWith(files, String(id).padStart(16, "0"))[0]);
    }
    expect(undo.length).toBeGreaterThan(0);
    await using dir = await openKuduDir(treeOf(files));
    expect(await collectRows((await dir.tablet(first)).scan())).toEqual(expected);
    await expect((await dir.tablet(first)).history(key)).rejects.toMatchObject({ code: "E_BLOCK_MISSING" });
  });

  it("before the retained history is refused without a log too", async () => {
    const files = new Map([...serverFiles("log")].filter(([path]) => !path.includes("/wals/")));
    await using dir = await openKuduDir(treeOf(files), { historyMaxAgeSeconds: 1 });
    const tablet = await dir.tablet("short_history");
    await expect(collectRows(tablet.scan({ asOf: 1n }))).rejects.toMatchObject({ code: "E_HISTORY_GONE" });
  });
});

describe("a tablet that changes while it is read", () => {
  const error = new CFileError("E_BLOCK_MISSING", "block 1 is missing", { path: "block 1", field: "redo" });

  async function* batches(...items: readonly (number | Error)[]): AsyncGenerator<number, void, void> {
    for (const item of items) {
      if (item instanceof Error) {
        throw item;
      }
      yield item;
    }
  }

  it.each<[string, readonly (number | Error)[], boolean, object | undefined]>([
    [
      "after its first rows throws E_SOURCE_CHANGED",
      [1, error],
      true,
      { code: "E_SOURCE_CHANGED", path: "block 1", cause: error },
    ],
    ["before its first rows is read again", [error], true, undefined],
    ["not at all throws its error", [1, error], false, error],
    ["but fails for another reason throws that", [new TypeError("a bug")], true, new TypeError("a bug")],
  ])("%s", async (_name, items, isChanged, expected) => {
    const now = { items: [7] as readonly (number | Error)[], renewal: async () => undefined };
    const before = { items, renewal: async () => (isChanged ? now : undefined) };
    const found: number[] = [];
    const read = (async () => {
      for await (const item of batchesAgain<typeof before | typeof now, number>(before, async (one) =>
        batches(...one.items),
      )) {
        found.push(item);
      }
    })();
    if (expected === undefined) {
      await read;
      expect(found).toEqual([7]);
    } else {
      await expect(read).rejects.toMatchObject(expected);
    }
  });
});

describe("servers", () => {
  it("of one tree are opened each by itself", async () => {
    const files = new Map([
      ...[...serverFiles("file")].map(([path, bytes]) => [`a/${path}`, bytes] as const),
      ...[...serverFiles("log")].map(([path, bytes]) => [`b/${path}`, bytes] as const),
    ]);
    const servers = await openKuduServers(memoryTree(files));
    expect(servers).toHaveLength(2);
    expect(await Promise.all(servers.map(async (one) => (await one.tables()).length))).toEqual([2, 11]);
    await expect(openKuduDir(memoryTree(files))).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
    await using cluster = await openKuduCluster(memoryTree(files));
    expect(cluster.servers).toHaveLength(2);
  });

  it("pass on errors other than CFileErrors", async () => {
    const bug = new TypeError("a bug");
    const tree = { ...treeOf(serverFiles("file")), openSource: () => Promise.reject(bug) };
    await expect(openKuduDir(tree)).rejects.toBe(bug);
  });
});
