/** Read-only folders and files below a root. A path is names joined by `/`; the root is the empty path. */
import { CFileError, invalidArgument } from "@cfile/bytes";
import type { ByteSource } from "../source/byte-source.js";
import { memorySource } from "../source/memory-source.js";

/** One name in a folder of a `FileTree`. */
export interface TreeEntry {
  readonly name: string;
  readonly kind: "file" | "folder";
}

/** Read-only folders and files: on disk, in memory, or chosen in a browser. Paths are names joined by `/`. */
export interface FileTree {
  /** Path or another name, for errors. */
  readonly name: string;
  /**
   * The files and folders in a folder, in any order, without links that lead out of the tree.
   *
   * @throws {CFileError} `E_NOT_FOUND` when there is no such folder
   */
  list(folder: string): Promise<readonly TreeEntry[]>;
  /** @throws {CFileError} `E_NOT_FOUND` when there is no such file */
  openSource(path: string): Promise<ByteSource>;
  /** When a file was last changed, in milliseconds since 1970; `undefined` if unknown. */
  modified?(path: string): Promise<number | undefined>;
}

/**
 * The names in a path; none for the root.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for empty names, `.`, `..`, backslashes and NUL
 */
export function namesOf(path: string): readonly string[] {
  const names = path === "" ? [] : path.split("/");
  if (names.some((name) => /^\.{0,2}$|[\\\0]/.test(name))) {
    throw invalidArgument(`invalid path: ${JSON.stringify(path)} (must be names joined by "/")`, {
      field: "path",
    });
  }
  return names;
}

/** A tree of files in memory, by path. */
export function memoryTree(files: ReadonlyMap<string, Uint8Array>, name = "memory"): FileTree {
  return treeOfPaths(files, name, memorySource);
}

/**
 * A tree of files of any kind, by path.
 *
 * @param open creates the source of a file, with its path for errors
 */
export function treeOfPaths<T>(
  files: ReadonlyMap<string, T>,
  name: string,
  open: (file: T, path: string) => ByteSource,
): FileTree {
  const folders = new Map<string, Map<string, TreeEntry>>([["", new Map()]]);
  for (const path of files.keys()) {
    const names = namesOf(path);
    names.forEach((entry, depth) => {
      const folder = names.slice(0, depth).join("/");
      const entries = folders.get(folder) ?? new Map<string, TreeEntry>();
      folders.set(folder, entries);
      entries.set(entry, { name: entry, kind: depth === names.length - 1 ? "file" : "folder" });
    });
  }
  const require = <V>(entry: V | undefined, path: string): V => {
    if (entry === undefined) {
      throw absentFile(pathIn(name, path));
    }
    return entry;
  };
  return {
    name,
    list: async (folder) => [...require(folders.get(folder), folder).values()],
    openSource: async (path) => open(require(files.get(path), path), pathIn(name, path)),
  };
}

/** A path below a tree, for errors. */
export function pathIn(tree: string, path: string): string {
  return path === "" ? tree : `${tree}/${path}`;
}

export function absentFile(path: string, field?: string): CFileError {
  return new CFileError("E_NOT_FOUND", "no such file or directory", { path, field });
}
