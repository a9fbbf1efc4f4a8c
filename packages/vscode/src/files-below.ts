/** All files of a folder: of any file system of the editor, and of a web server that lists its folders. */
import { CFileError } from "@cfile/bytes";
import type { FileTree } from "@cfile/io";
import type { NamedFile } from "./open-files.js";

/** Includes folders, because a listing may lead back to itself. */
const MAX_ENTRIES = 200_000;

/**
 * @param name the folder's name, with which the paths start
 * @throws {CFileError} `E_LIMIT` for more than `maxEntries` files and folders, and as `tree.list`
 */
export async function filesBelow(
  tree: FileTree,
  name: string,
  maxEntries = MAX_ENTRIES,
): Promise<NamedFile[]> {
  const found: NamedFile[] = [];
  let entries = 0;
  const list = async (folder: string): Promise<void> => {
    for (const entry of await tree.list(folder)) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (++entries > maxEntries) {
        throw new CFileError("E_LIMIT", `too many files in the folder (maximum ${maxEntries})`, {
          path: tree.name,
        });
      }
      if (entry.kind === "folder") {
        await list(path);
      } else {
        found.push({ path: `${name}/${path}`, open: () => tree.openSource(path) });
      }
    }
  };
  await list("");
  return found;
}
