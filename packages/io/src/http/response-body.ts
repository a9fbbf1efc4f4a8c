/** Reads bodies of HTTP responses piece by piece as they arrive, and keeps no more than was requested. */
import { CFileError } from "@cfile/bytes";
import { ArrivedBytes } from "./arrived-bytes.js";
import type { HttpResponse } from "./http-response.js";

/** Called with the length of every piece that arrives. */
export type OnBytes = (length: number) => void;

/**
 * A body that has exactly bytes `start` to `end` of the file.
 *
 * @throws {CFileError} `E_IO` for another length or a content coding
 */
export async function bodyOfRange(
  response: HttpResponse,
  start: number,
  end: number,
  path: string,
  onBytes: OnBytes,
): Promise<ArrivedBytes> {
  requirePlain(response, path);
  const length = end - start;
  const arrived = new ArrivedBytes(start);
  const received = await appendBody(response, onBytes, arrived, end);
  if (received !== length) {
    const actual = received > length ? `more than ${length}` : String(received);
    const details = { path, field: "body", expected: length, actual };
    throw new CFileError("E_IO", `the server sent ${actual} bytes (expected ${length})`, details);
  }
  return arrived;
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
): Promise<ArrivedBytes> {
  const stated = Number(response.headers.get("Content-Length"));
  const arrived = new ArrivedBytes();
  if (stated > limit || (await appendBody(response, onBytes, arrived, limit)) > limit) {
    throw new CFileError(
      "E_LIMIT",
      `the server does not support ranges and the file is larger than ${limit} bytes (increase maxWholeBytes)`,
      { path, field: "maxWholeBytes", expected: limit },
    );
  }
  return arrived;
}

/** Appends a body up to a limit; returns its length, or more than fits. */
async function appendBody(
  response: HttpResponse,
  onBytes: OnBytes,
  arrived: ArrivedBytes,
  limit: number,
): Promise<number> {
  const received = await eachPart(response, onBytes, (part) => arrived.append(part, limit));
  arrived.closeSlab();
  return received;
}

/**
 * Passes the pieces of a body to `take` as they arrive, until one is refused (`false`).
 *
 * @returns the number of bytes in all pieces, including the refused one
 */
export async function eachPart(
  response: HttpResponse,
  onBytes: OnBytes,
  take: (part: Uint8Array) => boolean | Promise<boolean>,
): Promise<number> {
  let length = 0;
  for await (const part of response.parts()) {
    onBytes(part.length);
    length += part.length;
    if (!(await take(part))) {
      break;
    }
  }
  return length;
}
