/** The file of a tablet's superblock, split so that it can be rewritten with more row sets. */
import { CFileError, isCFileError } from "@cfile/bytes";
import { readExactly, sizeOf } from "@cfile/io";
import { parseContainerFile } from "../blocks/container-file.js";
import { placeName } from "../blocks/file-pool.js";
import type { KuduDir } from "../read/kudu-dir.js";

export interface SuperblockFile {
  /** Full path of its folder. */
  readonly folder: string;
  /** The bytes before the message. */
  readonly header: Uint8Array;
  readonly description: Uint8Array;
  readonly record: Uint8Array;
}

/** @throws {CFileError} `E_NOT_FOUND` without a file; `E_UNSUPPORTED` for a container that is not version 2 or has no record */
export async function superblockFile(dir: KuduDir, tabletId: string): Promise<SuperblockFile> {
  for (const { tree, path } of dir.roots.metadataFolders) {
    try {
      const source = await tree.openSource(`${path}/${tabletId}`);
      const bytes = await readExactly(source, 0, await sizeOf(source));
      await source.close?.();
      const { version, records, offsets } = parseContainerFile(bytes, tabletId);
      const [record] = records;
      const [start] = offsets;
      if (record === undefined || start === undefined || version !== 2) {
        const reason = `cannot rewrite the superblock file (container version ${version})`;
        throw new CFileError("E_UNSUPPORTED", reason, { path: tabletId });
      }
      const header = bytes.slice(0, start);
      const description = header.subarray(24, header.length - 4);
      return { folder: placeName({ tree, path }), header, description, record };
    } catch (error) {
      if (!isCFileError(error, "E_NOT_FOUND")) {
        throw error;
      }
    }
  }
  throw new CFileError("E_NOT_FOUND", `tablet ${tabletId} has no superblock`, { path: tabletId });
}
