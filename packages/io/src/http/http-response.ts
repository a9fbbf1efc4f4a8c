/** The parts of an HTTP answer that a ranged read relies on. */
import { CFileError, concatBytes } from "@cfile/bytes";
import { memoryFor } from "../source/byte-source.js";
import type { HttpAnswer } from "./http-answer.js";

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
export function contentRange(response: HttpAnswer, path: string): ContentRange | undefined {
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
export function sizeOfUnsatisfied(response: HttpAnswer, path: string): number | undefined {
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

/** A body whose length nobody has bounded is not given memory before it arrives. */
const MAX_AT_ONCE = 64 * 1024 * 1024;

/**
 * The body of an answer, which must be of `length` bytes. Nothing beyond them is kept.
 *
 * @param target memory for it, if it is large enough
 * @throws CFileError `E_IO` for another length
 */
export async function bodyOfLength(
  response: HttpAnswer,
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
export function requirePlain(response: HttpAnswer, path: string): void {
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
  response: HttpAnswer,
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
  { body }: HttpAnswer,
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

function malformedRange(text: string, path: string): CFileError {
  return new CFileError("E_IO", `the server sent a malformed Content-Range: ${text}`, {
    path,
    field: "Content-Range",
    actual: text,
  });
}
