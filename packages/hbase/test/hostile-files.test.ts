/** Damaged and forged files: typed errors, never other exceptions, wrong cells or endless work. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fromHex, isCFileError, utf8Bytes } from "@cfile/bytes";
import { type FileTree, memorySource, memoryTree, treeOfPaths } from "@cfile/io";
import { describe, expect, it } from "vitest";
import { parseBloomMeta } from "../src/bloom/bloom-meta.js";
import { parseStoreFileName } from "../src/files/file-name.js";
import { fileReferenceOf, parseReference } from "../src/files/reference.js";
import { parseFileList } from "../src/files/tracked-files.js";
import { openHBaseRoot } from "../src/index.js";
import { parseRegionInfo } from "../src/root/region-info.js";
import { parseManifest } from "../src/root/snapshot-manifest.js";
import { verifyTable } from "../src/verify.js";
import { collectCells, ROOT_PATH } from "./golden.js";

const REGION = "0123456789abcdef0123456789abcdef";
const TABLE = { namespace: "default", table: "t" };

function rootFiles(): Map<string, Uint8Array> {
  return new Map(
    readdirSync(ROOT_PATH, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(ROOT_PATH.length + 1), Uint8Array.from(readFileSync(path))]),
  );
}

/** The first file of a root whose path matches. */
function pathLike(files: ReadonlyMap<string, Uint8Array>, pattern: RegExp): string {
  const [path] = [...files.keys()].filter((each) => pattern.test(each)).sort();
  if (path === undefined) {
    throw new Error(`no file like ${String(pattern)}`);
  }
  return path;
}

/** Whether parsing ends with a result or a `CFileError`. */
function isRefused(parse: () => unknown): boolean {
  try {
    parse();
    return false;
  } catch (error) {
    if (!isCFileError(error)) {
      throw error;
    }
    return true;
  }
}

describe("names of store files", () => {
  it.each([
    "..=..=0a-0a",
    "default=..=0a-0a",
    ".hidden=t=0a-0a",
    "a/b=t=0a-0a",
    "t=..-0a",
    "t=0a-0a.",
    "..",
    "x",
    "0a.0a.0a",
    "t=0a-0A",
    "",
  ])("%j is refused", (name) => {
    expect(() => parseStoreFileName(name, TABLE, REGION)).toThrow(
      expect.objectContaining({ code: "E_CORRUPT" }),
    );
  });

  it.each([
    ["0a", "hfile", "default:t", REGION, "0a"],
    ["0a_SeqId_12_", "hfile", "default:t", REGION, "0a_SeqId_12_"],
    ["ns=a.b=0c-0a", "link", "ns:a.b", "0c", "0a"],
    ["a.b=0c-0a_SeqId_3_", "link", "default:a.b", "0c", "0a_SeqId_3_"],
    ["0a.0d", "reference", "default:t", "0d", "0a"],
    ["ns=a.b=0c-0a.0d", "reference", "ns:a.b", "0c", "0a"],
  ])("%j is understood", (name, kind, table, region, hfile) => {
    const { kind: found, place } = parseStoreFileName(name, TABLE, REGION);
    expect([found, `${place.table.namespace}:${place.table.table}`, place.region, place.hfile]).toEqual([
      kind,
      table,
      region,
      hfile,
    ]);
  });
});

