import { type CFileReader, type OpenCFileOptions, openCFile } from "@cfile/format";
import { retryWhenReplaced } from "@cfile/io";

/**
 * Opens a file for `work` and closes it. If the file is replaced while `work` reads it, `work` runs once more with the new file: it
 * sees one file or the other, never parts of both.
 *
 * @throws {CFileError} as `openCFile` and `work`; `E_SOURCE_CHANGED` when the file is replaced again
 */
export async function readUnchanged<T>(
  location: string | URL,
  work: (file: CFileReader) => Promise<T>,
  options: OpenCFileOptions = {},
): Promise<T> {
  return retryWhenReplaced(async () => {
    const file = await openCFile(location, options);
    try {
      return await work(file);
    } finally {
      await file.close();
    }
  });
}
