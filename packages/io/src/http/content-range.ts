/** The header `Content-Range` (RFC 9110, section 14.4): `bytes FROM-TO/SIZE`, with both ends inclusive and `*` for an unknown size. */
import { CFileError } from "@cfile/bytes";

export interface ContentRange {
  readonly from: number;
  /** Inclusive. */
  readonly to: number;
  /** `undefined` when the server does not know (`*`). */
  readonly size: number | undefined;
}

/**
 * The range that an answer of status 206 brings; `undefined` when the header is missing or hidden from a page of another
 * origin.
 *
 * @throws CFileError `E_IO` for a malformed header
 */
export function contentRange({ headers }: Response, path: string): ContentRange | undefined {
  const text = headers.get("Content-Range");
  if (text === null) {
    return undefined;
  }
  const [, first, last, total] = /^bytes +(\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i.exec(text.trim()) ?? [];
  const [from, to] = [Number(first), Number(last)];
  const size = total === "*" ? undefined : Number(total);
  if (!(from <= to && (size === undefined || to < size))) {
    throw malformedRange(text, path);
  }
  return { from, to, size };
}

/**
 * The file's size as an answer of status 416 tells it (`bytes *` + `/SIZE`); `undefined` without the header.
 *
 * @throws CFileError `E_IO` for a malformed header
 */
export function sizeOfUnsatisfied({ headers }: Response, path: string): number | undefined {
  const text = headers.get("Content-Range");
  if (text === null) {
    return undefined;
  }
  const [, size] = /^bytes +\*\/(\d{1,15})$/i.exec(text.trim()) ?? [];
  if (size === undefined) {
    throw malformedRange(text, path);
  }
  return Number(size);
}

function malformedRange(text: string, path: string): CFileError {
  return new CFileError("E_IO", `the server sent a malformed Content-Range: ${text}`, {
    path,
    field: "Content-Range",
    actual: text,
  });
}
