/** Bodies of HTTP answers, taken piece by piece as they arrive: no more is kept than was asked for. */
import { CFileError, concatBytes } from "@cfile/bytes";
import { memoryFor } from "../source/byte-source.js";

/** Told the length of every piece of a body that arrives. */
export type OnBytes = (length: number) => void;

/** Above this length, memory is allocated only as the body arrives. */
const MAX_AT_ONCE = 64 * 1024 * 1024;

/**
 * The body of an answer, which must be of `length` bytes. Nothing beyond them is kept.
 *
 * @param target memory for it, if it is large enough
 * @throws CFileError `E_IO` for another length
 */
export async function bodyOfLength(
  response: Response,
  length: number,
  path: string,
  onBytes: OnBytes,
  target?: Uint8Array,
): Promise<Uint8Array> {
  requirePlain(response, path);
  const parts: Uint8Array[] = [];
  let bytes: Uint8Array | undefined;
  const actual = await eachPart(response, onBytes, (part, at) => {
    if (at + part.length > length) {
      return false;
    }
    if (target === undefined && (part.length === length || length > MAX_AT_ONCE)) {
      parts.push(part);
    } else {
      bytes ??= memoryFor(length, target);
      bytes.set(part, at);
    }
    return true;
  });
  if (actual !== length) {
    const sent = actual > length ? `more than ${length}` : String(actual);
    throw new CFileError("E_IO", `the server sent ${sent} bytes, ${length} were asked for`, {
      path,
      field: "body",
      expected: length,
      actual: sent,
    });
  }
  return bytes ?? oneOf(parts);
}

/** @throws CFileError `E_IO` for a part in a content coding: its bytes are not those of the file */
export function requirePlain(response: Response, path: string): void {
  const coding = response.headers.get("Content-Encoding");
  if (coding !== null && coding !== "" && coding.toLowerCase() !== "identity") {
    throw new CFileError("E_IO", `the server sent a part of the file in its ${coding} form, not as it is`, {
      path,
      field: "Content-Encoding",
      actual: coding,
    });
  }
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
  const parts: Uint8Array[] = [];
  const actual =
    stated > limit
      ? stated
      : await eachPart(response, onBytes, (part, at) => {
          parts.push(part);
          return at + part.length <= limit;
        });
  if (actual > limit) {
    throw new CFileError(
      "E_LIMIT",
      `the server knows no ranges and the file is larger than ${limit} bytes (maxWholeBytes)`,
      { path, field: "maxWholeBytes", expected: limit },
    );
  }
  return oneOf(parts);
}

/**
 * Hands out the pieces of a body as they arrive, with their place in it, until one is refused (`false`).
 *
 * @returns the bytes of all pieces, the refused one included
 */
export async function eachPart(
  { body }: Response,
  onBytes: OnBytes,
  take: (part: Uint8Array, at: number) => boolean | Promise<boolean>,
): Promise<number> {
  let length = 0;
  const reader = body?.getReader();
  try {
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      const { value } = part;
      onBytes(value.length);
      length += value.length;
      const more = take(value, length - value.length);
      if (!(typeof more === "boolean" ? more : await more)) {
        break;
      }
    }
  } finally {
    reader?.releaseLock();
  }
  return length;
}

function oneOf(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : concatBytes(parts);
}
