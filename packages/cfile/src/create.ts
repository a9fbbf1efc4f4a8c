import { CFileWriter, type WriterOptions } from "@cfile/format/write";
import { openSink, type SinkInput } from "@cfile/io";

/** Options for writing a file: type, encoding, codec, indexes. */
export interface CreateOptions extends WriterOptions {
  /** Whether to sync the file to disk, as in `FileSinkOptions` of `@cfile/io`. Default `true`. */
  readonly sync?: boolean | undefined;
}

/**
 * Creates a CFile.
 *
 * @param target a path, `file:` URL, `WritableStream` or `ByteSink` (`memorySink()` for bytes)
 * @throws {CFileError} `E_INVALID_ARGUMENT` or `E_UNSUPPORTED` for invalid options; `E_IO` when the target cannot be written
 *
 * @example
 * ```js
 * import { createCFile, memorySink } from "cfile";
 *
 * const sink = memorySink(); // or a path
 * const file = await createCFile(sink, { type: "INT32", nullable: true, compression: "LZ4" });
 * await file.append([1, null, 3]);
 * const { rows } = await file.finish();
 * console.log(rows, sink.bytes().length);
 * ```
 *
 * ```text
 * 3 128
 * ```
 */
export async function createCFile(
  target: SinkInput,
  { sync, ...options }: CreateOptions,
): Promise<CFileWriter> {
  const sink = await openSink(target, { sync });
  try {
    return new CFileWriter(sink, options);
  } catch (error) {
    await sink.abort(error);
    throw error;
  }
}
