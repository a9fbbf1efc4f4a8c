/** The folders and files below a folder on disk, in Node, Deno and Bun. */
import { CFileError } from "@cfile/bytes";
import { type FileTree, namesOf, type TreeEntry } from "../directory/file-tree.js";
import { fileSource } from "./file-source.js";
import { attempt, nodeFiles, nodeModule, pathOf, requireFolder } from "./node-files.js";

/**
 * The tree at a path or `file:` URL. Links are followed if they stay inside the folder.
 *
 * @throws {CFileError} `E_NOT_FOUND`: no such folder; `E_IO`: not a folder, or it cannot be read; `E_UNSUPPORTED`: no file
 *   system here
 */
export async function diskTree(location: string | URL): Promise<FileTree> {
  const name = pathOf(location);
  const { realpath, stat } = nodeFiles();
  const real = await attempt("cannot open the directory", name, async () => {
    await requireFolder(name);
    return realpath(name);
  });
  return {
    name,
    list: (folder) => listFolder(name, real, folder),
    openSource: async (path) => fileSource(await pathInside(name, real, path)),
    modified: async (path) => (await stat(await pathInside(name, real, path))).mtimeMs,
  };
}

async function listFolder(name: string, real: string, folder: string): Promise<TreeEntry[]> {
  const path = await pathInside(name, real, folder);
  const { readdir, stat } = nodeFiles();
  return attempt("cannot list the directory", path, async () => {
    const entries: TreeEntry[] = [];
    for (const entry of await readdir(path, { withFileTypes: true })) {
      let kind: Pick<typeof entry, "isFile" | "isDirectory"> | undefined = entry;
      if (entry.isSymbolicLink()) {
        const target = folder === "" ? entry.name : `${folder}/${entry.name}`;
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
  });
}

/** The path on disk; throws if it leads out of the tree once all links are followed. */
async function pathInside(name: string, real: string, path: string): Promise<string> {
  const { join, relative, isAbsolute, sep } = nodeModule("node:path");
  const joined = join(name, ...namesOf(path));
  const target = relative(
    real,
    await attempt("cannot open the file", joined, () => nodeFiles().realpath(joined)),
  );
  if (target === ".." || target.startsWith(`..${sep}`) || isAbsolute(target)) {
    throw new CFileError("E_IO", "cannot open the file: a link leads out of the directory", { path: joined });
  }
  return joined;
}
