/** A range of a file as a separate source. */
import { CFileError } from "@cfile/bytes";
import type { ByteSource } from "@cfile/io";

/**
 * Bytes `offset` to `offset + length` of a file. Reading throws `E_TRUNCATED` if the file is shorter.
 *
 * @param name for errors
 */
export function byteRange(file: ByteSource, offset: number, length: number, name: string): ByteSource {
  return {
    name,
    size: () => Promise.resolve(length),
    read: async (at, count, options) => {
      const expected = Math.max(0, Math.min(count, length - at));
      const bytes = await file.read(offset + at, expected, options);
      const { length: actual } = bytes;
      if (actual < expected) {
        const details = { path: name, offset: at + actual, field: "block", expected, actual };
        throw new CFileError("E_TRUNCATED", "the file ends inside the block", details);
      }
      return bytes;
    },
  };
}

/** A missing file: reading it throws `error`. */
export function absentFile(name: string, error: CFileError): ByteSource {
  const fail = (): Promise<never> => Promise.reject(error);
  return { name, size: fail, read: fail };
}
