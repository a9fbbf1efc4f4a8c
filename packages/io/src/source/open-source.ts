import { CFileError, invalidArgument, isCFileError } from "@cfile/bytes";
import { blobSource } from "../browser/blob-source.js";
import type { FileSourceOptions } from "../file/file-source.js";
import type { HttpSourceOptions } from "../http/http-source.js";
import type { S3FetchOptions } from "../s3/s3-source.js";
import { type AsyncBuffer, asyncBufferSource } from "./async-buffer-source.js";
import { type ByteSource, guarded } from "./byte-source.js";
import { locationKind } from "./location.js";
import { memorySource } from "./memory-source.js";

/** Everything that can be read: paths, URLs (`http:`, `https:`, `s3:`, `file:`, `blob:`, `data:`), bytes, Blobs, sources. */
export type SourceInput = string | URL | Blob | Uint8Array | ArrayBuffer | ByteSource | AsyncBuffer;

/** Options for opening paths and URLs. */
export interface OpenSourceOptions {
  /** For paths and `file:` URLs. */
  readonly file?: FileSourceOptions | undefined;
  /** For `http:` and `https:` URLs. */
  readonly http?: HttpSourceOptions | undefined;
  /** For `s3:` URLs: a client with the credentials, see `s3Source`. */
  readonly s3?: S3FetchOptions | undefined;
}

/**
 * The source for any input. A source is returned unchanged. Code for files and networks is lazily loaded.
 *
 * @throws {CFileError} `E_NOT_FOUND` or `E_IO` when the input cannot be opened; `E_UNSUPPORTED` for a path where there is no
 *   file system and for an `s3:` URL without a client; `E_INVALID_ARGUMENT` for any other input
 */
export async function openSource(input: SourceInput, options: OpenSourceOptions = {}): Promise<ByteSource> {
  if (typeof input === "string" || input instanceof URL) {
    return openLocation(input, options);
  }
  if (input instanceof Uint8Array) {
    return memorySource(input);
  }
  if (input instanceof ArrayBuffer) {
    return memorySource(new Uint8Array(input));
  }
  // Other typed arrays also have a `slice`, which does not count bytes.
  if (typeof input === "object" && input !== null && !ArrayBuffer.isView(input)) {
    if (input instanceof Blob) {
      return blobSource(input);
    }
    if ("read" in input && "size" in input) {
      return input;
    }
    if ("slice" in input && "byteLength" in input) {
      return asyncBufferSource(input);
    }
  }
  const expected = "a path, URL, Blob, Uint8Array, ArrayBuffer, ByteSource or AsyncBuffer";
  throw invalidArgument(`unsupported input: ${typeof input} (expected ${expected})`, {
    field: "input",
    actual: typeof input,
  });
}

/**
 * Opens the source for an input and passes it to `open`, which creates a reader. When `open` fails, a source that was opened here
 * is closed; a source that the caller passed in stays open. If a file is replaced in the meantime, it is opened again.
 *
 * @throws {CFileError} like {@link openSource}, and what `open` throws
 */
export async function openWith<T>(
  input: SourceInput,
  open: (source: ByteSource) => Promise<T>,
  options: OpenSourceOptions = {},
): Promise<T> {
  const attempt = async (): Promise<T> => {
    const source = await openSource(input, options);
    try {
      return await open(source);
    } catch (error) {
      if (source !== input) {
        await source.close?.();
      }
      throw error;
    }
  };
  return typeof input === "string" || input instanceof URL ? retryWhenReplaced(attempt) : attempt();
}

/**
 * Calls `work`, and once more if the file it reads is replaced in the meantime.
 *
 * @throws {CFileError} `E_SOURCE_CHANGED` when the file is replaced again, and what `work` throws
 */
export async function retryWhenReplaced<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isCFileError(error, "E_SOURCE_CHANGED")) {
      return work();
    }
    throw error;
  }
}

async function openLocation(
  location: string | URL,
  { file, http, s3 }: OpenSourceOptions,
): Promise<ByteSource> {
  const url = String(location);
  switch (locationKind(location)) {
    case "file":
      return (await import("../file/file-source.js")).fileSource(location, file);
    case "web":
      return (await import("../http/http-source.js")).httpSource(url, http);
    case "s3": {
      const { parseS3Location, s3Source } = await import("../s3/s3-source.js");
      const { bucket, key } = parseS3Location(url);
      if (s3 === undefined) {
        throw new CFileError("E_UNSUPPORTED", "s3: URLs require a client (s3: { client })", { path: url });
      }
      return s3Source(bucket, key, s3);
    }
    case "inline":
      return inlineSource(url);
    case "unknown":
      throw invalidArgument(
        `unsupported URL: ${url} (expected a path or an http:, https:, s3:, file:, blob: or data: URL)`,
        { field: "input" },
      );
  }
}

async function inlineSource(url: string): Promise<ByteSource> {
  const name = url.length > 60 ? `${url.slice(0, 57)}...` : url;
  return guarded(name, undefined, async () => blobSource(await (await fetch(url)).blob(), name));
}
