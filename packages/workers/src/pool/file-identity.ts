/** What tells a file from another one at the same place: the workers open it after the pool did. */
import { CFileError } from "@cfile/bytes";
import type { CFileReader } from "@cfile/format";

export interface FileIdentity {
  readonly fileSize: number;
  readonly rowCount: number;
  readonly footerOffset: number;
}

export function identityOf({ structure, rowCount }: CFileReader): FileIdentity {
  return { fileSize: structure.fileSize, rowCount, footerOffset: structure.footerRange.offset };
}

/** @throws CFileError `E_SOURCE_CHANGED` unless the file is the one that the pool opened */
export function checkIdentity(file: CFileReader, expected: FileIdentity): void {
  const actual = identityOf(file);
  for (const field of ["fileSize", "rowCount", "footerOffset"] as const) {
    if (actual[field] !== expected[field]) {
      throw new CFileError("E_SOURCE_CHANGED", "the file is another one than when the scan began", {
        path: file.path,
        field,
        expected: expected[field],
        actual: actual[field],
      });
    }
  }
}
