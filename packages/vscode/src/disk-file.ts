/**
 * A file of this machine, read in ranges. It is opened for each read, because the directories of a server have more files than a process
 * can keep open.
 */
import { CFileError } from "@cfile/bytes";
import type { ByteSource } from "@cfile/io";
import { fileSource } from "@cfile/io/file";

/** Reads throw `E_SOURCE_CHANGED` if the file has changed since the first read. */
export function diskFile(path: string): ByteSource {
  let first: string | undefined;
  const withFile = async <T>(use: (file: ByteSource) => Promise<T>): Promise<T> => {
    const file = await fileSource(path);
    try {
      const version = `${await file.version?.()} ${await file.size()}`;
      first ??= version;
      if (version !== first) {
        throw new CFileError("E_SOURCE_CHANGED", "the file changed after it was opened (open it again)", {
          path,
        });
      }
      return await use(file);
    } finally {
      await file.close?.();
    }
  };
  return {
    name: path,
    size: () => withFile((file) => file.size()),
    read: (offset, length) => withFile((file) => file.read(offset, length)),
  };
}
