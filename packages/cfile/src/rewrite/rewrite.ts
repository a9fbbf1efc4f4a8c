import { CFileError, type WorkOptions } from "@cfile/bytes";
import type { CompressionType } from "@cfile/compression";
import type { EncodingType } from "@cfile/encodings";
import type { CFileReader } from "@cfile/format";
import { CFileWriter, type WriterOptions, type WrittenFile } from "@cfile/format/write";
import { openSink, type SinkInput } from "@cfile/io";

/** Properties that a rewrite can change; all others are copied from the source. `onProgress` counts rows written. */
export interface RewriteOptions
  extends Omit<
      WriterOptions,
      "type" | "nullable" | "array" | "headerMetadata" | "footerMetadata" | "indexKeys"
    >,
    WorkOptions {
  /** Whether to sync the file to disk, as in `FileSinkOptions` of `@cfile/io`. Default `true`. */
  readonly sync?: boolean | undefined;
}

/** The writer options of a file whose header is loaded (`loadHeader`). Files do not store block sizes, so the defaults apply. */
export function writerOptionsOf(file: CFileReader): WriterOptions & {
  readonly encoding: EncodingType;
  readonly compression: CompressionType;
} {
  const { footer, wrapping } = file.structure;
  const { type, encoding, compression, nullable, array, headerMetadata, footerMetadata } = file;
  const column = { type, encoding, compression, nullable, array, headerMetadata, footerMetadata };
  const indexes = { posidx: footer.posidx !== undefined, validx: footer.validx !== undefined };
  return { ...column, ...indexes, checksums: wrapping.checksums };
}

/**
 * Rewrites a column in bounded memory. Type, nullability, metadata and everything not in `options` are copied from the source.
 *
 * @throws {CFileError} as `CFileReader.scan` and `CFileWriter`; `E_UNSUPPORTED` for delta and Bloom files. The target is then left
 *   unchanged
 */
export async function rewriteCFile(
  file: CFileReader,
  target: SinkInput,
  options: RewriteOptions = {},
): Promise<WrittenFile> {
  if (file.kind !== "column") {
    const reason = `cannot rewrite a ${file.kind} file (must be a column)`;
    throw new CFileError("E_UNSUPPORTED", reason, { path: file.path });
  }
  const { sync, signal, onProgress, ...changes } = options;
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
  const sink = await openSink(target, { sync });
  let writer: CFileWriter | undefined;
  try {
    await file.loadHeader({ signal });
    writer = new CFileWriter(sink, { ...writerOptionsOf(file), ...given });
    for await (const batch of file.scan({ signal, onProgress })) {
      await writer.append(batch);
    }
    return await writer.finish();
  } catch (error) {
    await (writer?.abort(error) ?? sink.abort(error));
    throw error;
  }
}
