/** The given files as trees: by the folders in their names, or from the handle of a folder. */
import { CFileError } from "@cfile/bytes";
import { type ByteDirectory, type ByteSource, type FileTree, memorySource, treeOfPaths } from "@cfile/io";
import { blobSource, type DirectoryHandle, handleTree } from "@cfile/io/browser";
import { httpSource } from "@cfile/io/http";
import type { Given, GivenFile } from "../../protocol.js";
import { hostSource } from "../host-source.js";

/** `files` are the files outside all folders. */
export function givenTrees(given: Given): {
  readonly folders: readonly FileTree[];
  readonly files: readonly GivenFile[];
} {
  if (given.kind === "folder") {
    return { folders: [handleTree(given.handle as DirectoryHandle)], files: [] };
  }
  const files: GivenFile[] = [];
  const byFolder = new Map<string, Map<string, GivenFile>>();
  for (const file of given.files) {
    const end = file.path.indexOf("/");
    if (end === -1) {
      files.push(file);
      continue;
    }
    const name = file.path.slice(0, end);
    const folder = byFolder.get(name) ?? new Map<string, GivenFile>();
    byFolder.set(name, folder.set(file.path.slice(end + 1), file));
  }
  return { folders: [...byFolder].map(([name, folder]) => treeOfPaths(folder, name, sourceOf)), files };
}

export function sourceOf({ blob, url, bytes, host }: GivenFile, path: string): ByteSource {
  if (host !== undefined) {
    return hostSource(host, path);
  }
  if (bytes !== undefined) {
    return memorySource(bytes, path);
  }
  return blob === undefined ? httpSource(url ?? path) : blobSource(blob, path);
}

/** A folder of a tree as a read-only directory. */
export function readOnlyDirectory(tree: FileTree, folder: string): ByteDirectory {
  const refuse = async (): Promise<never> => {
    throw new CFileError("E_UNSUPPORTED", "the explorer is read-only", { path: tree.name });
  };
  return {
    name: tree.name,
    list: async () => (await tree.list(folder)).filter(({ kind }) => kind === "file").map(({ name }) => name),
    openSource: (file) => tree.openSource(folder === "" ? file : `${folder}/${file}`),
    createSink: refuse,
    sync: refuse,
    rename: refuse,
    remove: refuse,
  };
}

/** A folder of a tree as a separate tree. */
export function subTree(tree: FileTree, folder: string): FileTree {
  const pathOf = (path: string): string => [folder, path].filter(Boolean).join("/");
  return {
    name: pathOf("") === "" ? tree.name : `${tree.name}/${folder}`,
    list: (path) => tree.list(pathOf(path)),
    openSource: (path) => tree.openSource(pathOf(path)),
    modified: async (path) => tree.modified?.(pathOf(path)),
  };
}
