import { CFileReader, type OpenOptions } from "@cfile/format";
import { openSource, type SourceInput } from "@cfile/io";

/**
 * Opens a CFile for reading: a path, URL, Blob, Uint8Array, ArrayBuffer, `ByteSource` or hyparquet `AsyncBuffer`.
 * Only footer and header are read.
 *
 * @throws CFileError `E_NOT_FOUND`, `E_IO`: the input cannot be read; `E_CORRUPT`, `E_TRUNCATED`, `E_CHECKSUM`: it is
 *   not a sound CFile; `E_UNSUPPORTED`: nobody can read it; `E_LIMIT`: it claims more than `options.limits` allow
 */
export async function openCFile(input: SourceInput, options: OpenOptions = {}): Promise<CFileReader> {
  const source = await openSource(input);
  try {
    return await CFileReader.open(source, options);
  } catch (error) {
    await source.close?.();
    throw error;
  }
}
