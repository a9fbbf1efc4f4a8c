/** The files that `cfile serve` was given, by number: nothing else is ever read. */
import { readdir, stat } from "node:fs/promises";
import { basename, join, resolve, sep } from "node:path";
import { CFileError } from "@cfile/bytes";

export interface ServedFile {
  /** Name, with the folders from the given one on in front. */
  readonly path: string;
  /** Where it is on the disk. */
  readonly location: string;
}

/** Files of a folder that are listed at most. */
const MOST_FILES = 200_000;

/**
 * Every file that is given, and every file in a folder that is.
 *
 * @throws CFileError `E_NOT_FOUND`, `E_LIMIT` for a folder of too many files; the system's own errors
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
    if (files.length > MOST_FILES) {
      throw new CFileError("E_LIMIT", `more than ${MOST_FILES} files`, { path: name, field: "files" });
    }
  }
  return files;
}

/** Files and folders of the same name stay apart: `c.cfile`, `c.cfile (2)`. */
function uniqueName(name: string, taken: Set<string>): string {
  let unique = name;
  for (let i = 2; taken.has(unique); i++) {
    unique = `${name} (${i})`;
  }
  taken.add(unique);
  return unique;
}

async function isFolder(location: string, name: string): Promise<boolean> {
  try {
    return (await stat(location)).isDirectory();
  } catch (error) {
    throw error instanceof Error && "code" in error && error.code === "ENOENT"
      ? new CFileError("E_NOT_FOUND", "there is no such file or directory", { path: name, cause: error })
      : error;
  }
}
