/** Detects a file that was replaced after the pool opened it and before a worker does. */
import { CFileError } from "@cfile/bytes";
import type { CFileReader } from "@cfile/format";

export type FileIdentity = Readonly<Record<"fileSize" | "rowCount" | "footerOffset", number>>;

export function identityOf({ structure, rowCount }: CFileReader): FileIdentity {
  return { fileSize: structure.fileSize, rowCount, footerOffset: structure.footerRange.offset };
}

/** @throws {CFileError} `E_SOURCE_CHANGED` unless the file is the one that the pool opened */
export function checkIdentity(file: CFileReader, identity: FileIdentity): void {
  const current = identityOf(file);
  for (const field of ["fileSize", "rowCount", "footerOffset"] as const) {
    const [expected, actual] = [identity[field], current[field]];
    if (actual !== expected) {
      const details = { path: file.path, field, expected, actual };
      throw new CFileError("E_SOURCE_CHANGED", "the file was replaced after the scan started", details);
    }
  }
}
