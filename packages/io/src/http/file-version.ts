/** What tells a file from another one at the same URL: its size, and its ETag or else its modification time. */
import { CFileError } from "@cfile/bytes";

/** `null` where the server sends no such header. */
export type FileVersion = Readonly<Record<"ETag" | "Last-Modified", string | null>>;

export function versionOf({ headers }: Pick<Response, "headers">): FileVersion {
  return { ETag: headers.get("ETag"), "Last-Modified": headers.get("Last-Modified") };
}

/** @throws CFileError `E_SOURCE_CHANGED` when two answers are of different versions */
export function requireSameVersion(expected: FileVersion, actual: FileVersion, path: string): void {
  // Of the two, the ETag is the better judge: servers that share the work may differ in times.
  for (const field of ["ETag", "Last-Modified"] as const) {
    const [before, now] = [expected[field], actual[field]];
    if (before !== null && now !== null) {
      requireSame(field, before, now, path);
      return;
    }
  }
}

/** @throws CFileError `E_SOURCE_CHANGED` when an answer states another size */
export function requireSameSize(expected: number, actual: number | undefined, path: string): void {
  requireSame("Content-Range", expected, actual ?? expected, path);
}

function requireSame(field: string, expected: string | number, actual: string | number, path: string): void {
  if (actual !== expected) {
    throw new CFileError("E_SOURCE_CHANGED", "the file was changed while it was read", {
      path,
      field,
      expected,
      actual,
    });
  }
}
