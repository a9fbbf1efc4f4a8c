import type { ColumnBatch, FixedValues, InputCell } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import type { WriterOptions, WrittenFile } from "@cfile/format/write";
import { CFileWriter } from "@cfile/format/write";
import { openSink, type SinkInput } from "@cfile/io";

/** What `append` takes: a column batch, a plain array of cells, or a typed array of the column's type. */
export type AppendInput = ColumnBatch | readonly InputCell[] | FixedValues;

/**
 * Writes one column to a new file. The file appears under its name when `finish` succeeds; after an error, and when
 * the writer is closed before `finish`, nothing is left.
 */
export class CFileCreator {
  private readonly writer: CFileWriter;

  constructor(writer: CFileWriter) {
    this.writer = writer;
  }

  get rowCount(): number {
    return this.writer.rowCount;
  }

  /**
   * Appends rows.
   *
   * @throws CFileError `E_INVALID_ARGUMENT` naming the row and the reason when a value does not fit the column; the
   *   file is then given up
   */
  async append(rows: AppendInput): Promise<void> {
    let batch: ColumnBatch;
    try {
      batch = isBatch(rows) ? rows : batchFromValues(this.writer.options, rows, this.writer.rowCount);
    } catch (error) {
      await this.writer.abort(error);
      throw error;
    }
    await this.writer.append(batch);
  }

  /** Adds a metadata pair to the footer; text is stored as UTF-8. */
  addMetadata(key: string, value: Uint8Array | string): void {
    this.writer.addMetadata(key, typeof value === "string" ? new TextEncoder().encode(value) : value);
  }

  /** Completes the file. */
  finish(): Promise<WrittenFile> {
    return this.writer.finish();
  }

  /** Gives the file up. Does nothing after `finish`. */
  close(): Promise<void> {
    return this.writer.abort();
  }

  /**
   * Runs `close` at the end of an `await using` block: a file that is not finished is given up, and nothing of it is
   * left.
   */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function isBatch(rows: AppendInput): rows is ColumnBatch {
  return "kind" in rows;
}

/** How a file is written: type, encoding, codec, indexes. */
export interface CreateOptions extends WriterOptions {
  /** Whether a file is on the disk when it is finished; see `FileSinkOptions` of `@cfile/io`. Default `true`. */
  readonly sync?: boolean | undefined;
}

/**
 * Starts a CFile: `target` is a path, a `file:` URL, a `WritableStream` or a `ByteSink` (`memorySink()` for bytes).
 *
 * @throws CFileError `E_INVALID_ARGUMENT` or `E_UNSUPPORTED` for options no CFile can have, `E_IO` when the target
 *   cannot be written
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
): Promise<CFileCreator> {
  const sink = await openSink(target, { sync });
  try {
    return new CFileCreator(new CFileWriter(sink, options));
  } catch (error) {
    await sink.abort(error);
    throw error;
  }
}
