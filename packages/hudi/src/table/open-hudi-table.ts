/** Opens tables. */
import type { FileTree } from "@cfile/io";
import type { HttpSourceOptions } from "@cfile/io/http";
import { HudiTable } from "./hudi-table.js";
import { TableFiles } from "./table-files.js";

/** Bytes at the end of a file that the first request fetches: the whole file for most commits, log files, and HFiles of metadata tables. */
const TAIL_BYTES = 128 * 1024;

/** A path or `file:` URL of a folder, a tree of files, or the `http:` URL of a folder on a server that lists folders. */
export type HudiTableInput = string | URL | FileTree;

/** How a table is opened. */
export interface HudiOpenOptions {
  /** How files on web servers are requested. Default of `tailBytes`: 128 KiB. */
  readonly http?: HttpSourceOptions | undefined;
}

/**
 * Opens a table: reads its properties and lists its timeline.
 *
 * @throws {CFileError} `E_NOT_FOUND` when there is no table; `E_UNSUPPORTED` for table versions other than 6, 8 and 9; `E_CORRUPT`,
 *   `E_TRUNCATED`, `E_LIMIT` for damage; `E_IO` from the source
 */
export async function openHudiTable(
  input: HudiTableInput,
  { http }: HudiOpenOptions = {},
): Promise<HudiTable> {
  return HudiTable.open(new TableFiles(await treeOf(input, http)));
}

async function treeOf(input: HudiTableInput, http: HttpSourceOptions | undefined): Promise<FileTree> {
  if (typeof input === "object" && "openSource" in input) {
    return input;
  }
  if (/^https?:/i.test(String(input))) {
    const { httpTree } = await import("@cfile/io/http");
    return httpTree(input, { tailBytes: TAIL_BYTES, ...http });
  }
  const { diskTree } = await import("@cfile/io/file");
  return diskTree(input);
}
