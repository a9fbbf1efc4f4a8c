/** Finds partitions by listing folders: a partition has a `.hoodie_partition_metadata` file. */
import { CFileError } from "@cfile/bytes";
import { parseFileName } from "../slices/file-names.js";
import type { TableFiles } from "./table-files.js";

/** A partition and the names of its data files. */
export interface ListedPartition {
  readonly path: string;
  readonly names: readonly string[];
}

/** Properties file that marks a partition, optionally with extension `.parquet` or `.orc`. */
const MARK = /^\.hoodie_partition_metadata(\.(parquet|orc))?$/;
const MAX_DEPTH = 32;

/** All partitions, sorted by path. @throws {CFileError} `E_IO`; `E_LIMIT` for folders deeper than 32 levels */
export async function listPartitions(files: TableFiles): Promise<ListedPartition[]> {
  const found: ListedPartition[] = [];
  const visit = async (folder: string, depth: number): Promise<void> => {
    if (depth > MAX_DEPTH) {
      const details = { path: files.nameOf(folder), expected: MAX_DEPTH };
      throw new CFileError("E_LIMIT", `folders are nested deeper than ${MAX_DEPTH} levels`, details);
    }
    const entries = await files.list(folder);
    if (entries.some(({ name, kind }) => kind === "file" && MARK.test(name))) {
      const names = entries.filter(({ kind, name }) => kind === "file" && !name.endsWith(".crc"));
      found.push({
        path: folder,
        names: names.map(({ name }) => name).filter((name) => parseFileName(name) !== undefined),
      });
    }
    for (const { name, kind } of entries) {
      if (kind === "folder" && !name.startsWith(".")) {
        await visit(folder === "" ? name : `${folder}/${name}`, depth + 1);
      }
    }
  };
  await visit("", 0);
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}
