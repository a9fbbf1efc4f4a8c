/** Opening a table store: a directory with a manifest. */
import { isCFileError } from "@cfile/bytes";
import type { ByteDirectory } from "@cfile/io";
import { fileDirectory } from "@cfile/io/file";
import type { Manifest } from "./manifest.js";
import { type OpenTableStoreOptions, TableStore } from "./table-store.js";
import { TableStoreFiles } from "./table-store-files.js";

/**
 * Reads a directory's manifest; opens none of the files.
 *
 * @throws CFileError as {@link openTableStore}, but for the files
 */
export async function readManifest(directory: ByteDirectory): Promise<Manifest> {
  return (await TableStoreFiles.open(directory)).manifest;
}

/** Attempts to open a table store that is changed meanwhile. */
const ATTEMPTS = 10;

/**
 * Opens the table store in a directory. Nothing is changed before the first write.
 *
 * @param directory a path or any `ByteDirectory`
 * @throws {CFileError} `E_NOT_FOUND`: no table store here, or a file that it names is missing; `E_CORRUPT` naming file and field:
 *   the manifest or a file is damaged; `E_UNSUPPORTED`: another version
 */
export async function openTableStore(
  directory: ByteDirectory | string | URL,
  options: OpenTableStoreOptions = {},
): Promise<TableStore> {
  const place =
    typeof directory === "string" || directory instanceof URL ? await fileDirectory(directory) : directory;
  for (let attempt = 1; ; attempt++) {
    const store = await TableStoreFiles.open(place);
    try {
      return await openStored(store, options);
    } catch (error) {
      // Files that somebody has just replaced are no longer there.
      const isOutdated = isCFileError(error) && attempt < ATTEMPTS && (await store.isOutdated());
      if (!isOutdated) {
        throw error;
      }
    }
  }
}

async function openStored(store: TableStoreFiles, options: OpenTableStoreOptions): Promise<TableStore> {
  await store.requireFiles();
  const handle = new TableStore(store, options);
  try {
    await handle.load();
  } catch (error) {
    await handle.close();
    throw error;
  }
  return handle;
}
