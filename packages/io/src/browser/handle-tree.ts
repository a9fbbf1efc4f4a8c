/** Trees of files in browsers: a directory chosen by the user, or the files of `<input webkitdirectory>`. */
import { CFileError, invalidArgument, isCFileError } from "@cfile/bytes";
import {
  absentFile,
  type FileTree,
  namesOf,
  pathIn,
  type TreeEntry,
  treeOfPaths,
} from "../directory/file-tree.js";
import { blobSource } from "./blob-source.js";

/** The required part of a `FileSystemFileHandle`. */
export interface FileHandle {
  readonly kind: "file";
  readonly name: string;
  /** The current content. */
  getFile(): Promise<Blob>;
}

/** The required part of a `FileSystemDirectoryHandle`. */
export interface DirectoryHandle {
  readonly kind: "directory";
  readonly name: string;
  /** All entries, in any order. */
  values(): AsyncIterable<FileHandle | DirectoryHandle>;
  /** A folder in this one; rejects if it does not exist. */
  getDirectoryHandle(name: string): Promise<DirectoryHandle>;
  /** A file in this folder; rejects if it does not exist. */
  getFileHandle(name: string): Promise<FileHandle>;
}

/** The tree below a directory handle. Requires read permission only. */
export function handleTree(handle: DirectoryHandle): FileTree {
  const { name } = handle;
  const folderAt = async (names: readonly string[]): Promise<DirectoryHandle> => {
    let folder = handle;
    for (const part of names) {
      folder = await folder.getDirectoryHandle(part);
    }
    return folder;
  };
  const fileAt = (path: string): Promise<Blob> =>
    attempt(pathIn(name, path), "cannot open the file", async () => {
      const names = namesOf(path);
      const last = names.at(-1);
      if (last === undefined) {
        throw invalidArgument("invalid path: empty", { path: name, field: "path" });
      }
      return (await (await folderAt(names.slice(0, -1))).getFileHandle(last)).getFile();
    });
  return {
    name,
    list: (folder) =>
      attempt(pathIn(name, folder), "cannot list the directory", async () => {
        const entries: TreeEntry[] = [];
        for await (const entry of (await folderAt(namesOf(folder))).values()) {
          entries.push({ name: entry.name, kind: entry.kind === "file" ? "file" : "folder" });
        }
        return entries;
      }),
    openSource: async (path) => blobSource(await fileAt(path), pathIn(name, path)),
    modified: async (path) => {
      const file = await fileAt(path);
      return "lastModified" in file && typeof file.lastModified === "number" ? file.lastModified : undefined;
    },
  };
}

/** A file of an input or a drop, with its path below the chosen folder. */
export type ListedFile = Blob & { readonly name: string; readonly webkitRelativePath?: string | undefined };

/**
 * The tree of a list of files, for example of `<input type="file" webkitdirectory>`. Files without a relative path are in the root.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for a path that leads out of the tree
 */
export function fileListTree(files: Iterable<ListedFile>, name = "files"): FileTree {
  const entries = Array.from(files, (file) => [file.webkitRelativePath || file.name, file] as const);
  return treeOfPaths(new Map(entries), name, blobSource);
}

async function attempt<T>(path: string, action: string, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (isCFileError(error)) {
      throw error;
    }
    const { name = "", message = String(error) } = error instanceof Error ? error : {};
    if (name === "NotFoundError" || name === "TypeMismatchError") {
      throw absentFile(path);
    }
    throw new CFileError("E_IO", `${action}: ${message}`, { path, cause: error });
  }
}
