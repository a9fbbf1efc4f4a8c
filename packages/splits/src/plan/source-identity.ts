/** What tells a source from another of the same name: its size, and its ETag or modification time. */
import { CFileError } from "@cfile/bytes";
import { type ByteSource, type ReadOptions, sizeOf } from "@cfile/io";

import type { SplitFile } from "../lines/split.js";

/** Opens a path or URL. */
export type OpenLocation = (location: string) => Promise<ByteSource>;

/** The source as it is now. */
export async function identityOf(
  path: string,
  source: ByteSource,
  options: ReadOptions = {},
): Promise<SplitFile> {
  return { path, size: await sizeOf(source, options), version: await source.version?.(options) };
}

/**
 * Opens a source that was to be there.
 *
 * @throws CFileError `E_SOURCE_CHANGED` when it is another one now; as opening it does
 */
export async function openUnchanged(
  { path, size, version }: SplitFile,
  open: OpenLocation,
  options: ReadOptions = {},
): Promise<ByteSource> {
  const source = await open(path);
  try {
    const now = await identityOf(path, source, options);
    if (now.size !== size) {
      throw changed(path, "file size", size, now.size);
    }
    if (now.version !== version) {
      throw changed(path, "version", version ?? "none", now.version ?? "none");
    }
    return source;
  } catch (error) {
    await source.close?.();
    throw error;
  }
}

function changed(
  path: string,
  field: string,
  expected: number | string,
  actual: number | string,
): CFileError {
  return new CFileError("E_SOURCE_CHANGED", "the source is another one than when the split was made", {
    path,
    field,
    expected,
    actual,
  });
}
