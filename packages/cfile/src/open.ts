import { isCFileError } from "@cfile/bytes";
import type { OpenOptions } from "@cfile/format";
import { CFileReader } from "@cfile/format";
import { type OpenSourceOptions, openSource, type SourceInput } from "@cfile/io";

/** `http`: headers, credentials, another `fetch`; `s3`: a client with the credentials. */
export interface OpenCFileOptions extends OpenOptions, OpenSourceOptions {}

/**
 * Opens a CFile for reading: a path, URL, Blob, Uint8Array, ArrayBuffer, `ByteSource` or hyparquet `AsyncBuffer`.
 * Only footer and header are read. A file that is replaced while it is opened is opened once more.
 *
 * @throws CFileError `E_NOT_FOUND`, `E_IO`: the input cannot be read; `E_CORRUPT`, `E_TRUNCATED`, `E_CHECKSUM`: it is
 *   not a sound CFile; `E_UNSUPPORTED`: nobody can read it; `E_LIMIT`: it claims more than `options.limits` allow
 *
 * @example
 * ```js
 * import { openCFile } from "cfile";
 *
 * const file = await openCFile("fixtures/golden/comp_lz4_string_dict.cfile");
 * console.log(file.type, file.encoding, file.rowCount);
 * console.log(await file.get(1));
 * await file.close();
 * ```
 *
 * ```text
 * STRING DICT_ENCODING 2000
 * constant
 * ```
 */
export async function openCFile(input: SourceInput, options: OpenCFileOptions = {}): Promise<CFileReader> {
  return isLocation(input) ? orOnceMore(() => openOnce(input, options)) : openOnce(input, options);
}

/**
 * Opens a file for `work` and closes it. When the file is replaced while `work` reads it, `work` is done once more, from its
 * beginning, with the new file: it sees one file or the other, never parts of both.
 *
 * @throws CFileError as `openCFile`, `E_SOURCE_CHANGED` when the file is replaced again, and what `work` throws
 */
export async function readUnchanged<T>(
  location: string | URL,
  work: (file: CFileReader) => Promise<T>,
  options: OpenCFileOptions = {},
): Promise<T> {
  return orOnceMore(async () => {
    const file = await openOnce(location, options);
    try {
      return await work(file);
    } finally {
      await file.close();
    }
  });
}

async function openOnce(
  input: SourceInput,
  { http, s3, ...options }: OpenCFileOptions,
): Promise<CFileReader> {
  const source = await openSource(input, { http, s3 });
  try {
    return await CFileReader.open(source, options);
  } catch (error) {
    await source.close?.();
    throw error;
  }
}

async function orOnceMore<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isCFileError(error, "E_SOURCE_CHANGED")) {
      return work();
    }
    throw error;
  }
}

function isLocation(input: SourceInput): boolean {
  return typeof input === "string" || input instanceof URL;
}
