/** Opens a CFile: reads and checks footer and header, and loads the code for its encoding. */
import { DEFAULT_LIMITS, type Limits } from "@cfile/bytes";
import { type ByteSource, type OpenSourceOptions, openWith, type SourceInput } from "@cfile/io";
import { chooseDecoders } from "@cfile/kernels/decode";
import { loadDataBlockOpener } from "../blocks/load-data-block-opener.js";
import { readFileStructure } from "../file/file-structure.js";
import { CFileReader } from "./reader.js";
import type { OpenOptions } from "./reader-options.js";

/** `file`: how it is read; `http`: headers, credentials, a custom `fetch`; `s3`: a client with credentials. */
export interface OpenCFileOptions extends OpenOptions, OpenSourceOptions {}

/**
 * Opens a CFile for reading: a path, URL, Blob, Uint8Array, ArrayBuffer, `ByteSource` or hyparquet `AsyncBuffer`. Reads and
 * checks only footer and header; over a network only the footer, see `options.header`. If the file is replaced while it is being
 * opened, opens it once more.
 *
 * @throws {CFileError} `E_NOT_FOUND`, `E_IO`: the input cannot be read; `E_CORRUPT`, `E_TRUNCATED`, `E_CHECKSUM`: it is
 *   not a valid CFile; `E_UNSUPPORTED`: a type, encoding or feature that is not supported; `E_LIMIT`: it claims more than
 *   `options.limits` allow
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
export function openCFile(
  input: SourceInput,
  { file, http, s3, ...options }: OpenCFileOptions = {},
): Promise<CFileReader> {
  return openWith(input, (source) => openFrom(source, options), { file, http, s3 });
}

async function openFrom(source: ByteSource, options: OpenOptions): Promise<CFileReader> {
  const limits: Limits = { ...DEFAULT_LIMITS, ...options.limits };
  const structure = await readFileStructure(source, {
    limits,
    kernels: chooseDecoders(options.kernels),
    codecs: options.codecs,
    encodings: options.encodings,
    verifyChecksums: options.verifyChecksums ?? true,
    header: options.header ?? (source.traffic === undefined ? "read" : "later"),
    signal: options.signal,
  });
  const { encoding, footer } = structure;
  const { array = false, dataType: type, nullable = false } = footer;
  const openContent = await loadDataBlockOpener({ type, encoding, nullable, array }, options.encodings);
  return new CFileReader(source, structure, openContent, options);
}
