/** The files of `cfile serve`, by number: it never reads anything else. */
import { readdir, stat } from "node:fs/promises";
import { basename, join, resolve, sep } from "node:path";
import { CFileError } from "@cfile/bytes";

export interface ServedFile {
  /** Name, below the given directory. */
  readonly path: string;
  /** Path on disk. */
  readonly location: string;
}

const MAX_FILES = 200_000;

/**
 * The given files, and all files in given directories.
 *
 * @throws {CFileError} `E_NOT_FOUND`, `E_LIMIT` for too many files
 */
export async function servedFiles(given: readonly string[]): Promise<ServedFile[]> {
  const files: ServedFile[] = [];
  const taken = new Set<string>();
  for (const name of given) {
    const location = resolve(name);
    const shown = uniqueName(basename(location), taken);
    if (!(await isFolder(location, name))) {
      files.push({ path: shown, location });
      continue;
    }
    for (const entry of await readdir(location, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) {
        const file = join(entry.parentPath, entry.name);
        const below = file.slice(location.length + 1).split(sep);
        files.push({ path: [shown, ...below].join("/"), location: file });
      }
    }
    if (files.length > MAX_FILES) {
      const reason = `too many files (maximum ${MAX_FILES})`;
      throw new CFileError("E_LIMIT", reason, { path: name, field: "files" });
    }
  }
  return files;
}

/** Numbers equal names: `c.cfile`, `c.cfile (2)`. */
function uniqueName(name: string, taken: Set<string>): string {
  let unique = name;
  for (let i = 2; taken.has(unique); i++) {
    unique = `${name} (${i})`;
  }
  taken.add(unique);
  return unique;
}

async function isFolder(location: string, path: string): Promise<boolean> {
  const found = await stat(location).catch((cause: NodeJS.ErrnoException) => {
    const isMissing = cause.code === "ENOENT";
    throw isMissing ? new CFileError("E_NOT_FOUND", "no such file or directory", { path, cause }) : cause;
  });
  return found.isDirectory();
}
