/** Reads bodies of HTTP responses piece by piece as they arrive, and keeps no more than was requested. */
import { CFileError, concatBytes } from "@cfile/bytes";
import { memoryFor } from "../source/byte-source.js";
import type { HttpResponse } from "./http-response.js";

/** Called with the length of every piece that arrives. */
export type OnBytes = (length: number) => void;

/** Above this length, memory is allocated only as the body arrives. */
const MAX_AT_ONCE = 64 * 1024 * 1024;

/**
 * A body of exactly `length` bytes.
 *
 * @param target memory for it, if it is large enough
 * @throws {CFileError} `E_IO` for another length or a content coding
 */
export async function bodyOfLength(
  response: HttpResponse,
  length: number,
  path: string,
  onBytes: OnBytes,
  target?: Uint8Array,
): Promise<Uint8Array> {
  requirePlain(response, path);
  const parts: Uint8Array[] = [];
  let bytes: Uint8Array | undefined;
  const received = await eachPart(response, onBytes, (part, at) => {
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
  if (received !== length) {
    const actual = received > length ? `more than ${length}` : String(received);
    const details = { path, field: "body", expected: length, actual };
    throw new CFileError("E_IO", `the server sent ${actual} bytes (expected ${length})`, details);
  }
  return bytes ?? joined(parts);
}

/** @throws {CFileError} `E_IO` for a part with a content coding: its bytes are not those of the file */
export function requirePlain(response: HttpResponse, path: string): void {
  const actual = response.headers.get("Content-Encoding") ?? "";
  if (!/^(?:identity)?$/i.test(actual)) {
    const details = { path, field: "Content-Encoding", actual };
    throw new CFileError("E_IO", `the server sent a range in content coding ${actual}`, details);
  }
}

/**
 * The whole file, from a server without ranges.
 *
 * @throws {CFileError} `E_LIMIT` for more than `limit` bytes
 */
export async function wholeBody(
  response: HttpResponse,
  limit: number,
  path: string,
  onBytes: OnBytes,
): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  const stated = Number(response.headers.get("Content-Length"));
  const isTooLarge =
    stated > limit ||
    (await eachPart(response, onBytes, (part, at) => {
      parts.push(part);
      return at + part.length <= limit;
    })) > limit;
  if (isTooLarge) {
    throw new CFileError(
      "E_LIMIT",
      `the server does not support ranges and the file is larger than ${limit} bytes (increase maxWholeBytes)`,
      { path, field: "maxWholeBytes", expected: limit },
    );
  }
  return joined(parts);
}

/**
 * Passes the pieces of a body to `take` as they arrive, with their offset, until one is refused (`false`).
 *
 * @returns the number of bytes in all pieces, including the refused one
 */
export async function eachPart(
  response: HttpResponse,
  onBytes: OnBytes,
  take: (part: Uint8Array, at: number) => boolean | Promise<boolean>,
): Promise<number> {
  let length = 0;
  for await (const part of response.parts()) {
    onBytes(part.length);
    length += part.length;
    const more = take(part, length - part.length);
    if (!(typeof more === "boolean" ? more : await more)) {
      break;
    }
  }
  return length;
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [only] = parts;
  return parts.length === 1 && only !== undefined ? only : concatBytes(parts);
}
