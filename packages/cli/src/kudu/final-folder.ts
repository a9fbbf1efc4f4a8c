/** A new folder that appears under its name only when it is complete. */
import { mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { CFileError } from "@cfile/bytes";

/**
 * Writes to a temporary folder next to the final one, then renames it. A failure leaves nothing behind.
 *
 * @throws {CFileError} `E_IO` if the final one exists and is not empty
 */
export async function inFinalFolder<T>(path: string, write: (folder: string) => Promise<T>): Promise<T> {
  const final = resolve(path);
  const present = await readdir(final).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") {
      return [];
    }
    throw error;
  });
  if (present.length > 0) {
    throw new CFileError("E_IO", "the directory is not empty", { path });
  }
  const folder = await mkdtemp(join(dirname(final), `.cfile-${basename(final)}-`));
  try {
    const result = await write(folder);
    await rename(folder, final);
    return result;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}
