import { createHash } from "node:crypto";
import { chmod, cp, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { ByteBuilder, crc32c } from "@cfile/bytes";
import { type FileTree, memorySource } from "@cfile/io";
import { temporaryFolder } from "@cfile-tools/testkit";
import { beforeAll, describe, expect, it } from "vitest";
import { parseContainerFile } from "../src/catalog.js";
import { checkKuduDir, openKuduDir } from "../src/index.js";
import { collectRows } from "./json-rows.js";
import { clientTables, serverFiles, serverPath, treeOf } from "./servers.js";

const client = clientTables("file").find(({ table }) => table === "small");
const expected = client?.snapshots.at(-1)?.tablets ?? {};
const ids = Object.keys(expected).filter((id) => (expected[id] ?? []).length > 0);
const id = ids[0] ?? "";

/** A tree that turns into `after` when a file whose path contains `part` is opened for the `opened`-th time. */
function turning(before: FileTree, after: FileTree, part: string, opened = 1): FileTree {
  let count = 0;
  let now = before;
  return {
    name: "server",
    list: (folder) => now.list(folder),
    openSource: (path) => {
      if (path.includes(part) && ++count === opened) {
        now = after;
      }
      return now.openSource(path);
    },
  };
}

/** An equivalent superblock with different bytes: it has an unknown field. */
function otherBytes(file: Uint8Array): Uint8Array {
  const { records, offsets } = parseContainerFile(file, "superblock");
  const record = Uint8Array.of(...(records[0] ?? []), 0xf8, 0x03, 0x00);
  const out = new ByteBuilder();
  out.append(file.subarray(0, offsets[0]));
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, record.length, true);
  out.append(length);
  out.u32le(crc32c(length));
  out.append(record);
  out.u32le(crc32c(record));
  return out.finish();
}

/** Files before and after a compaction, which removes a block of the tablet and changes its superblock. */
async function compacted(): Promise<{ before: FileTree; after: FileTree; gone: FileTree }> {
  const files = serverFiles("file");
  const find = (end: string): string => [...files.keys()].find((name) => name.endsWith(end)) ?? "";
  await using dir = await openKuduDir(treeOf(files));
  const [block = 0n] = (await dir.tablet(id)).rowSets[0]?.blocks.columns.values() ?? [];
  const superblock = find(`tablet-meta/${id}`);
  const before = new Map(files);
  before.delete(find(String(block).padStart(16, "0")));
  const gone = new Map(before);
  before.set(superblock, otherBytes(files.get(superblock) ?? new Uint8Array(0)));
  return { before: treeOf(before), after: treeOf(files), gone: treeOf(gone) };
}

describe("a tablet of a running server", () => {
  it("that changes before its first row is reopened", async () => {
    const { before, after } = await compacted();
    await using dir = await openKuduDir(turning(before, after, `tablet-meta/${id}`, 2));
    expect(await collectRows((await dir.tablet(id)).scan())).toEqual(expected[id]);
    expect(await collectRows((await dir.tablet(id)).scan())).toEqual(expected[id]);
  });

  it("that changes again throws E_SOURCE_CHANGED", async () => {
    const { gone } = await compacted();
    const files = serverFiles("file");
    const path = [...files.keys()].find((name) => name.endsWith(`tablet-meta/${id}`)) ?? "";
    const first = files.get(path) ?? new Uint8Array(0);
    const versions = [first, otherBytes(first), first, otherBytes(first), first];
    const tree: FileTree = {
      ...gone,
      openSource: async (name) =>
        name === path ? memorySource(versions.shift() ?? first, name) : gone.openSource(name),
    };
    await using dir = await openKuduDir(tree);
    const tablet = await dir.tablet(id);
    await expect(collectRows(tablet.scan())).rejects.toMatchObject({ code: "E_SOURCE_CHANGED" });
  });

  it("that lost a block but is otherwise unchanged is damaged", async () => {
    const { gone } = await compacted();
    await using dir = await openKuduDir(gone);
    await expect(collectRows((await dir.tablet(id)).scan())).rejects.toMatchObject({
      code: "E_BLOCK_MISSING",
    });
  });
});

describe("files in the directories", () => {
  let folder = "";

  beforeAll(async () => {
    folder = temporaryFolder();
    await cp(serverPath("log"), folder, { recursive: true });
  });

  async function state(): Promise<string> {
    const lines: string[] = [];
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name);
      const { mtimeNs, ctimeNs, size, mode, ino } = await stat(path, { bigint: true });
      const digest = entry.isFile()
        ? createHash("sha256")
            .update(await readFile(path))
            .digest("hex")
        : "";
      lines.push([path, mtimeNs, ctimeNs, size, mode, ino, digest].join(" "));
    }
    return lines.sort().join("\n");
  }

  it("are not created, locked or modified, and may be read-only", async () => {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o555 : 0o444);
    }
    const before = await state();
    await using dir = await openKuduDir(folder);
    expect((await checkKuduDir(dir)).ok).toBe(true);
    const table = await dir.table("unflushed");
    for (const tablet of table.tablets) {
      await collectRows(tablet.scan({ withLog: true }));
      await tablet.size();
    }
    await dir.close();
    expect(await state()).toBe(before);
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
    }
  });
});
