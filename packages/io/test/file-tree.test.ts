import fs, { mkdirSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@cfile-tools/testkit";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { diskTree, type FileSourceOptions } from "../src/file.js";
import { type FileTree, memoryTree } from "../src/index.js";

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder, "root/a/b"), { recursive: true });
  writeFileSync(join(folder, "root/a/b/file"), Uint8Array.of(1, 2, 3));
  writeFileSync(join(folder, "root/top"), "");
});

const trees: Record<string, () => Promise<FileTree>> = {
  "on disk": () => diskTree(join(folder, "root")),
  "on disk whose calls block": () => diskTree(join(folder, "root"), { blocking: true }),
  "in memory": async () =>
    memoryTree(
      new Map([
        ["a/b/file", Uint8Array.of(1, 2, 3)],
        ["top", new Uint8Array(0)],
      ]),
    ),
};

describe.each(Object.entries(trees))("a tree %s", (_, open) => {
  it("lists folders and reads files", async () => {
    const tree = await open();
    const byName = (await tree.list("")).toSorted((left, right) => (left.name < right.name ? -1 : 1));
    expect(byName).toEqual([
      { name: "a", kind: "folder" },
      { name: "top", kind: "file" },
    ]);
    expect(await tree.list("a/b")).toEqual([{ name: "file", kind: "file" }]);
    const source = await tree.openSource("a/b/file");
    expect([...(await source.read(0, 3))]).toEqual([1, 2, 3]);
    await source.close?.();
  });

  it("names missing files and rejects invalid paths", async () => {
    const tree = await open();
    await expect(tree.list("c")).rejects.toMatchObject({ code: "E_NOT_FOUND" });
    await expect(tree.openSource("a/c")).rejects.toMatchObject({ code: "E_NOT_FOUND" });
    for (const path of ["..", "a/../..", "a//b", "/a"]) {
      await expect(tree.openSource(path)).rejects.toMatchObject({
        code: expect.stringMatching(/E_(INVALID_ARGUMENT|NOT_FOUND)/),
      });
    }
  });
});

describe.each<FileSourceOptions>([{}, { blocking: true }])("a tree on disk with %j", (options) => {
  it("reports the modification time of a file", async () => {
    const path = join(folder, "changed");
    mkdirSync(path);
    writeFileSync(join(path, "file"), "");
    utimesSync(join(path, "file"), 1, 5);
    expect(await (await diskTree(path, options)).modified?.("file")).toBe(5000);
  });

  it("follows only links that stay inside", async () => {
    writeFileSync(join(folder, "secret"), "");
    symlinkSync("a/b/file", join(folder, "root/inside"));
    symlinkSync("../secret", join(folder, "root/outside"));
    const tree = await diskTree(join(folder, "root"), options);
    const names = (await tree.list("")).map(({ name }) => name).sort();
    expect(names).toEqual(["a", "inside", "top"]);
    const source = await tree.openSource("inside");
    expect(await source.size()).toBe(3);
    await source.close?.();
    await expect(tree.openSource("outside")).rejects.toMatchObject({ code: "E_IO" });
  });

  it("does not open files in a folder that is a link out of the tree", async () => {
    const path = join(folder, "links");
    mkdirSync(join(path, "root"), { recursive: true });
    mkdirSync(join(path, "elsewhere"));
    writeFileSync(join(path, "elsewhere/file"), "");
    symlinkSync("../elsewhere", join(path, "root/out"));
    const tree = await diskTree(join(path, "root"), options);
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(tree.openSource("out/file")).rejects.toMatchObject({ code: "E_IO" });
      await expect(tree.list("out")).rejects.toMatchObject({ code: "E_IO" });
    }
  });

  it("names the file that is missing, also in a folder that is missing", async () => {
    const tree = await diskTree(folder, options);
    for (const path of ["root/none", "none/none"]) {
      const error = { code: "E_NOT_FOUND", path: join(folder, path) };
      await expect(tree.openSource(path)).rejects.toMatchObject(error);
    }
  });
});

it("lets other events in while several tasks open small files with blocking calls", async () => {
  let now = 0;
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now++);
  onTestFinished(() => clock.mockRestore());
  const tree = await diskTree(join(folder, "root"), { blocking: true });
  const openSync = vi.spyOn(fs, "openSync");
  onTestFinished(() => openSync.mockRestore());
  let isHandled = false;
  setImmediate(() => {
    isHandled = true;
  });
  let opened = 0;
  const task = async (): Promise<void> => {
    while (!isHandled && opened < 10_000) {
      opened++;
      await (await tree.openSource("a/b/file")).close?.();
    }
  };
  await Promise.all([task(), task(), task(), task()]);
  expect(isHandled).toBe(true);
  expect(openSync).toHaveBeenCalled();
  expect(opened).toBeLessThan(50);
});
