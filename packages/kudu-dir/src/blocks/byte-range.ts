/** A range of a file as a source of its own. */
import { CFileError } from "@cfile/bytes";
import type { ByteSource } from "@cfile/io";

/**
 * Bytes `offset` to `offset + length` of a file.
 *
 * @param name for errors
 */
export function byteRange(file: ByteSource, offset: number, length: number, name: string): ByteSource {
  return {
    name,
    size: () => Promise.resolve(length),
    read: async (at, count, options) => {
      const wanted = Math.max(0, Math.min(count, length - at));
      const bytes = await file.read(offset + at, wanted, options);
      if (bytes.length < wanted) {
        throw new CFileError("E_TRUNCATED", "the file ends inside the block", {
          path: name,
          offset: at + bytes.length,
          field: "block",
          expected: wanted,
          actual: bytes.length,
        });
      }
      return bytes;
    },
  };
}

/** A file that is not there; reading it says so. */
export function absentFile(name: string, error: CFileError): ByteSource {
  return {
    name,
    size: () => Promise.reject(error),
    read: () => Promise.reject(error),
  };
}
