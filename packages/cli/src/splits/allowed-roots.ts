/** `--allow-root`: restricts where the sources of splits may be. */
import { realpath } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { CFileError } from "@cfile/bytes";

/** @throws {CFileError} `E_INVALID_ARGUMENT` for a path or URL outside all roots; follows symbolic links */
export type RequireAllowed = (location: string) => Promise<void>;

/**
 * @param roots directories, and prefixes of URLs
 * @throws {CFileError} `E_NOT_FOUND` for a directory that does not exist
 */
export async function allowedRoots(roots: readonly string[]): Promise<RequireAllowed> {
  const urls = roots.filter(isUrl).map((url) => `${url.replace(/\/+$/, "")}/`);
  const folders = await Promise.all(roots.filter((root) => !isUrl(root)).map(realPath));
  const isIn = (path: string): boolean =>
    folders.some((folder) => {
      const below = relative(folder, path);
      return below !== ".." && !below.startsWith(`..${sep}`) && resolve(folder, below) === path;
    });
  return async (location) => {
    const isInside = isUrl(location)
      ? urls.some((url) => isBelow(location, url))
      : isIn(await resolvedPath(location));
    if (!isInside) {
      const reason = "the source is outside the allowed roots (see --allow-root)";
      throw new CFileError("E_INVALID_ARGUMENT", reason, { path: location, field: "path" });
    }
  };
}

async function resolvedPath(location: string): Promise<string> {
  const path = resolve(/^file:/i.test(location) ? fileURLToPath(location) : location);
  // The error must not reveal whether a path outside the roots exists.
  return realpath(path).catch(() => path);
}

/** Includes `blob:` and `data:` URLs. */
function isUrl(location: string): boolean {
  return /^(?!file:)[a-z][a-z\d+.-]+:/i.test(location);
}

/** `https://host/a/../b` is not below `https://host/a/`. */
function isBelow(location: string, url: string): boolean {
  const normal = URL.canParse(location) ? new URL(location).href : location;
  return location.startsWith(url) && normal.startsWith(url);
}

async function realPath(root: string): Promise<string> {
  try {
    return await realpath(root);
  } catch (error) {
    throw new CFileError("E_NOT_FOUND", "no such directory", { path: root, cause: error });
  }
}
