/** The parts of an HTTP answer that a ranged read relies on. */
import { CFileError } from "@cfile/bytes";

/** `Content-Range: bytes from-to/size`, both ends inclusive. */
export interface ContentRange {
  readonly from: number;
  readonly to: number;
  /** `undefined` when the server does not know (`*`). */
  readonly size: number | undefined;
}

/** `undefined` when the header is missing, hidden from a page of another origin, or malformed. */
export function parseContentRange(response: Response): ContentRange | undefined {
  const [, first, last, total] =
    /^bytes\s+(\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/i.exec(
      response.headers.get("Content-Range")?.trim() ?? "",
    ) ?? [];
  if (first === undefined || last === undefined || total === undefined) {
    return undefined;
  }
  const [from, to] = [Number(first), Number(last)];
  const size = total === "*" ? undefined : Number(total);
  return from <= to && (size === undefined || to < size) ? { from, to, size } : undefined;
}

/**
 * The body of an answer, which must be of `expected` bytes if that is known. Nothing beyond it, or beyond `limit`, is
 * kept.
 *
 * @throws CFileError `E_IO` for another length, `E_LIMIT` when the body is longer than `limit`
 */
export async function readBody(
  response: Response,
  expected: number | undefined,
  path: string,
  limit = expected ?? 0,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  if (response.body !== null) {
    const reader = response.body.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      length += part.value.length;
      if (length > (expected ?? limit)) {
        await reader.cancel();
        throw expected === undefined
          ? tooLarge(path, limit)
          : wrongLength(path, expected, `more than ${expected}`);
      }
      parts.push(part.value);
    }
  }
  if (expected !== undefined && length !== expected) {
    throw wrongLength(path, expected, String(length));
  }
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) {
    return only;
  }
  const body = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    body.set(part, at);
    at += part.length;
  }
  return body;
}

function tooLarge(path: string, limit: number): CFileError {
  return new CFileError(
    "E_LIMIT",
    `the server knows no ranges and the file is larger than ${limit} bytes (maxWholeBytes)`,
    {
      path,
      field: "maxWholeBytes",
      expected: limit,
    },
  );
}

function wrongLength(path: string, expected: number, actual: string): CFileError {
  return new CFileError("E_IO", `the server sent ${actual} bytes, ${expected} were asked for`, {
    path,
    field: "body",
    expected,
    actual,
  });
}
