/** The parts of an HTTP answer that a ranged read relies on. */
import { CFileError, concatBytes } from "@cfile/bytes";

/** Told of every piece of a body that arrives. */
export type OnBytes = (length: number) => void;

/** `Content-Range: bytes from-to/size`, both ends inclusive. */
export interface ContentRange {
  readonly from: number;
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
export function contentRange(response: Response, path: string): ContentRange | undefined {
  const text = response.headers.get("Content-Range");
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
 * The file's size as an answer of status 416 tells it (`Content-Range`, with a star for the range); `undefined` without that header.
 *
 * @throws CFileError `E_IO` for a malformed header
 */
export function sizeOfUnsatisfied(response: Response, path: string): number | undefined {
  const text = response.headers.get("Content-Range");
  if (text === null) {
    return undefined;
  }
  const [, size] = /^bytes +\*\/(\d{1,15})$/i.exec(text.trim()) ?? [];
  if (size === undefined) {
    throw malformedRange(text, path);
  }
  return Number(size);
}

/**
 * The body of an answer, which must be of `length` bytes. Nothing beyond them is kept.
 *
 * @throws CFileError `E_IO` for another length
 */
export async function bodyOfLength(
  response: Response,
  length: number,
  path: string,
  onBytes: OnBytes,
): Promise<Uint8Array> {
  const coding = response.headers.get("Content-Encoding");
  if (coding !== null && coding !== "" && coding.toLowerCase() !== "identity") {
    throw new CFileError("E_IO", `the server sent a part of the file in its ${coding} form, not as it is`, {
      path,
      field: "Content-Encoding",
      actual: coding,
    });
  }
  const body = await bodyUpTo(response, length, onBytes);
  if (body?.length !== length) {
    const actual = body === undefined ? `more than ${length}` : String(body.length);
    throw new CFileError("E_IO", `the server sent ${actual} bytes, ${length} were asked for`, {
      path,
      field: "body",
      expected: length,
      actual,
    });
  }
  return body;
}

/**
 * A whole file that a server without ranges sends.
 *
 * @throws CFileError `E_LIMIT` for more than `limit` bytes
 */
export async function wholeBody(
  response: Response,
  limit: number,
  path: string,
  onBytes: OnBytes,
): Promise<Uint8Array> {
  const stated = Number(response.headers.get("Content-Length"));
  const body = stated > limit ? undefined : await bodyUpTo(response, limit, onBytes);
  if (body === undefined) {
    throw new CFileError(
      "E_LIMIT",
      `the server knows no ranges and the file is larger than ${limit} bytes (maxWholeBytes)`,
      { path, field: "maxWholeBytes", expected: limit },
    );
  }
  return body;
}

/** `undefined` when there is more. */
async function bodyUpTo(
  response: Response,
  limit: number,
  onBytes: OnBytes,
): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  if (response.body !== null) {
    const reader = response.body.getReader();
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        length += part.value.length;
        onBytes(part.value.length);
        if (length > limit) {
          return undefined;
        }
        parts.push(part.value);
      }
    } finally {
      reader.releaseLock();
    }
  }
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : concatBytes(parts);
}

function malformedRange(text: string, path: string): CFileError {
  return new CFileError("E_IO", `the server sent a malformed Content-Range: ${text}`, {
    path,
    field: "Content-Range",
    actual: text,
  });
}
