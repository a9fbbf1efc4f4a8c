/** Opens table stores: directories with a manifest. */
import { isCFileError } from "@cfile/bytes";
import type { ByteDirectory } from "@cfile/io";
import { fileDirectory } from "@cfile/io/file";
import type { Manifest } from "./manifest.js";
import { type OpenTableStoreOptions, TableStore } from "./table-store.js";
import { TableStoreFiles } from "./table-store-files.js";

/**
 * Reads the manifest of a table store, without opening its files.
 *
 * @throws {CFileError} `E_NOT_FOUND` without a manifest; `E_CORRUPT` naming the field; `E_UNSUPPORTED` for another version
 */
export async function readManifest(directory: ByteDirectory): Promise<Manifest> {
  return (await TableStoreFiles.open(directory)).manifest;
}

/** Maximum number of attempts to open a table store that is being changed. */
const ATTEMPTS = 10;

/**
 * Opens the table store in a directory. Opening changes nothing.
 *
 * @param directory a path or any `ByteDirectory`
 * @throws {CFileError} `E_NOT_FOUND`: no table store here; `E_BLOCK_MISSING`: a file is missing; `E_CORRUPT` naming file and field:
 *   the manifest or a file is damaged; `E_UNSUPPORTED`: another version
 */
export async function openTableStore(
  directory: ByteDirectory | string | URL,
  options: OpenTableStoreOptions = {},
): Promise<TableStore> {
  const opened =
    typeof directory === "string" || directory instanceof URL ? await fileDirectory(directory) : directory;
  for (let attempt = 1; ; attempt++) {
    const files = await TableStoreFiles.open(opened);
    const store = new TableStore(files, options);
    try {
      await files.requireFiles();
      await store.load();
      return store;
    } catch (error) {
      await store.close();
      // A compaction has just replaced the files: try again with the new manifest.
      if (!(isCFileError(error) && attempt < ATTEMPTS && (await files.isOutdated()))) {
        throw error;
      }
    }
  }
}
