/** Opens tables. */
import type { FileTree } from "@cfile/io";
import { HudiTable } from "./hudi-table.js";
import { TableFiles } from "./table-files.js";

/** A path or `file:` URL of a folder, an `http:` URL, or a tree of files. */
export type HudiTableInput = string | URL | FileTree;

/**
 * Opens a table: reads its properties, lists its timeline, and opens its metadata table.
 *
 * @throws {CFileError} `E_NOT_FOUND` when there is no table; `E_UNSUPPORTED` for table versions other than 6, 8 and 9; `E_CORRUPT`,
 *   `E_TRUNCATED`, `E_LIMIT` for damage; `E_IO` from the source
 *
 * @example
 * ```js
 * import { openHudiTable } from "@cfile/hudi";
 *
 * const table = await openHudiTable("my-table");
 * ```
 */
export async function openHudiTable(input: HudiTableInput): Promise<HudiTable> {
  return HudiTable.open(new TableFiles(await treeOf(input)));
}

async function treeOf(input: HudiTableInput): Promise<FileTree> {
  if (typeof input === "object" && "openSource" in input) {
    return input;
  }
  const { diskTree } = await import("@cfile/io/file");
  return diskTree(input);
}
