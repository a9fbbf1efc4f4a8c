import { type FileTree, memoryTree } from "@cfile/io";
import { expect, it } from "vitest";
import { filesBelow } from "../src/files-below.js";
import { OpenFiles } from "../src/open-files.js";

const NOTHING = new Uint8Array(0);

it("lists the files of all folders below the folder's name", async () => {
  const tree = memoryTree(new Map(Object.entries({ "a/b/c": NOTHING, "a/d": NOTHING, e: NOTHING })));
  const files = await filesBelow(tree, "top");
  expect(files.map(({ path }) => path).sort()).toEqual(["top/a/b/c", "top/a/d", "top/e"]);
});

it("refuses more files than its limit, and a folder that contains itself", async () => {
  const tree = memoryTree(new Map(Array.from({ length: 11 }, (_, i) => [`f${i}`, NOTHING])));
  await expect(filesBelow(tree, "top", 10)).rejects.toMatchObject({
    code: "E_LIMIT",
    path: "memory",
    message: expect.stringContaining("too many files in the folder (maximum 10)"),
  });
  const endless: FileTree = {
    ...tree,
    list: async () => [{ name: "again", kind: "folder" }],
  };
  await expect(filesBelow(endless, "top", 100)).rejects.toMatchObject({ code: "E_LIMIT" });
});

it("answers reads of unknown files, and failed ones, with codes; a file that failed to open is opened again", async () => {
  let attempts = 0;
  const files = new OpenFiles([
    {
      path: "late",
      open: async () => {
        if (attempts++ === 0) {
          throw new Error("not yet");
        }
        return memoryTree(new Map([["late", Uint8Array.of(1, 2, 3)]])).openSource("late");
      },
    },
  ]);
  const error = (code: string, reason: string) => ({ code, reason, position: "" });
  expect(await files.answer({ id: 1, file: 7, offset: 0 })).toEqual({
    id: 1,
    error: error("E_NOT_FOUND", "no file 7"),
  });
  expect(await files.answer({ id: 2, file: 0, offset: 0 })).toEqual({
    id: 2,
    error: error("E_IO", "not yet"),
  });
  expect(await files.answer({ id: 3, file: 0, offset: 1, length: 9 })).toEqual({
    id: 3,
    bytes: Uint8Array.of(2, 3),
  });
});
