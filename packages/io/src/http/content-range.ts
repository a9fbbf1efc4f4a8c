/** The header `Content-Range` (RFC 9110, section 14.4): `bytes FROM-TO/SIZE`; `TO` is inclusive, an unknown `SIZE` is `*`. */
import { CFileError } from "@cfile/bytes";
import type { HttpResponse } from "./http-response.js";

export interface ContentRange {
  readonly from: number;
  /** Inclusive. */
  readonly to: number;
  /** `undefined` when the server does not know it. */
  readonly size: number | undefined;
}

/**
 * The range of a 206 response; `undefined` when the header is missing, or hidden from a page of another origin.
 *
 * @throws {CFileError} `E_IO` for a malformed header
 */
export function contentRange(response: HttpResponse, path: string): ContentRange | undefined {
  return parse(response, path, /^bytes +(\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i, (first, last, total) => {
    const [from, to] = [Number(first), Number(last)];
    const size = total === "*" ? undefined : Number(total);
    return from <= to && (size === undefined || to < size) ? { from, to, size } : undefined;
  });
}

/**
 * The file size in a 416 response (`bytes *` + `/SIZE`); `undefined` without the header.
 *
 * @throws {CFileError} `E_IO` for a malformed header
 */
export function sizeOfUnsatisfied(response: HttpResponse, path: string): number | undefined {
  return parse(response, path, /^bytes +\*\/(\d{1,15})$/i, Number);
}

function parse<T>(
  { headers }: HttpResponse,
  path: string,
  pattern: RegExp,
  read: (...groups: string[]) => T | undefined,
): T | undefined {
  const text = headers.get("Content-Range");
  if (text === null) {
    return undefined;
  }
  const groups = pattern.exec(text.trim())?.slice(1);
  const value = groups && read(...groups);
  if (value === undefined) {
    const details = { path, field: "Content-Range", actual: text };
    throw new CFileError("E_IO", `malformed Content-Range: ${text}`, details);
  }
  return value;
}
