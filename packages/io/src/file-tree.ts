/**
 * Folders and files below a root, to be read only. A path is names joined by `/`; the root itself is the empty path.
 */
import { CFileError, invalidArgument } from "@cfile/bytes";
import type { ByteSource } from "./byte-source.js";
import { memorySource } from "./memory-source.js";

export interface TreeEntry {
  readonly name: string;
  readonly kind: "file" | "folder";
}

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
  const missing = (path: string): CFileError =>
    new CFileError("E_NOT_FOUND", "there is no such file or directory", { path: `${name}/${path}` });
  return {
    name,
    list: async (folder) => {
      const entries = folders.get(folder);
      if (entries === undefined) {
        throw missing(folder);
      }
      return [...entries.values()];
    },
    openSource: async (path) => {
      const bytes = files.get(path);
      if (bytes === undefined) {
        throw missing(path);
      }
      return memorySource(bytes, `${name}/${path}`);
    },
  };
}
