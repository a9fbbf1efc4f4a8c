import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, it } from "vitest";
import { fileDirectory } from "../src/file.js";
import { type ByteDirectory, type DirectoryOperation, MemoryDirectory, sizeOf } from "../src/index.js";

const folder = temporaryFolder();

const kinds: readonly [string, () => Promise<ByteDirectory>][] = [
  ["a folder on disk", () => fileDirectory(join(folder, "some", "where"), { create: true })],
  ["memory", async () => new MemoryDirectory()],
];

async function write(directory: ByteDirectory, file: string, bytes: readonly number[]): Promise<void> {
  const sink = await directory.createSink(file);
  await sink.write(Uint8Array.from(bytes));
  await sink.close();
}

describe.each(kinds)("a directory, %s", (_, open) => {
  it("writes, lists, reads, renames and removes files", async () => {
    const directory = await open();
    await write(directory, "a.bin", [1, 2, 3]);
    await write(directory, "b.bin", [4]);
    await directory.rename("b.bin", "c.bin");
    await directory.sync();
    expect([...(await directory.list())].sort()).toEqual(["a.bin", "c.bin"]);
    const source = await directory.openSource("a.bin");
    expect(await sizeOf(source)).toBe(3);
    expect([...(await source.read(1, 2))]).toEqual([2, 3]);
    await source.close?.();
    await directory.rename("a.bin", "c.bin");
    expect(await directory.list()).toEqual(["c.bin"]);
    await directory.remove("c.bin");
    await directory.remove("c.bin");
    expect(await directory.list()).toEqual([]);
  });

  it("leaves no trace of an aborted file", async () => {
    const directory = await open();
    const sink = await directory.createSink("x");
    await sink.write(Uint8Array.of(1));
    await sink.abort();
    expect(await directory.list()).toEqual([]);
  });

  it("names the missing file", async () => {
    const directory = await open();
    await expect(directory.openSource("none.bin")).rejects.toMatchObject({
      code: "E_NOT_FOUND",
      path: expect.stringContaining("none.bin"),
    });
    await expect(directory.rename("none.bin", "a")).rejects.toMatchObject({ code: "E_NOT_FOUND" });
  });

  it.each(["", ".", "..", "a/b", "a\\b", "../a", "a\0", "/a", "C:a"])("rejects the name %j", async (file) => {
    const directory = await open();
    const steps = [
      () => directory.openSource(file),
      () => directory.createSink(file),
      () => directory.remove(file),
      () => directory.rename(file, "a"),
      () => directory.rename("a", file),
    ];
    for (const step of steps) {
      await expect(step()).rejects.toMatchObject({
        code: expect.stringMatching(/^E_(INVALID_ARGUMENT|NOT_FOUND)$/),
      });
    }
  });
});

describe("a directory on disk", () => {
  it("must exist and be a directory", async () => {
    await expect(fileDirectory(join(folder, "nowhere"))).rejects.toMatchObject({ code: "E_NOT_FOUND" });
    await writeFile(join(folder, "file"), "");
    await expect(fileDirectory(join(folder, "file"))).rejects.toMatchObject({ code: "E_IO" });
    await expect(fileDirectory(join(folder, "file", "x"), { create: true })).rejects.toMatchObject({
      code: "E_IO",
    });
    expect(await readdir(folder)).toContain("file");
  });
});

describe("a directory in memory", () => {
  it("reports operations before they happen", async () => {
    const done: DirectoryOperation["kind"][] = [];
    const directory = new MemoryDirectory("m", {
      files: new Map([["old", Uint8Array.of(7)]]),
      onOperation: ({ kind }) => {
        done.push(kind);
      },
    });
    await write(directory, "a", [1]);
    await directory.sync();
    await directory.rename("a", "b");
    await directory.remove("old");
    expect(done).toEqual(["create", "write", "close", "sync", "rename", "remove"]);
    expect([...directory.snapshot().keys()]).toEqual(["b"]);
  });
});
