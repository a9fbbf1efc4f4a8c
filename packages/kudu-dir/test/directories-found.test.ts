/** Directories of servers: files that are missing, too large, misplaced, or given twice. */
import { CFileError } from "@cfile/bytes";
import { type FileTree, memoryTree } from "@cfile/io";
import { describe, expect, it } from "vitest";
import { parseContainerFile } from "../src/catalog.js";
import { checkKuduDir, openKuduDir } from "../src/index.js";
import { fileWith } from "./edited-files.js";
import { serverFiles, treeOf } from "./servers.js";

const log = serverFiles("log");
const JOURNAL = /[0-9a-f]{32}\.metadata$/;

/** The tree with a different size of a file. */
function withSize(tree: FileTree, end: string, size: number): FileTree {
  return {
    ...tree,
    openSource: async (path) => {
      const source = await tree.openSource(path);
      return path.endsWith(end) ? { ...source, size: async () => size } : source;
    },
  };
}

describe("roots", () => {
  it("that are given twice, by themselves and in another folder, are read once", async () => {
    const tree = treeOf(log);
    const inner = memoryTree(
      new Map(
        [...log].flatMap(([path, bytes]) =>
          path.startsWith("ts/data1/data/") ? [[path.slice("ts/data1/data/".length), bytes] as const] : [],
        ),
      ),
      "server/ts/data1/data",
    );
    await using dir = await openKuduDir([tree, tree, inner]);
    await using once = await openKuduDir(tree);
    expect(await dir.problems()).toEqual([]);
    expect(await dir.blocks.list()).toHaveLength((await once.blocks.list()).length);
    expect(await dir.blocks.containers()).toBe(await once.blocks.containers());
  });

  it("above 1024 are refused", async () => {
    const [, instance] = fileWith(log, "ts/wal/instance");
    const roots = (count: number): FileTree =>
      memoryTree(new Map(Array.from({ length: count }, (_, i) => [`root${i}/instance`, instance])), "many");
    expect((await openKuduDir(roots(1024))).roots.names).toHaveLength(1024);
    await expect(openKuduDir(roots(1025))).rejects.toMatchObject({ code: "E_LIMIT", path: "many" });
  });

  it("with an instance file that is too large say so", async () => {
    await using dir = await openKuduDir(withSize(treeOf(log), "data1/instance", 2 ** 30));
    expect(await dir.problems()).toMatchObject([
      { code: "E_LIMIT", field: "file size", path: "server/ts/data1/instance" },
    ]);
  });

  it("without any instance file belong together by their data directories, or by those of their tablets", async () => {
    const unnamed = new Map([...log].filter(([path]) => !path.endsWith("/instance")));
    await using dir = await openKuduDir(treeOf(unnamed));
    expect(dir.uuid).toBeUndefined();
    expect(await dir.tables()).toHaveLength(11);
    // Only the metadata, with a folder among the superblocks, which is skipped.
    const metadata = new Map([...unnamed].filter(([path]) => path.startsWith("ts/wal/")));
    const among = new Map([["ts/wal/tablet-meta/folder/file", new Uint8Array(3)], ...metadata]);
    await using alone = await openKuduDir(treeOf(among));
    expect(await alone.tables()).toHaveLength(11);
    expect(await alone.blocks.list()).toEqual([]);
    expect((await (await alone.tablet("history")).size()).missing.length).toBeGreaterThan(0);
  });
});

describe("a container", () => {
  const withBlocks = new Map(log);
  const [journalPath, journal] = [...log].find(([path]) => JOURNAL.test(path)) ?? ["", new Uint8Array(0)];
  const dataPath = journalPath.replace(/metadata$/, "data");
  const EMPTY = "ts/data1/data/00000000000000000000000000000000";
  /** Header and description of a journal. */
  const start = journal.subarray(0, parseContainerFile(journal, journalPath).offsets[0]);

  it.each<[string, ReadonlyMap<string, Uint8Array>, readonly object[]]>([
    ["with neither journal nor data", new Map([[`${EMPTY}.data`, new Uint8Array(0)]]), []],
    ["with a journal without blocks and no data", new Map([[`${EMPTY}.metadata`, start]]), []],
    [
      "with data, but an empty journal",
      new Map([
        [`${EMPTY}.data`, new Uint8Array(9)],
        [`${EMPTY}.metadata`, new Uint8Array(0)],
      ]),
      [{ code: "E_BLOCK_MISSING", field: "metadata file", path: `server/${EMPTY}.data` }],
    ],
    ["with an empty journal and no data", new Map([[`${EMPTY}.metadata`, new Uint8Array(0)]]), []],
    ["that is a folder", new Map([[`${EMPTY}.metadata/file`, new Uint8Array(1)]]), []],
  ])("%s", async (_name, files, problems) => {
    await using dir = await openKuduDir(treeOf(new Map([...withBlocks, ...files])));
    expect(await dir.problems()).toMatchObject(problems);
    expect(await dir.blocks.list()).toHaveLength(694);
  });

  it("with a journal above 1 GiB is refused; the others are read", async () => {
    await using dir = await openKuduDir(withSize(treeOf(log), journalPath, 2 ** 31));
    expect(await dir.problems()).toMatchObject([
      { code: "E_LIMIT", field: "file size", path: `server/${journalPath}` },
    ]);
    expect((await dir.blocks.list()).every(({ path }) => path !== `server/${dataPath}`)).toBe(true);
  });
});

describe("blocks in files", () => {
  it("are not missing if a folder cannot be listed: the error is thrown, and the next read lists it again", async () => {
    const tree = treeOf(serverFiles("file"));
    const ioError = new CFileError("E_IO", "the disk fails", { path: "server" });
    let isFailing = true;
    const failing: FileTree = {
      ...tree,
      list: (path) =>
        isFailing && /data\/[0-9a-f]{2}/.test(path) ? Promise.reject(ioError) : tree.list(path),
    };
    await using dir = await openKuduDir(failing);
    const tablet = await dir.tablet("small");
    await expect(tablet.size()).rejects.toBe(ioError);
    await expect(tablet.rowSets[0]?.files()).rejects.toBe(ioError);
    await expect(checkKuduDir(dir)).rejects.toBe(ioError);
    isFailing = false;
    expect((await tablet.size()).missing).toEqual([]);
    expect((await checkKuduDir(dir)).ok).toBe(true);
  });
});
