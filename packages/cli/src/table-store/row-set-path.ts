/** Telling row sets from files: a row set is a folder, named by its path or by that of the `rowset.json` in it. */
import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";

const MANIFEST = "rowset.json";

/** The folder of the row set that a path stands for; `undefined` for the paths and URLs of files. */
export async function rowSetFolder(path: string): Promise<string | undefined> {
  if (basename(path) === MANIFEST) {
    return dirname(path);
  }
  try {
    return (await stat(path)).isDirectory() ? path : undefined;
  } catch {
    // What is not there, or is a URL, is for the opening of files to tell.
    return undefined;
  }
}

/** The folder that a path stands for where a row set is expected: its own, whatever there is. */
export async function requiredRowSetFolder(path: string): Promise<string> {
  return (await rowSetFolder(path)) ?? path;
}

/** Whether a path is that of a file that names those of row sets, going by its name. */
export function isRolesFile(path: string): boolean {
  return path.endsWith(".json") && basename(path) !== MANIFEST;
}