describe("small files", () => {
  const files = rootFiles();
  const reference = fromHex("504255460a120006733030323030007fffffffffffffffff1000");
  const list = files.get(pathLike(files, /\.filelist\//)) ?? new Uint8Array(0);
  const info = files.get(pathLike(files, /\.regioninfo$/)) ?? new Uint8Array(0);
  const parsers: readonly (readonly [string, Uint8Array, (bytes: Uint8Array) => unknown])[] = [
    ["reference", reference, parseReference],
    ["list of store files", list, parseFileList],
    ["region info", info, parseRegionInfo],
    ["manifest", new Uint8Array(300).fill(0x0a), parseManifest],
    ["Bloom metadata", new Uint8Array(60), parseBloomMeta],
  ];

  it.each(parsers)(
    "%s: every truncation and every flipped bit is a result or a CFileError",
    (_, bytes, parse) => {
      for (let length = 0; length < bytes.length; length++) {
        isRefused(() => parse(bytes.subarray(0, length)));
      }
      let refused = 0;
      for (let bit = 0; bit < 8 * bytes.length; bit++) {
        const damaged = bytes.slice();
        damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        refused += isRefused(() => parse(damaged)) ? 1 : 0;
      }
      expect(refused).toBeGreaterThan(0);
    },
  );

  it("a reference before protobuf is understood", () => {
    const key = fromHex("0006733030323030007fffffffffffffffff");
    const { side, row } = parseReference(Uint8Array.of(1, key.length, ...key));
    expect([side, new TextDecoder().decode(row)]).toEqual(["top", "s00200"]);
    expect(() => fileReferenceOf({ range: 2 })).toThrow("invalid reference range");
  });

  it("a forged number of Bloom chunks allocates nothing", () => {
    const meta = new Uint8Array(45);
    meta[3] = 3;
    meta[19] = 1;
    meta.fill(0xff, 36, 40);
    expect(() => parseBloomMeta(meta)).toThrow(expect.objectContaining({ code: "E_TRUNCATED" }));
  });
});

describe("a root directory", () => {
  it("without the files of a region fails instead of returning fewer rows", async () => {
    const files = rootFiles();
    const region = pathLike(files, /versions\/33c6[^/]*\/\.regioninfo$/);
    for (const path of [...files.keys()].filter((each) =>
      each.startsWith(region.replace(".regioninfo", "")),
    )) {
      files.delete(path);
    }
    await using table = await (await openHBaseRoot(memoryTree(files))).openTable("versions");
    await expect(collectCells(table.scan())).rejects.toMatchObject({ code: "E_CORRUPT" });
    await expect(table.get("user00200")).rejects.toMatchObject({ code: "E_CORRUPT" });
    // Rows of the other region are complete.
    expect((await collectCells(table.scan({ stopRow: "user00150" }))).length).toBeGreaterThan(100);
    const { ok, boundaries } = await verifyTable(table);
    expect([ok, boundaries.map(({ kind }) => kind)]).toEqual([false, ["hole"]]);
  });

  it("with the description of another region is refused", async () => {
    const files = rootFiles();
    const path = pathLike(files, /versions\/33c6[^/]*\/\.regioninfo$/);
    const other = pathLike(files, /tracked\/[^/]*\/\.regioninfo$/);
    files.set(path, files.get(other) ?? new Uint8Array(0));
    const root = await openHBaseRoot(memoryTree(files));
    await expect(root.openTable("versions")).rejects.toMatchObject({ code: "E_CORRUPT" });
  });

  it("with a file of another name is refused", async () => {
    const files = rootFiles();
    const path = pathLike(files, /versions\/33c6[^/]*\/a\/[0-9a-f]+$/);
    files.set(path.replace(/[^/]+$/, "x=..=0a-0a"), utf8Bytes(""));
    await using table = await (await openHBaseRoot(memoryTree(files))).openTable("versions");
    await expect(collectCells(table.scan())).rejects.toMatchObject({ code: "E_CORRUPT" });
  });

  it("with a link to nothing names the missing file", async () => {
    const files = rootFiles();
    const path = pathLike(files, /versions\/33c6[^/]*\/a\/[0-9a-f]+$/);
    files.set(path.replace(/[^/]+$/, `gone=${REGION}-0a`), utf8Bytes(""));
    await using table = await (await openHBaseRoot(memoryTree(files))).openTable("versions");
    await expect(collectCells(table.scan())).rejects.toMatchObject({ code: "E_BLOCK_MISSING" });
    const { problems } = await verifyTable(table);
    expect(problems.map(({ code, file }) => [code, file])).toEqual([
      ["E_BLOCK_MISSING", `gone=${REGION}-0a`],
    ]);
  });

  it("with references in circles ends with a typed error", async () => {
    const files = rootFiles();
    const folders = [...files.keys()]
      .filter((path) => /^data\/default\/versions\/[0-9a-f]+\/\.regioninfo$/.test(path))
      .map((path) => path.replace("/.regioninfo", ""));
    const [one = "", other = ""] = folders.map((folder) => folder.replace(/.*\//, ""));
    const reference = fromHex("504255460a120006733030323030007fffffffffffffffff1000");
    files.set(`${folders[0]}/a/0a.${other}`, reference);
    files.set(`${folders[1]}/a/0a.${one}`, reference);
    const code = async (): Promise<unknown> => {
      await using table = await (await openHBaseRoot(memoryTree(files))).openTable("versions");
      return await collectCells(table.scan()).then(
        () => "cells",
        (error) => (isCFileError(error) ? error.code : error),
      );
    };
    expect(await code()).toBe("E_BLOCK_MISSING");
    // The file that both refer to is itself a reference.
    files.set(`${folders[0]}/a/0a`, reference);
    files.set(`${folders[1]}/a/0a`, reference);
    expect(await code()).toBe("E_TRUNCATED");
  });
});

function withByte(bytes: Uint8Array, at: number): Uint8Array {
  const changed = bytes.slice();
  changed[at] = (changed[at] ?? 0) ^ 0x55;
  return changed;
}

/** A tree, and its number of open files. */
function countedTree(files: ReadonlyMap<string, Uint8Array>): {
  readonly tree: FileTree;
  readonly open: () => number;
} {
  let open = 0;
  const tree = treeOfPaths(files, "root", (bytes, path) => {
    open++;
    return {
      ...memorySource(bytes, path),
      close: async () => {
        open--;
      },
    };
  });
  return { tree, open: () => open };
}

describe("recovery", () => {
  it("returns the cells of undamaged blocks and lists the others", async () => {
    const files = rootFiles();
    await using whole = await (await openHBaseRoot(memoryTree(rootFiles()))).openTable("tracked");
    const options = { raw: true, versions: "all" } as const;
    const all = await collectCells(whole.scan(options));
    const [{ path = "" } = {}] = await whole.files(whole.regions[0]?.encodedName ?? "");
    const bytes = files.get(path) ?? new Uint8Array(0);
    // A byte of the first data block.
    bytes[200] = (bytes[200] ?? 0) ^ 0x55;
    const root = await openHBaseRoot(memoryTree(files));
    await using strict = await root.openTable("tracked");
    await expect(collectCells(strict.scan(options))).rejects.toMatchObject({ code: "E_CHECKSUM" });
    const report = await verifyTable(strict);
    expect(report.problems.map(({ code, path: where }) => [code, where])).toEqual([["E_CHECKSUM", path]]);
    await using table = await root.openTable("tracked", { recover: true });
    const found = await collectCells(table.scan(options));
    expect(found.length).toBeLessThan(all.length);
    const known = new Set(all.map((cell) => JSON.stringify(cell)));
    expect(found.every((cell) => known.has(JSON.stringify(cell)))).toBe(true);
    expect(
      table.losses.map((loss) => [
        loss.path,
        loss.state,
        loss.lost.map(({ code, offset }) => [code, offset]),
      ]),
    ).toEqual([[path, "damaged", [["E_CHECKSUM", 0]]]]);
    // The loss is also reported if the scan ends before the file does.
    await using first = table.recovering();
    await collectCells(first.scan({ limit: 1 }));
    expect(first.losses).toMatchObject([
      { path, state: "damaged", lost: [{ code: "E_CHECKSUM", offset: 0 }] },
    ]);
  });

  it("and reading close the files that they refuse", async () => {
    const files = rootFiles();
    await using whole = await (await openHBaseRoot(memoryTree(rootFiles()))).openTable("tracked");
    const [{ path = "" } = {}] = await whole.files(whole.regions[0]?.encodedName ?? "");
    const bytes = files.get(path) ?? new Uint8Array(0);
    let refused = 0;
    for (let at = bytes.length - 4205; at < bytes.length; at += 200) {
      const damaged = new Map(files).set(path, withByte(bytes, at));
      const { tree, open } = countedTree(damaged);
      for (const recover of [false, true]) {
        await using table = await (await openHBaseRoot(tree)).openTable("tracked", { recover });
        refused += await collectCells(table.scan()).then(
          () => 0,
          () => 1,
        );
      }
      expect([at, open()]).toEqual([at, 0]);
    }
    expect(refused).toBeGreaterThan(0);
  });

  it("reads on without a missing file and without a trailer", async () => {
    const files = rootFiles();
    await using whole = await (await openHBaseRoot(memoryTree(rootFiles()))).openTable("tracked");
    const [cut, gone] = (await whole.files(whole.regions[0]?.encodedName ?? "")).map(({ path }) => path);
    files.set(cut ?? "", (files.get(cut ?? "") ?? new Uint8Array(0)).slice(0, -3000));
    files.delete(gone ?? "");
    const root = await openHBaseRoot(memoryTree(files));
    await using table = await root.openTable("tracked", { recover: true });
    expect((await collectCells(table.scan())).length).toBeGreaterThan(50);
    expect(table.losses.map(({ path, state }) => [path, state])).toEqual(
      expect.arrayContaining([
        [cut, "damaged"],
        [gone, "missing"],
      ]),
    );
  });
});
