/**
 * The files `tablet-meta/TABLET` and `consensus-meta/TABLET` of a server (docs/spec/kudu-data-dir.md#7-superblock): protobuf container
 * files with one record.
 */
import { CFileError, isCFileError } from "@cfile/bytes";
import { isContainerFile, type MetadataFile, onlyRecord } from "../blocks/container-file.js";
import { type FilePlace, type FilePool, placeName } from "../blocks/file-pool.js";
import { withPath } from "../blocks/problems.js";
import { joined, type ServerRoots } from "../catalog/server-roots.js";

/** The location of a tablet superblock. */
export interface TabletPlace extends FilePlace {
  readonly id: string;
}

/** Folders with a file for each tablet. */
export type MetadataFolder = "tablet-meta" | "consensus-meta";

const TABLET_ID = /^[0-9a-f]{32}$/;
const MAX_FILE_BYTES = 256 * 1024 * 1024;

export class MetadataFiles {
  private readonly folders: Readonly<Record<MetadataFolder, readonly FilePlace[]>>;
  private readonly pool: FilePool;

  constructor({ metadataFolders, consensusFolders }: ServerRoots, pool: FilePool) {
    this.folders = { "tablet-meta": metadataFolders, "consensus-meta": consensusFolders };
    this.pool = pool;
  }

  /**
   * The superblocks of all tablets.
   *
   * @throws {CFileError} `E_IO` if a folder cannot be read
   */
  async superblocks(): Promise<readonly TabletPlace[]> {
    const found = new Map<string, TabletPlace>();
    for (const { tree, path } of this.folders["tablet-meta"]) {
      for (const { name, kind } of await tree.list(path)) {
        if (kind === "file" && TABLET_ID.test(name) && !found.has(name)) {
          found.set(name, { id: name, tree, path: joined(path, name) });
        }
      }
    }
    return [...found.values()];
  }

  /**
   * The file of a tablet; `undefined` if it is missing.
   *
   * @throws {CFileError} if the file is damaged
   */
  async file(folder: MetadataFolder, tablet: string): Promise<MetadataFile | undefined> {
    for (const { tree, path } of this.folders[folder]) {
      try {
        return await this.read({ tree, path: joined(path, tablet) });
      } catch (error) {
        if (!isCFileError(error, "E_NOT_FOUND")) {
          throw error;
        }
      }
    }
    return undefined;
  }

  /**
   * Reads a file.
   *
   * @throws {CFileError} `E_NOT_FOUND`; `E_LIMIT` for more than 256 MiB; `E_UNSUPPORTED` without the server's key; if the file is damaged
   */
  read(place: FilePlace): Promise<MetadataFile> {
    const path = placeName(place);
    return withPath(path, async () => {
      const { bytes, start } = await this.pool.readWhole(place, "metadata file", MAX_FILE_BYTES);
      if (start > 0 && !isContainerFile(bytes, start)) {
        const reason =
          "the file is encrypted with another key; pass the server key of the key management service";
        throw new CFileError("E_UNSUPPORTED", reason, { field: "server_key" });
      }
      return onlyRecord(bytes, path, start);
    });
  }
}
