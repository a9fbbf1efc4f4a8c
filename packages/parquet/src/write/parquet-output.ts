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

/** Bytes that wait for the sink while the next pages are encoded. */
const MAX_WAITING = 4 << 20;

/** A file that is being written. */
export interface ParquetOutput {
  readonly sink: ByteSink;
  /** Bytes so far. */
  offset: number;
  /** Settles when the sink has taken everything so far; does not reject while nobody waits for it. */
  written: Promise<void>;
  /** Bytes that the sink has not taken yet. */
  waiting: number;
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
  const out: ParquetOutput = { sink, offset: 0, written: Promise.resolve(), waiting: 0 };
  try {
    await put(out, MAGIC);
    const metadata = await body(out);
    await put(out, footerOf(metadata));
    await put(out, MAGIC);
    await out.written;
    await sink.close();
    return { rows: Number(metadata.num_rows), bytes: out.offset, rowGroups: metadata.row_groups.length };
  } catch (error) {
    await out.written.catch(() => undefined);
    await sink.abort(error);
    throw error;
  }
}

function plainFooter(metadata: FileMetaData): Uint8Array {
  const footer = new ByteWriter();
  writeMetadata(footer, metadata);
  return footer.getBytes();
}

/**
 * Writes bytes after all earlier ones. Returns before the sink has taken them, unless many wait.
 * @param isOwned whether the bytes may be kept; otherwise callers may reuse their memory after this
 * @throws what the sink throws, possibly for earlier bytes
 */
export async function put(out: ParquetOutput, bytes: Uint8Array, isOwned = false): Promise<void> {
  const { sink, written: before } = out;
  const { length } = bytes;
  out.offset += length;
  out.waiting += length;
  const written = before.then(async () => {
    await sink.write(bytes, isOwned);
    out.waiting -= length;
  });
  written.catch(() => undefined);
  out.written = written;
  if (!isOwned || out.waiting > MAX_WAITING) {
    await written;
  }
}
