/** The folders and files below a folder on disk, where there are files: Node, Deno and Bun. */
import { CFileError } from "@cfile/bytes";
import { type FileTree, namesOf, type TreeEntry } from "../directory/file-tree.js";
import { fileSource } from "./file-source.js";
import { fileError, nodeModule, pathOf } from "./node-files.js";

/**
 * The tree at a path or `file:` URL. Links are followed as long as they stay in the folder.
 *
 * @throws CFileError `E_NOT_FOUND`: there is no such folder; `E_IO`: it is none, or cannot be read; `E_UNSUPPORTED`: there are no
 *   files here
 */
export async function diskTree(location: string | URL): Promise<FileTree> {
  const name = pathOf(location);
  const { realpath, stat } = nodeModule("node:fs/promises");
  try {
    if (!(await stat(name)).isDirectory()) {
      throw new CFileError("E_IO", "the directory cannot be opened: it is none", { path: name });
    }
    const real = await realpath(name);
    return {
      name,
      list: (folder) => listFolder(name, real, folder),
      openSource: async (path) => fileSource(await pathInside(name, real, path)),
      modified: async (path) => (await stat(await pathInside(name, real, path))).mtimeMs,
    };
  } catch (error) {
    throw fileError(error, name, "the directory cannot be opened");
  }
}

async function listFolder(name: string, real: string, folder: string): Promise<TreeEntry[]> {
  const path = await pathInside(name, real, folder);
  const { readdir, stat } = nodeModule("node:fs/promises");
  try {
    const entries: TreeEntry[] = [];
    for (const entry of await readdir(path, { withFileTypes: true })) {
      let kind: Pick<typeof entry, "isFile" | "isDirectory"> | undefined = entry;
      if (entry.isSymbolicLink()) {
        const target = [folder, entry.name].filter((part) => part !== "").join("/");
        kind = await pathInside(name, real, target).then(
          (inside) => stat(inside),
          () => undefined,
        );
      }
      if (kind?.isFile() || kind?.isDirectory()) {
        entries.push({ name: entry.name, kind: kind.isFile() ? "file" : "folder" });
      }
    }
    return entries;
  } catch (error) {
    throw fileError(error, path, "the directory cannot be listed");
  }
}

/** The path on disk, when it is in the tree with all links followed. */
async function pathInside(name: string, real: string, path: string): Promise<string> {
  const { join, relative, isAbsolute, sep } = nodeModule("node:path");
  const joined = join(name, ...namesOf(path));
  let target: string;
  try {
    target = relative(real, await nodeModule("node:fs/promises").realpath(joined));
  } catch (error) {
    throw fileError(error, joined, "the file cannot be opened");
  }
  if (target === ".." || target.startsWith(`..${sep}`) || isAbsolute(target)) {
    throw new CFileError("E_IO", "the file cannot be opened: it is a link out of the directory", {
      path: joined,
    });
  }
  return joined;
}
