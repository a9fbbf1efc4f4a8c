/** What the page was given as a tree of files: files with folders in their names, or a folder's handle. */
import { CFileError } from "@cfile/bytes";
import { type ByteDirectory, type FileTree, treeOfPaths } from "@cfile/io";
import { blobSource, type DirectoryHandle, handleTree } from "@cfile/io/browser";
import { httpSource } from "@cfile/io/http";
import type { Given, GivenFile } from "../../protocol.js";

export function givenTree(given: Given): FileTree {
  return given.kind === "folder" ? handleTree(given.handle as DirectoryHandle) : filesTree(given.files);
}

/** Files by their paths; a folder that holds all of them is the root. */
function filesTree(files: readonly GivenFile[]): FileTree {
  const first = files[0]?.path.split("/")[0] ?? "";
  const isShared = files.every(({ path }) => path.startsWith(`${first}/`));
  const byPath = new Map(
    files.map((file) => [isShared ? file.path.slice(first.length + 1) : file.path, file]),
  );
  return treeOfPaths(byPath, isShared ? first : "files", ({ blob, url }, path) =>
    blob === undefined ? httpSource(url ?? path) : blobSource(blob, path),
  );
}

/** A folder of a tree as a directory that can only be read. */
export function readOnlyDirectory(tree: FileTree, folder: string): ByteDirectory {
  const path = (file: string): string => (folder === "" ? file : `${folder}/${file}`);
  const refuse = (): Promise<never> =>
    Promise.reject(new CFileError("E_UNSUPPORTED", "the explorer changes nothing", { path: tree.name }));
  return {
    name: tree.name,
    list: async () => (await tree.list(folder)).filter(({ kind }) => kind === "file").map(({ name }) => name),
    openSource: (file) => tree.openSource(path(file)),
    createSink: refuse,
    sync: refuse,
    rename: refuse,
    remove: refuse,
  };
}
