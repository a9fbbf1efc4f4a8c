/** Trees of files in browsers: a directory that the user chose, or the files of `<input webkitdirectory>`. */
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

/** What is used of a `FileSystemFileHandle`. */
export interface FileHandle {
  readonly kind: "file";
  readonly name: string;
  /** The file as it is now. */
  getFile(): Promise<Blob>;
}

/** What is used of a `FileSystemDirectoryHandle`, of the File System Access API say, or of the origin's private file system. */
export interface DirectoryHandle {
  readonly kind: "directory";
  readonly name: string;
  /** All entries, in any order. */
  values(): AsyncIterable<FileHandle | DirectoryHandle>;
  /** A folder in this one; rejects when there is none of this name. */
  getDirectoryHandle(name: string): Promise<DirectoryHandle>;
  /** A file in this folder; rejects when there is none of this name. */
  getFileHandle(name: string): Promise<FileHandle>;
}

/**
 * The tree below a directory handle. Only listing and reading is asked of it: the permission to read is enough.
 */
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
    attempt(pathIn(name, path), "the file cannot be opened", async () => {
      const names = namesOf(path);
      const last = names.at(-1);
      if (last === undefined) {
        throw invalidArgument("a path of a file is expected", { path: name, field: "path" });
      }
      return (await (await folderAt(names.slice(0, -1))).getFileHandle(last)).getFile();
    });
  return {
    name,
    list: (folder) =>
      attempt(pathIn(name, folder), "the directory cannot be listed", async () => {
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

/** A file as an input or a drop gives it: with its path below the folder that was chosen. */
export type ListedFile = Blob & { readonly name: string; readonly webkitRelativePath?: string | undefined };

/**
 * The tree of a list of files, of `<input type="file" webkitdirectory>` say. Files without a relative path lie in the root.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` for a path that leads out of the tree
 */
export function fileListTree(files: Iterable<ListedFile>, name = "files"): FileTree {
  const byPath = new Map<string, ListedFile>();
  for (const file of files) {
    byPath.set(file.webkitRelativePath || file.name, file);
  }
  return treeOfPaths(byPath, name, blobSource);
}

async function attempt<T>(path: string, what: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (isCFileError(error)) {
      throw error;
    }
    const { name = "", message = String(error) } = error instanceof Error ? error : {};
    if (name === "NotFoundError" || name === "TypeMismatchError") {
      throw absentFile(path);
    }
    throw new CFileError("E_IO", `${what}: ${message}`, { path, cause: error });
  }
}
