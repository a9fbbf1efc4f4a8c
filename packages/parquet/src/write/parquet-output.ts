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

/** Bytes that wait for the sink while the next pages are encoded. */
const MAX_WAITING = 4 << 20;

/** Smaller bytes are gathered in pieces of this size: each write of the sink may wake another thread. */
export const PIECE_BYTES: number = 1 << 20;
/** More bytes are written alone. */
const MAX_GATHERED = PIECE_BYTES / 2;
/** Free pieces that an output keeps. */
const SPARE_PIECES = 64;

/** A file that is being written. */
export interface ParquetOutput {
  readonly sink: ByteSink;
  /** Bytes so far. */
  offset: number;
  /** Bytes that the sink has; more than `offset` if some were written before their turn. */
  early: number;
  /** Settles when the sink has taken everything passed to it; does not reject while nobody waits for it. */
  written: Promise<void>;
  /** Bytes that were passed to the sink and that it has not taken yet. */
  waiting: number;
  /** Memory for pieces, which are free again once the sink has taken them. */
  readonly arena: MemoryArena;
  /** Bytes that are passed to the sink together. */
  gathered: Uint8Array<ArrayBuffer>;
  gatheredLength: number;
}

/** Where a file is written, and with which memory. */
export interface WriteFileOptions {
  /** Encodes metadata and their length. Default: without encryption. */
  readonly footerOf?: ((metadata: FileMetaData) => Uint8Array) | undefined;
  /** Bytes that the sink has already; they start as the file does. Default 0. */
  readonly early?: number | undefined;
  /** Memory that files written one after the other share. Default: a new one. */
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
  // A part of its own: the arena may be that of the scan whose batches are written.
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
 * Counts those of the next `length` bytes as written that the sink has already. Callers know that they are the same.
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
 * Writes bytes after all earlier ones. Returns before the sink has taken them, unless many wait.
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
 * Copies bytes `start` to `end` of a source. Returns before the sink has taken them, unless many wait.
 * @throws {CFileError} as `readExactly`; what the sink throws, possibly for earlier bytes
 */
export async function copyRange(
  out: ParquetOutput,
  source: ByteSource,
  start: number,
  end: number,
): Promise<void> {
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

/** Other bytes follow than those that were written early. */
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
