/**
 * Where an HFile may be (docs/spec/hbase-table.md#42-hfilelink): in its table, or in the archive once the table no longer needs it but a
 * snapshot or a link does.
 */
import { CFileError, isCFileError } from "@cfile/bytes";
import type { FileTree } from "@cfile/io";
import { tablePath } from "../root/table-name.js";
import type { HFilePlace } from "./file-name.js";

/** Folders with the layout of `data`, most likely first: a file in several of them has the same content. */
const ROOTS = ["data", "archive/data", "mobdir/data", ".tmp/data"];
/** The same for MOB files. */
const MOB_ROOTS = ["mobdir/data", "archive/data"];

/** Paths at which the HFile may be, in the order of search. */
export function candidatePaths(place: HFilePlace, family: string): readonly string[] {
  return pathsBelow(ROOTS, place, family);
}

/** {@link candidatePaths} of a MOB file. */
export function mobCandidatePaths(place: HFilePlace, family: string): readonly string[] {
  return pathsBelow(MOB_ROOTS, place, family);
}

function pathsBelow(
  roots: readonly string[],
  { table, region, hfile }: HFilePlace,
  family: string,
): string[] {
  return roots.map((root) => `${root}/${tablePath(table)}/${region}/${family}/${hfile}`);
}

/**
 * The result of `open` for the first path with a file.
 * @throws {CFileError} `E_BLOCK_MISSING` when no path has one; what `open` throws for other reasons
 */
export async function firstPresent<T>(
  tree: FileTree,
  paths: readonly string[],
  open: (path: string) => Promise<T>,
): Promise<T> {
  for (const path of paths) {
    try {
      return await open(path);
    } catch (error) {
      if (!isCFileError(error, "E_NOT_FOUND")) {
        throw error;
      }
    }
  }
  const details = { path: `${tree.name}/${paths[0]}`, field: "store file" };
  const reason = `the file is neither in its table nor in the archive (searched ${paths.length} folders)`;
  throw new CFileError("E_BLOCK_MISSING", reason, details);
}
