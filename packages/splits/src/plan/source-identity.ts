/** The version of a source: its size, and its ETag or modification time. */
import { CFileError } from "@cfile/bytes";
import { type ByteSource, type ReadOptions, sizeOf } from "@cfile/io";
import type { SplitFile } from "../lines/split.js";

/** Opens a path or URL. */
export type OpenLocation = (location: string) => Promise<ByteSource>;

/** A source with its current size and version. */
export async function identityOf(
  path: string,
  source: ByteSource,
  options: ReadOptions = {},
): Promise<SplitFile> {
  return { path, size: await sizeOf(source, options), version: await source.version?.(options) };
}

/**
 * Opens a source that must be unchanged.
 *
 * @throws {CFileError} `E_SOURCE_CHANGED` if its size or version differs; as `open`
 */
export async function openUnchanged(
  { path, size, version = "none" }: SplitFile,
  open: OpenLocation,
  options: ReadOptions = {},
): Promise<ByteSource> {
  const source = await open(path);
  try {
    const now = await identityOf(path, source, options);
    requireSame(path, "file size", size, now.size);
    requireSame(path, "version", version, now.version ?? "none");
    return source;
  } catch (error) {
    await source.close?.();
    throw error;
  }
}

function requireSame<T extends number | string>(path: string, field: string, expected: T, actual: T): void {
  if (actual !== expected) {
    const details = { path, field, expected, actual };
    throw new CFileError("E_SOURCE_CHANGED", "the source has changed since the split was planned", details);
  }
}
