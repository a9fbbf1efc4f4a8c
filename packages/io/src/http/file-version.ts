/** Identifies the version of a file at a URL: by its size, and its ETag or else its modification time. */
import { CFileError } from "@cfile/bytes";
import type { HttpResponse } from "./http-response.js";

/** `null` where the server sends no such header. */
export type FileVersion = Readonly<Record<"ETag" | "Last-Modified", string | null>>;

export function versionOf({ headers }: Pick<HttpResponse, "headers">): FileVersion {
  return { ETag: headers.get("ETag"), "Last-Modified": headers.get("Last-Modified") };
}

/**
 * @param actual `size` is `undefined` when the response does not state it
 * @throws {CFileError} `E_SOURCE_CHANGED` when a response is of another version or size
 */
export function requireSameFile(
  expected: { readonly size: number; readonly version: FileVersion },
  actual: { readonly size: number | undefined; readonly version: FileVersion },
  path: string,
): void {
  // The ETag takes precedence: servers behind one address may differ in modification times.
  const field = expected.version.ETag !== null && actual.version.ETag !== null ? "ETag" : "Last-Modified";
  requireSame(field, expected.version[field], actual.version[field], path);
  requireSame("Content-Range", expected.size, actual.size ?? null, path);
}

function requireSame<T extends string | number>(
  field: string,
  expected: T | null,
  actual: T | null,
  path: string,
) {
  if (expected !== null && actual !== null && actual !== expected) {
    const details = { path, field, expected, actual };
    throw new CFileError("E_SOURCE_CHANGED", "the file changed while it was being read", details);
  }
}
