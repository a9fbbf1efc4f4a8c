/** `--allow-root`: restricts where the sources of splits may be. */
import { realpath } from "node:fs/promises";
import { relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { CFileError } from "@cfile/bytes";

export class AllowedRoots {
  private readonly folders: readonly string[];
  private readonly urls: readonly string[];

  private constructor(folders: readonly string[], urls: readonly string[]) {
    this.folders = folders;
    this.urls = urls;
  }

  /**
   * @param roots directories, and prefixes of URLs
   * @throws {CFileError} `E_NOT_FOUND` for a directory that does not exist
   */
  static async of(roots: readonly string[]): Promise<AllowedRoots> {
    const folders: string[] = [];
    for (const root of roots.filter((candidate) => !isUrl(candidate))) {
      folders.push(await realPath(root));
    }
    const urls = roots.filter(isUrl).map((url) => `${url.replace(/\/+$/, "")}/`);
    return new AllowedRoots(folders, urls);
  }

  /**
   * Follows symbolic links.
   *
   * @throws {CFileError} `E_INVALID_ARGUMENT` for a path or URL outside all roots
   */
  async require(location: string): Promise<void> {
    const isInside = isUrl(location)
      ? this.urls.some((url) => isBelow(location, url))
      : await this.isInFolder(location);
    if (!isInside) {
      throw new CFileError(
        "E_INVALID_ARGUMENT",
        "the source is outside the allowed roots (see --allow-root)",
        {
          path: location,
          field: "path",
        },
      );
    }
  }

  private async isInFolder(location: string): Promise<boolean> {
    const isIn = (path: string): boolean =>
      this.folders.some((folder) => {
        const below = relative(folder, path);
        return below !== ".." && !below.startsWith(`..${sep}`) && resolve(folder, below) === path;
      });
    const path = resolve(/^file:/i.test(location) ? fileURLToPath(location) : location);
    try {
      return isIn(await realpath(path));
    } catch {
      // The error must not reveal whether a path outside the roots exists.
      return isIn(path);
    }
  }
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
