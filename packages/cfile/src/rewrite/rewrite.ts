import { CFileError, type Progress } from "@cfile/bytes";
import type { CompressionType } from "@cfile/compression";
import type { EncodingType } from "@cfile/encodings";
import type { CFileReader } from "@cfile/format";
import { CFileWriter, type WriterOptions, type WrittenFile } from "@cfile/format/write";
import { openSink, type SinkInput } from "@cfile/io";

/** What a rewrite may change; everything else is taken from the source. */
export type RewriteOptions = Partial<
  Pick<
    WriterOptions,
    | "encoding"
    | "compression"
    | "blockSize"
    | "indexBlockSize"
    | "restartInterval"
    | "posidx"
    | "validx"
    | "optimizeIndexKeys"
    | "checksums"
    | "batchRows"
    | "codecs"
    | "encodings"
    | "kernels"
    | "limits"
  >
> & {
  /** Whether a file is on the disk when this is done; see `FileSinkOptions` of `@cfile/io`. Default `true`. */
  readonly sync?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with the rows that are done, after each data block. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
};

/**
 * What the source is, in a writer's terms. Sizes are not stored in a file: they get the writer's defaults. The header must have
 * been read (`loadHeader`).
 */
export function writerOptionsOf(file: CFileReader): WriterOptions & {
  readonly encoding: EncodingType;
  readonly compression: CompressionType;
} {
  const { footer, wrapping } = file.structure;
  return {
    type: file.type,
    encoding: file.encoding,
    compression: file.compression,
    nullable: file.nullable,
    array: file.array,
    posidx: footer.posidx !== undefined,
    validx: footer.validx !== undefined,
    checksums: wrapping.checksums,
    headerMetadata: file.headerMetadata,
    footerMetadata: file.footerMetadata,
  };
}

/**
 * Writes the file's column again, streaming: memory stays bounded whatever the file's size. Type, nullability, metadata
 * (in header or footer, as it was), and what `options` leaves out, are the source's.
 *
 * @throws CFileError as `CFileReader.scan` and `CFileWriter` do, and `E_UNSUPPORTED` for delta and Bloom files; the target
 *   is then left as it was
 */
export async function rewriteCFile(
  file: CFileReader,
  target: SinkInput,
  options: RewriteOptions = {},
): Promise<WrittenFile> {
  if (file.kind !== "column") {
    throw new CFileError(
      "E_UNSUPPORTED",
      `a ${file.kind} file is not a column: it cannot be rewritten as one`,
      {
        path: file.path,
      },
    );
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
