/**
 * Entries of a segment of a write-ahead log (docs/spec/kudu-wal.md#3-entry; see `log-segment.ts` for the layout): their checksums, and
 * which damage a crash can leave.
 */
import { ByteReader, CFileError, corrupt, crc32c } from "@cfile/bytes";
import type { CompressionType } from "@cfile/compression";
import { builtinCodecs } from "@cfile/compression/codecs";
import type { DecodeKernels } from "@cfile/kernels";
import { requireCFileError } from "../blocks/problems.js";
import { isPartlyWritten, isUnwritten } from "./torn-entry.js";

/** A message of a log. */
export interface LogBatch<T> {
  /** Where the entry begins. */
  readonly offset: number;
  readonly data: T;
}

/** The kernels that read a log. */
export type LogKernels = Pick<DecodeKernels, "crc32c" | "lz4Decompress">;

/** How the message of an entry is read and kept. */
export interface EntryReading<T> {
  readonly kernels: LogKernels;
  /** Allocates memory for a decompressed message. */
  readonly memory: (length: number) => Uint8Array;
  /** @param unpack decompresses the message again, into new memory */
  readonly keep: (offset: number, data: Uint8Array, unpack: () => Uint8Array) => LogBatch<T>;
}

const MAX_ENTRY = 64 * 1024 * 1024;
/** Maximum number of bytes from one compressed byte: zlib reaches 1,032, LZ4 255. */
const MAX_EXPANSION = 1100;

/** Memory for a message that is kept. */
export const newMemory = (length: number): Uint8Array => new Uint8Array(length);

export interface ReadEntries<T> {
  readonly entries: readonly LogBatch<T>[];
  readonly behindDamage: readonly LogBatch<T>[];
  /** The error of the first entry that cannot be read. */
  readonly error?: CFileError | undefined;
  /** Whether that entry is the last one and can be the result of a crash. */
  readonly isTorn?: boolean;
}

/** What the segment says about its entries. */
export interface EntryFormat {
  /** Codec of the messages, unless the segment is old. */
  readonly codec: CompressionType;
  readonly isOld: boolean;
  /** Whether the server closed the segment. */
  readonly closed: boolean;
  readonly isEncrypted: boolean;
}

/** Reads entries up to the end, or to a torn one, and those behind damage. */
export function readEntries<T>(
  reader: ByteReader,
  segment: EntryFormat,
  { memory, keep, kernels }: EntryReading<T>,
): ReadEntries<T> {
  const { bytes, end } = reader;
  const entries: LogBatch<T>[] = [];
  const behindDamage: LogBatch<T>[] = [];
  let first: CFileError | undefined;
  for (let at: number | undefined = reader.position; at !== undefined && at < end; ) {
    const offset = at;
    reader.position = offset;
    try {
      const entry = readEntry(reader, segment, kernels);
      const unpack = (): Uint8Array => unpacked(entry, newMemory, kernels);
      const batch = keep(offset, unpacked(entry, memory, kernels), unpack);
      (first === undefined ? entries : behindDamage).push(batch);
      at = reader.position;
    } catch (cause) {
      const { code, reason, field, expected, actual } = requireCFileError(cause);
      at = entryAfter(bytes, offset, end, segment.isOld);
      const error = new CFileError(code, reason, { offset, field, expected, actual });
      if (first === undefined && at === undefined && isLeftByCrash(bytes, error, segment)) {
        const isSpace = isUnwritten({ bytes, ...segment }, offset, end);
        return { entries, behindDamage, error: isSpace ? undefined : error, isTorn: true };
      }
      first ??= error;
    }
  }
  return { entries, behindDamage, error: first };
}

/** @param error error of the last entry */
function isLeftByCrash(
  bytes: Uint8Array,
  { code, field, offset = 0 }: CFileError,
  { closed, isOld, isEncrypted }: EntryFormat,
): boolean {
  if (closed || code !== "E_CHECKSUM") {
    return !closed && code === "E_TRUNCATED";
  }
  const header = offset + headerLength(isOld);
  const end =
    field === "entry checksum" ? header + new ByteReader(bytes, offset).u32le("entry length") : header;
  return isPartlyWritten({ bytes, isEncrypted }, offset, end);
}

/** Length of an entry's header, checksum included. */
function headerLength(isOld: boolean): number {
  return isOld ? 12 : 16;
}

/** An entry whose checksums are valid. */
interface StoredEntry {
  readonly stored: Uint8Array;
  /** Length of the message. */
  readonly expanded: number;
  /** `NO_COMPRESSION` if the stored bytes are the message. */
  readonly codec: CompressionType;
}

function readEntry(
  reader: ByteReader,
  { codec, isOld }: EntryFormat,
  kernels: Pick<LogKernels, "crc32c">,
): StoredEntry {
  const { position: offset } = reader;
  const length = reader.u32le("entry length");
  const expanded = isOld ? length : reader.u32le("uncompressed length");
  const dataCrc = reader.u32le("entry checksum");
  const covered = reader.bytes.subarray(offset, reader.position);
  checkCrc("entry header checksum", reader.u32le("entry header checksum"), crc32c(covered));
  if (length === 0 || length > MAX_ENTRY || expanded > MAX_ENTRY) {
    const reason = `entry of ${length} bytes, ${expanded} uncompressed (must be 1 to ${MAX_ENTRY})`;
    throw new CFileError(length === 0 ? "E_CORRUPT" : "E_LIMIT", reason, { field: "entry length" });
  }
  const stored = reader.take(length, "entry");
  checkCrc("entry checksum", dataCrc, kernels.crc32c(stored, 0, length));
  return { stored, expanded, codec: isOld ? "NO_COMPRESSION" : codec };
}

function unpacked(
  { stored, expanded, codec }: StoredEntry,
  memory: EntryReading<unknown>["memory"],
  kernels: LogKernels,
): Uint8Array {
  if (codec === "NO_COMPRESSION") {
    return stored;
  }
  const { length } = stored;
  if (expanded > MAX_EXPANSION * length) {
    const reason = `${length} compressed bytes cannot expand to ${expanded}`;
    throw corrupt(reason, { field: "uncompressed length", actual: expanded });
  }
  const data = memory(expanded);
  const { decompress } = builtinCodecs[codec];
  (codec === "LZ4" ? kernels.lz4Decompress(decompress) : decompress)(stored, data);
  return data;
}

function checkCrc(field: string, expected: number, actual: number): void {
  if (actual !== expected) {
    throw new CFileError("E_CHECKSUM", `${field} mismatch`, { field, expected, actual });
  }
}

/** The next offset with an entry header whose checksum is valid. If there is one, the damaged entry is not the last one. */
function entryAfter(bytes: Uint8Array, offset: number, end: number, isOld: boolean): number | undefined {
  const covered = headerLength(isOld) - 4;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = offset + 1; at + covered + 4 <= end; at++) {
    const length = view.getUint32(at, true);
    const fits = length > 0 && length <= end - at - covered - 4;
    if (fits && view.getUint32(at + covered, true) === crc32c(bytes.subarray(at, at + covered))) {
      return at;
    }
  }
  return undefined;
}
