import { describe, expect, it } from "vitest";
import { type DirectoryHandle, type FileHandle, fileListTree, handleTree } from "../src/browser.js";
import { readExactly } from "../src/index.js";

const file = (name: string, text: string): FileHandle => ({
  kind: "file",
  name,
  getFile: async () => new Blob([text]),
});

/** A handle like those of browsers, with only the methods for listing and reading. */
function folder(name: string, entries: readonly (FileHandle | DirectoryHandle)[]): DirectoryHandle {
  const find = (kind: string, wanted: string) => {
    const found = entries.find((entry) => entry.name === wanted);
    if (found === undefined) {
      throw new DOMException("A requested file or directory could not be found", "NotFoundError");
    }
    if (found.kind !== kind) {
      throw new DOMException(
        "The path supplied exists, but was not an entry of requested type",
        "TypeMismatchError",
      );
    }
    return found;
  };
  return {
    kind: "directory",
    name,
    values: async function* () {
      yield* entries;
    },
    getDirectoryHandle: async (wanted) => find("directory", wanted) as DirectoryHandle,
    getFileHandle: async (wanted) => find("file", wanted) as FileHandle,
  };
}

const listed = (path: string, text: string) =>
  Object.assign(new Blob([text]), { name: path.split("/").at(-1) ?? path, webkitRelativePath: path });

const trees = [
  ["a directory handle", handleTree(folder("root", [folder("a", [file("b.txt", "hello")]), file("c", "")]))],
  ["a list of files", fileListTree([listed("a/b.txt", "hello"), listed("c", "")], "root")],
] as const;

describe.each(trees)("the tree of %s", (_, tree) => {
  it("lists folders and reads files", async () => {
    expect(await tree.list("")).toEqual([
      { name: "a", kind: "folder" },
      { name: "c", kind: "file" },
    ]);
    expect(await tree.list("a")).toEqual([{ name: "b.txt", kind: "file" }]);
    const source = await tree.openSource("a/b.txt");
    expect(source.name).toBe("root/a/b.txt");
    expect(new TextDecoder().decode(await readExactly(source, 1, 3))).toBe("ell");
  });

  it("names missing files", async () => {
    await expect(tree.list("b")).rejects.toMatchObject({ code: "E_NOT_FOUND", path: "root/b" });
    await expect(tree.openSource("a/c")).rejects.toMatchObject({ code: "E_NOT_FOUND", path: "root/a/c" });
    await expect(tree.openSource("a")).rejects.toMatchObject({ code: "E_NOT_FOUND" });
    await expect(tree.openSource("a/../c")).rejects.toMatchObject({ name: "CFileError" });
  });
});

describe("a directory handle", () => {
  it("reports the modification time if the browser does", async () => {
    const dated = { ...file("b", "B"), getFile: async () => new File(["B"], "b", { lastModified: 1234 }) };
    const tree = handleTree(folder("root", [file("a", "A"), dated]));
    expect(await tree.modified?.("a")).toBeUndefined();
    expect(await tree.modified?.("b")).toBe(1234);
  });

  it("without permission is E_IO", async () => {
    const denied = {
      ...folder("root", []),
      values: () => {
        throw new DOMException("The request is not allowed", "NotAllowedError");
      },
    };
    await expect(handleTree(denied).list("")).rejects.toMatchObject({ code: "E_IO", path: "root" });
  });
});
