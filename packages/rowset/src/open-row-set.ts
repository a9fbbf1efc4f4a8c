/** Opening row sets: in a directory of ours, or by their files' roles. */
import { type ByteDirectory, fileDirectory } from "@cfile/io";
import type { RowSetFiles } from "./row-set-files.js";
import { type OpenRowSetOptions, RowSetHandle } from "./row-set-handle.js";
import type { RowSetOptions } from "./row-set-parts.js";
import { RowSetReader } from "./row-set-reader.js";
import { RowSetStore } from "./row-set-store.js";
import type { RowSetSchema } from "./schema.js";

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

async function openDirectory(
  directory: ByteDirectory | string | URL,
  options: OpenRowSetOptions,
): Promise<RowSetHandle> {
  const place =
    typeof directory === "string" || directory instanceof URL ? await fileDirectory(directory) : directory;
  const handle = new RowSetHandle(await RowSetStore.open(place), options);
  try {
    await handle.load();
  } catch (error) {
    await handle.close();
    throw error;
  }
  return handle;
}
