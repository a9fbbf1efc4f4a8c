/** Queries the Bloom filters of one file of a root directory. */
import { invalidArgument } from "@cfile/bytes";
import type { FileTree, ReadOptions } from "@cfile/io";
import { rowColumnKey } from "../bloom/bloom-key.js";
import { type BloomType, fileFacts } from "../files/file-facts.js";
import { isMobFileName, parseStoreFileName } from "../files/file-name.js";
import { candidatePaths, firstPresent } from "../files/file-places.js";
import { bloomsOf, type FileBlooms, openTreeHFile, type StoreMemory } from "../files/store-file.js";
import type { TableName } from "../root/table-name.js";

/** The Bloom filters of a store file. */
export interface FileBloomFilters {
  /** Kind of the filter's keys; `"NONE"` without a filter. */
  readonly type: BloomType;
  /** Number of keys in the filter. */
  readonly keys: number;
  /**
   * Whether the file may have cells of a row, or of one of its columns. `false` is certain. The filter alone answers: the file's first
   * and last keys are not compared.
   */
  mayContain(row: Uint8Array, qualifier?: Uint8Array, options?: ReadOptions): Promise<boolean>;
  /** Whether the file may have a marker that deletes a family of the row, or a version of it. */
  mayDeleteFamily(row: Uint8Array, options?: ReadOptions): Promise<boolean>;
  /** Closes the file. */
  close(): Promise<void>;
}

/** `…/NAMESPACE/TABLE/REGION/FAMILY/FILE`. */
const FILE_PATH = /(?:^|\/)data\/([^/]+)\/([^/]+)\/([^/]+)\/([^/]+)\/([^/]+)$/;

/**
 * Opens the Bloom filters of a file, following links and references.
 * @param path path of the file below the root directory
 * @throws {CFileError} `E_NOT_FOUND`, `E_BLOCK_MISSING` for a missing file; `E_INVALID_ARGUMENT` for a path that does not name a store file
 */
export async function openBlooms(
  tree: FileTree,
  path: string,
  memory: StoreMemory,
): Promise<FileBloomFilters> {
  const [, namespace = "", table = "", region = "", family = "", name = ""] = FILE_PATH.exec(path) ?? [];
  if (name === "") {
    throw invalidArgument(
      `invalid path of a store file: ${JSON.stringify(path)} (expected data/NAMESPACE/TABLE/REGION/FAMILY/FILE)`,
      { field: "file" },
    );
  }
  const behind = pathsBehind(name, { namespace, table }, region, family);
  const open = (one: string) => openTreeHFile(tree, one, memory);
  const hfile = await (behind.length === 0 ? open(path) : firstPresent(tree, behind, open));
  const facts = fileFacts(hfile.fileInfo);
  const { general, deleteFamily }: FileBlooms = bloomsOf(hfile, facts, memory);
  return {
    type: facts.bloomType,
    keys: general?.meta.keys ?? 0,
    mayContain: async (row, qualifier, options) => {
      if (general === undefined || (facts.bloomType === "ROWCOL" && qualifier === undefined)) {
        return true;
      }
      const key =
        facts.bloomType === "ROWCOL" && qualifier !== undefined
          ? rowColumnKey(row, qualifier)
          : facts.bloomType === "ROWPREFIX_FIXED_LENGTH"
            ? row.subarray(0, facts.bloomPrefixLength)
            : row;
      return general.mayContain(key, options);
    },
    mayDeleteFamily: async (row, options) => {
      if (deleteFamily === undefined) {
        return facts.deleteFamilyCount !== 0;
      }
      return deleteFamily.mayContain(row, options);
    },
    close: () => hfile.close(),
  };
}

/** Paths at which the HFile of a link or reference may be; empty for an HFile. */
function pathsBehind(name: string, table: TableName, region: string, family: string): readonly string[] {
  if (isMobFileName(name)) {
    return [];
  }
  const { kind, place } = parseStoreFileName(name, table, region);
  return kind === "hfile" ? [] : candidatePaths(place, family);
}
