/** Opening row sets: in a directory of ours, or by their files' roles. */
import { isCFileError } from "@cfile/bytes";
import type { ByteDirectory } from "@cfile/io";
import { fileDirectory } from "@cfile/io/file";

import type { RowSetSchema } from "../schema/schema.js";
import type { Manifest } from "../store/manifest.js";
import { type OpenRowSetOptions, RowSetHandle } from "../store/row-set-handle.js";
import { RowSetStore } from "../store/row-set-store.js";
import type { RowSetFiles } from "./row-set-files.js";
import type { RowSetOptions } from "./row-set-parts.js";
import { RowSetReader } from "./row-set-reader.js";

/**
 * Opens the row set in a directory. Nothing is changed before the first write.
 *
 * @param directory a path or any `ByteDirectory`
 * @throws CFileError `E_NOT_FOUND` without a row set, or without a file that it names; `E_CORRUPT` naming file and field: a manifest
 *   or file that is none; `E_UNSUPPORTED`: another version
 */
export function openRowSet(
  directory: ByteDirectory | string | URL,
  options?: OpenRowSetOptions,
): Promise<RowSetHandle>;
/**
 * Opens one row set whose files are given by role, as those of a Kudu server: to be read, not to be changed.
 *
 * @throws CFileError as `RowSetReader.open`
 */
export function openRowSet(
  files: RowSetFiles,
  schema: RowSetSchema,
  options?: RowSetOptions,
): Promise<RowSetReader>;
export function openRowSet(
  place: ByteDirectory | string | URL | RowSetFiles,
  schemaOrOptions: RowSetSchema | OpenRowSetOptions = {},
  options: RowSetOptions = {},
): Promise<RowSetHandle | RowSetReader> {
  if (typeof place === "object" && "undo" in place) {
    return RowSetReader.open(place, schemaOrOptions as RowSetSchema, options);
  }
  return openDirectory(place, schemaOrOptions as OpenRowSetOptions);
}

/**
 * What a directory's manifest says; none of the files is opened.
 *
 * @throws CFileError as {@link openRowSet}, but for the files
 */
export async function readManifest(directory: ByteDirectory): Promise<Manifest> {
  return (await RowSetStore.open(directory)).manifest;
}

/** How often a row set is opened anew that is changed meanwhile. */
const ATTEMPTS = 10;

async function openDirectory(
  directory: ByteDirectory | string | URL,
  options: OpenRowSetOptions,
): Promise<RowSetHandle> {
  const place =
    typeof directory === "string" || directory instanceof URL ? await fileDirectory(directory) : directory;
  for (let attempt = 1; ; attempt++) {
    const store = await RowSetStore.open(place);
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

async function openStored(store: RowSetStore, options: OpenRowSetOptions): Promise<RowSetHandle> {
  await store.requireFiles();
  const handle = new RowSetHandle(store, options);
  try {
    await handle.load();
  } catch (error) {
    await handle.close();
    throw error;
  }
  return handle;
}
