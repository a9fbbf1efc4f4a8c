/** The file of a tablet's superblock, to be written again with more in it. */
import { CFileError, isCFileError } from "@cfile/bytes";
import { readExactly, sizeOf } from "@cfile/io";
import { parseContainerFile } from "../blocks/container-file.js";
import { placeName } from "../blocks/file-pool.js";
import type { KuduDir } from "../read/kudu-dir.js";
import type { KuduTablet } from "../read/kudu-tablet.js";

export interface SuperblockFile {
  /** The whole path of the folder it is in. */
  readonly folder: string;
  /** What stands before the message. */
  readonly header: Uint8Array;
  readonly description: Uint8Array;
  readonly record: Uint8Array;
}

export async function superblockFile(dir: KuduDir, tablet: KuduTablet): Promise<SuperblockFile> {
  for (const { tree, path } of dir.roots.metadataFolders) {
    try {
      const source = await tree.openSource(`${path}/${tablet.id}`);
      const bytes = await readExactly(source, 0, await sizeOf(source));
      await source.close?.();
      const { version, records, offsets } = parseContainerFile(bytes, tablet.id);
      const [record] = records;
      const [start] = offsets;
      if (record === undefined || start === undefined || version !== 2) {
        throw new CFileError("E_UNSUPPORTED", "a superblock file that cannot be written again", {
          path: tablet.id,
        });
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
  throw new CFileError("E_NOT_FOUND", `tablet ${tablet.id} has no superblock`, { path: tablet.id });
}
