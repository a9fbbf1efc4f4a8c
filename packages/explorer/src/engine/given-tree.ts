/** What the page was given as a tree of files: files with folders in their names, or a folder's handle. */
import { CFileError } from "@cfile/bytes";
import { type ByteDirectory, blobSource, type FileTree, httpSource, type TreeEntry } from "@cfile/io";
import type { Given, GivenFile } from "../protocol.js";

export function givenTree(given: Given): FileTree {
  return given.kind === "folder" ? handleTree(given.handle) : filesTree(given.files);
}

function missing(path: string): CFileError {
  return new CFileError("E_NOT_FOUND", "there is no such file or directory", { path });
}

/** A folder of the File System Access API. Only what is looked at is asked for. */
function handleTree(root: FileSystemDirectoryHandle): FileTree {
  const folderOf = async (path: string): Promise<FileSystemDirectoryHandle> => {
    let folder = root;
    for (const name of path === "" ? [] : path.split("/")) {
      folder = await folder.getDirectoryHandle(name);
    }
    return folder;
  };
  const found = async <T>(path: string, action: () => Promise<T>): Promise<T> => {
    try {
      return await action();
    } catch (error) {
      throw error instanceof DOMException && error.name === "NotFoundError" ? missing(path) : error;
    }
  };
  return {
    name: root.name,
    list: (folder) =>
      found(folder, async () => {
        const entries: TreeEntry[] = [];
        for await (const [name, { kind }] of (await folderOf(folder)).entries()) {
          entries.push({ name, kind: kind === "file" ? "file" : "folder" });
        }
        return entries;
      }),
    openSource: (path) =>
      found(path, async () => {
        const cut = path.lastIndexOf("/");
        const folder = await folderOf(cut < 0 ? "" : path.slice(0, cut));
        const file = await (await folder.getFileHandle(path.slice(cut + 1))).getFile();
        return blobSource(file, path);
      }),
  };
}

/** Files by their paths; a folder that holds all of them is the root. */
function filesTree(files: readonly GivenFile[]): FileTree {
  const [first = ""] = files.map(({ path }) => path.split("/")[0] ?? "");
  const isShared = files.every(({ path }) => path.startsWith(`${first}/`));
  const byPath = new Map(
    files.map((file) => [isShared ? file.path.slice(first.length + 1) : file.path, file]),
  );
  const folders = new Map<string, Map<string, TreeEntry>>([["", new Map()]]);
  for (const path of byPath.keys()) {
    const names = path.split("/");
    for (const [depth, name] of names.entries()) {
      const folder = names.slice(0, depth).join("/");
      const entries = folders.get(folder) ?? new Map<string, TreeEntry>();
      entries.set(name, { name, kind: depth === names.length - 1 ? "file" : "folder" });
      folders.set(folder, entries);
    }
  }
  return {
    name: isShared ? first : "files",
    list: async (folder) => {
      const entries = folders.get(folder);
      if (entries === undefined) {
        throw missing(folder);
      }
      return [...entries.values()];
    },
    openSource: async (path) => {
      const file = byPath.get(path);
      if (file === undefined) {
        throw missing(path);
      }
      return file.blob === undefined ? httpSource(file.url ?? file.path) : blobSource(file.blob, path);
    },
  };
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
