/** Which paths are tables: a directory, the `rowset.json` in it, or a `.json` file that lists the files of DiskRowSets. */
import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";

const MANIFEST = "rowset.json";

/** The directory that a path names, directly or by its `rowset.json`; `undefined` for files and URLs. */
export async function directoryAt(path: string): Promise<string | undefined> {
  if (basename(path) === MANIFEST) {
    return dirname(path);
  }
  try {
    return (await stat(path)).isDirectory() ? path : undefined;
  } catch {
    // A missing file, or a URL: opening it reports the error.
    return undefined;
  }
}

/** The directory that a path names where a table store is expected, whether it exists or not. */
export async function tableFolder(path: string): Promise<string> {
  return (await directoryAt(path)) ?? path;
}

/** Whether a file with this name lists the files of DiskRowSets. */
export function isRolesFile(path: string): boolean {
  return path.endsWith(".json") && basename(path) !== MANIFEST;
}
