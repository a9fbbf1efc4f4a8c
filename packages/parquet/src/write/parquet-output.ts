/** A Parquet file being written: the magic bytes around its data, and the footer. */
import { type ByteSink, openSink, type SinkInput } from "@cfile/io";
import type { FileMetaData } from "hyparquet";
import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { writeMetadata } from "hyparquet-writer/src/metadata.js";

/** Size of a written file. */
export interface WrittenParquet {
  readonly rows: number;
  readonly bytes: number;
  readonly rowGroups: number;
}

export const MAGIC: Uint8Array = /* @__PURE__ */ Uint8Array.of(0x50, 0x41, 0x52, 0x31);

/** A file that is being written. */
export interface ParquetOutput {
  readonly sink: ByteSink;
  /** Bytes so far. */
  offset: number;
}

/**
 * Writes a file: the data from `body`, then the metadata that `body` returns. After an error, nothing is left behind.
 * @param footerOf encodes metadata and their length
 */
export async function writeFile(
  target: SinkInput,
  body: (out: ParquetOutput) => Promise<FileMetaData>,
  footerOf: (metadata: FileMetaData) => Uint8Array = plainFooter,
): Promise<WrittenParquet> {
  const sink = await openSink(target);
  try {
    const out = { sink, offset: 0 };
    await put(out, MAGIC);
    const metadata = await body(out);
    await put(out, footerOf(metadata));
    await put(out, MAGIC);
    await sink.close();
    return { rows: Number(metadata.num_rows), bytes: out.offset, rowGroups: metadata.row_groups.length };
  } catch (error) {
    await sink.abort(error);
    throw error;
  }
}

function plainFooter(metadata: FileMetaData): Uint8Array {
  const footer = new ByteWriter();
  writeMetadata(footer, metadata);
  return footer.getBytes();
}

/** @param isOwned whether the bytes may be kept */
export async function put(out: ParquetOutput, bytes: Uint8Array, isOwned = false): Promise<void> {
  await out.sink.write(bytes, isOwned);
  out.offset += bytes.length;
}
