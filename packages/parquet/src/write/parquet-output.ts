/** A Parquet file being written: the magic bytes around its data, and the footer. */
import { MemoryArena } from "@cfile/bytes";
import { type ByteSink, type ByteSource, openSink, readExactly, type SinkInput } from "@cfile/io";
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

/** Maximum bytes waiting for the sink while the next pages are encoded. */
const MAX_WAITING = 4 << 20;

/** Smaller writes are gathered into pieces of this size, because each write to the sink can wake another thread. */
export const PIECE_BYTES: number = 1 << 20;
/** Larger writes are passed on alone. */
const MAX_GATHERED = PIECE_BYTES / 2;
/** Maximum number of free pieces that an output keeps. */
const SPARE_PIECES = 64;

/** A file that is being written. */
export interface ParquetOutput {
  readonly sink: ByteSink;
  /** File offset of the next byte. */
  offset: number;
  /** File offset up to which the sink has bytes that were written early. */
  early: number;
  /** Settles when the sink has taken everything passed to it; its rejection is never unhandled. */
  written: Promise<void>;
  /** Number of bytes passed to the sink that it has not taken yet. */
  waiting: number;
  /** Memory for pieces; a piece is released once the sink has taken it. */
  readonly arena: MemoryArena;
  /** Small writes, passed to the sink together. */
  gathered: Uint8Array<ArrayBuffer>;
  gatheredLength: number;
}

/** Where a file is written, and with which memory. */
export interface WriteFileOptions {
  /** Encodes the metadata and its length. Default: without encryption. */
  readonly footerOf?: ((metadata: FileMetaData) => Uint8Array) | undefined;
  /** Number of bytes already in the sink, which are expected at the start of the file. Default 0. */
  readonly early?: number | undefined;
  /** Memory shared by files written one after the other. Default: new memory. */
  readonly arena?: MemoryArena | undefined;
}

/** A free piece. */
export function newPiece(arena: MemoryArena): Uint8Array<ArrayBuffer> {
  return new Uint8Array(arena.take(PIECE_BYTES), 0, PIECE_BYTES);
}

/** Writes a file: the data from `body`, then the metadata that `body` returns. After an error, nothing is left behind. */
export async function writeFile(
  target: SinkInput,
  body: (out: ParquetOutput) => Promise<FileMetaData>,
  { footerOf = plainFooter, early = 0, arena: shared }: WriteFileOptions = {},
): Promise<WrittenParquet> {
  const sink = await openSink(target);
  // A separate part, because the arena can be that of the scan whose batches are written.
  const arena = (shared ?? new MemoryArena({ maxBuffers: SPARE_PIECES })).part("pieces");
  const out: ParquetOutput = {
    sink,
    offset: 0,
    early,
    written: Promise.resolve(),
    waiting: 0,
    arena,
    gathered: newPiece(arena),
    gatheredLength: 0,
  };
  try {
    if (takeEarly(out, MAGIC.length) === 0) {
      await put(out, MAGIC);
    }
    const metadata = await body(out);
    await put(out, footerOf(metadata));
    await put(out, MAGIC);
    passGathered(out);
    await out.written;
    await sink.close();
    return { rows: Number(metadata.num_rows), bytes: out.offset, rowGroups: metadata.row_groups.length };
  } catch (error) {
    await out.written.catch(() => undefined);
    await sink.abort(error);
    throw error;
  } finally {
    arena.recycle();
  }
}

/**
 * Counts the next bytes, at most `length`, as written if the sink already has them. Callers know that they are the same.
 * @returns their number
 */
export function takeEarly(out: ParquetOutput, length: number): number {
  const taken = Math.max(0, Math.min(length, out.early - out.offset));
  out.offset += taken;
  return taken;
}

function plainFooter(metadata: FileMetaData): Uint8Array {
  const footer = new ByteWriter();
  writeMetadata(footer, metadata);
  return footer.getBytes();
}

/**
 * Appends bytes to the file. Returns before the sink has taken them, unless too many are waiting.
 * @param isOwned whether the bytes may be kept; otherwise callers may reuse their memory after this
 * @throws what the sink throws, possibly for earlier bytes
 */
export async function put(out: ParquetOutput, bytes: Uint8Array, isOwned = false): Promise<void> {
  const { length } = bytes;
  discardEarly(out);
  out.offset += length;
  if (length <= MAX_GATHERED) {
    if (out.gatheredLength + length > PIECE_BYTES) {
      passGathered(out);
    }
    out.gathered.set(bytes, out.gatheredLength);
    out.gatheredLength += length;
  } else {
    passGathered(out);
    pass(out, bytes, isOwned);
  }
  if (out.waiting > MAX_WAITING || (length > MAX_GATHERED && !isOwned)) {
    await out.written;
  }
}

/** Writes the start of a piece of the output's arena, as {@link put}, and releases it. */
export async function putPiece(
  out: ParquetOutput,
  piece: Uint8Array<ArrayBuffer>,
  length: number,
): Promise<void> {
  const bytes = piece.subarray(0, length);
  if (length <= MAX_GATHERED) {
    await put(out, bytes);
    out.arena.release(piece.buffer);
    return;
  }
  discardEarly(out);
  passGathered(out);
  out.offset += length;
  pass(out, bytes, false, piece.buffer);
  if (out.waiting > MAX_WAITING) {
    await out.written;
  }
}

/**
 * Copies bytes `start` to `end` of a source. Returns before the sink has taken them, unless too many are waiting.
 * @throws {CFileError} as `readExactly`; what the sink throws, possibly for earlier bytes
 */
export async function copyRange(
  out: ParquetOutput,
  source: ByteSource,
  start: number,
  end: number,
): Promise<void> {
  if (start === end) {
    return;
  }
  discardEarly(out);
  passGathered(out);
  for (let at = start; at < end; at += PIECE_BYTES) {
    const length = Math.min(PIECE_BYTES, end - at);
    const piece = newPiece(out.arena);
    const bytes = await readExactly(source, at, length, { target: piece.subarray(0, length) });
    out.offset += length;
    pass(out, bytes, false, piece.buffer);
    if (out.waiting > MAX_WAITING) {
      await out.written;
    }
  }
}

function passGathered(out: ParquetOutput): void {
  const { gathered, gatheredLength } = out;
  if (gatheredLength > 0) {
    pass(out, gathered.subarray(0, gatheredLength), false, gathered.buffer);
    out.gathered = newPiece(out.arena);
    out.gatheredLength = 0;
  }
}

/** Discards bytes that were written early, because other bytes follow. */
function discardEarly(out: ParquetOutput): void {
  const { sink, offset, early } = out;
  if (early > offset) {
    out.early = offset;
    out.written = out.written.then(() => sink.truncate?.(offset));
    out.written.catch(() => undefined);
  }
}

/** Passes bytes to the sink after all earlier ones. @param memory of the arena, which is free once the sink has taken them */
function pass(out: ParquetOutput, bytes: Uint8Array, isOwned: boolean, memory?: ArrayBuffer): void {
  const { arena, sink, written: before } = out;
  out.waiting += bytes.length;
  out.written = before.then(async () => {
    await sink.write(bytes, isOwned);
    out.waiting -= bytes.length;
    if (memory !== undefined) {
      arena.release(memory);
    }
  });
  out.written.catch(() => undefined);
}
