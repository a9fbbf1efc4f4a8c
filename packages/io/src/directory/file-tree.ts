/**
 * Folders and files below a root, to be read only. A path is names joined by `/`; the root itself is the empty path.
 */
import { CFileError, invalidArgument } from "@cfile/bytes";
import type { ByteSource } from "../source/byte-source.js";
import { memorySource } from "../source/memory-source.js";

/** One name in a folder of a `FileTree`. */
export interface TreeEntry {
  readonly name: string;
  readonly kind: "file" | "folder";
}

/** Folders and files to be read: on a disk, in memory, or a directory of a browser. Paths are names joined by `/`. */
export interface FileTree {
  /** Path or another name, for errors. */
  readonly name: string;
  /**
   * What is in a folder, in any order; what is neither file nor folder, or leads out of the tree, is left out.
   *
   * @throws CFileError `E_NOT_FOUND` when there is no such folder
   */
  list(folder: string): Promise<readonly TreeEntry[]>;
  /** @throws CFileError `E_NOT_FOUND` when there is no such file */
  openSource(path: string): Promise<ByteSource>;
  /** When a file was last changed, in milliseconds since 1970; `undefined` where that is unknown. */
  modified?(path: string): Promise<number | undefined>;
}

/** The names of a path; none for the root. */
export function namesOf(path: string): readonly string[] {
  const names = path === "" ? [] : path.split("/");
  if (names.some((name) => name === "" || name === "." || name === ".." || /[\\\0]/.test(name))) {
    throw invalidArgument(`${JSON.stringify(path)} is no path in a tree`, { field: "path" });
  }
  return names;
}

/** A tree of files in memory, by their paths. */
export function memoryTree(files: ReadonlyMap<string, Uint8Array>, name = "memory"): FileTree {
  return treeOfPaths(files, name, memorySource);
}

/**
 * A tree of things that are known by their paths.
 *
 * @param open makes a source of one, with its name
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
  return {
    name,
    list: async (folder) => {
      const entries = folders.get(folder);
      if (entries === undefined) {
        throw absentFile(pathIn(name, folder));
      }
      return [...entries.values()];
    },
    openSource: async (path) => {
      const file = files.get(path);
      if (file === undefined) {
        throw absentFile(pathIn(name, path));
      }
      return open(file, pathIn(name, path));
    },
  };
}

/** A path below a tree, for errors. */
export function pathIn(tree: string, path: string): string {
  return path === "" ? tree : `${tree}/${path}`;
}

export function absentFile(path: string): CFileError {
  return new CFileError("E_NOT_FOUND", "there is no such file or directory", { path });
}
