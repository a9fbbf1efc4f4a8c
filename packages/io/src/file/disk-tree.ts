/** The folders and files below a folder on disk, in Node, Deno and Bun. */
import { CFileError, isCFileError } from "@cfile/bytes";
import { type FileTree, namesOf, type TreeEntry } from "../directory/file-tree.js";
import type { ByteSource } from "../source/byte-source.js";
import { type FileSourceOptions, openFile } from "./file-source.js";
import { attempt, nodeFiles, nodeModule, pathOf, requireFolder, systemCode } from "./node-files.js";
import { SystemCalls } from "./system-calls.js";

/**
 * The tree at a path or `file:` URL. Links are followed if they stay inside the folder.
 *
 * @param options for listing its folders, and for opening and reading its files
 * @throws {CFileError} `E_NOT_FOUND`: no such folder; `E_IO`: not a folder, or it cannot be read; `E_UNSUPPORTED`: no file
 *   system here
 */
export async function diskTree(location: string | URL, options: FileSourceOptions = {}): Promise<FileTree> {
  const name = pathOf(location);
  const { realpath, stat } = nodeFiles();
  const real = await attempt("cannot open the directory", name, async () => {
    await requireFolder(name);
    return realpath(name);
  });
  const inside = new PathsInside(name, real, new SystemCalls(options.blocking ?? false));
  return {
    name,
    list: (folder) => listFolder(inside, folder),
    openSource: (path) => openInside(inside, path),
    modified: async (path) => (await stat(await inside.path(path))).mtimeMs,
  };
}

async function listFolder(inside: PathsInside, folder: string): Promise<TreeEntry[]> {
  const path = await inside.folder(folder);
  const { readdir, readdirSync } = nodeModule("node:fs");
  return attempt("cannot list the directory", path, async () => {
    const entries: TreeEntry[] = [];
    const found = await inside.calls.call(
      () => readdirSync(path, { withFileTypes: true }),
      (done) => readdir(path, { withFileTypes: true }, done),
    );
    for (const entry of found) {
      let kind: Pick<typeof entry, "isFile" | "isDirectory"> | undefined = entry;
      if (entry.isSymbolicLink()) {
        const target = folder === "" ? entry.name : `${folder}/${entry.name}`;
        kind = await inside.path(target).then(
          (linked) => nodeFiles().stat(linked),
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

/** A file is inside if its folder is inside and it is not a link. Folders are checked only once, since they can have many files. */
async function openInside(inside: PathsInside, path: string): Promise<ByteSource> {
  const { O_NOFOLLOW } = nodeFiles().constants;
  const names = namesOf(path);
  const parent = names.slice(0, -1).join("/");
  const folder = await inside.folder(parent).catch(() => undefined);
  if (folder !== undefined && O_NOFOLLOW !== undefined) {
    const { join } = nodeModule("node:path");
    try {
      return await openFile(join(folder, ...names.slice(-1)), O_NOFOLLOW, inside.calls);
    } catch (error) {
      if (!isCFileError(error) || systemCode(error.cause) !== "ELOOP") {
        throw error;
      }
    }
  }
  return openFile(await inside.path(path), 0, inside.calls);
}

/** Paths below a folder that do not lead out of it once all links are followed. */
class PathsInside {
  readonly calls: SystemCalls;
  private readonly name: string;
  private readonly real: string;
  private readonly folders = new Map<string, Promise<string>>();

  /** @param real the path of the folder without links */
  constructor(name: string, real: string, calls: SystemCalls) {
    this.name = name;
    this.real = real;
    this.calls = calls;
  }

  /** The path on disk of a folder; its links are followed only the first time. */
  folder(path: string): Promise<string> {
    const known = this.folders.get(path);
    if (known !== undefined) {
      return known;
    }
    const found = this.path(path);
    this.folders.set(path, found);
    found.catch(() => this.folders.delete(path));
    return found;
  }

  /** The path on disk; throws if it leads out. */
  async path(path: string): Promise<string> {
    const { join, relative, isAbsolute, sep } = nodeModule("node:path");
    const joined = join(this.name, ...namesOf(path));
    const { realpath, realpathSync } = nodeModule("node:fs");
    const real = await attempt("cannot open the file", joined, async () =>
      this.calls.call(
        () => realpathSync.native(joined),
        (done) => realpath.native(joined, done),
      ),
    );
    const target = relative(this.real, real);
    if (target === ".." || target.startsWith(`..${sep}`) || isAbsolute(target)) {
      throw new CFileError("E_IO", "cannot open the file: a link leads out of the directory", {
        path: joined,
      });
    }
    return joined;
  }
}
