/**
 * Segments of a write-ahead log (docs/spec/kudu-wal.md#2-segment and docs/spec/kudu-wal.md#3-entry):
 *
 * | part | bytes |
 * | --- | --- |
 * | header | `kudulogf`, u32 length, LogSegmentHeaderPB |
 * | entry | u32 stored length, u32 uncompressed length, u32 CRC of the stored data, u32 CRC of these 12 bytes, data |
 * | footer, of closed segments | LogSegmentFooterPB, `closedls`, u32 length of the message |
 *
 * Old segments, whose header has field 1, have entries of u32 length, u32 CRC of the data, u32 CRC of these 8 bytes, data.
 */
import { ByteReader, CFileError, corrupt, crc32c, withErrorContext } from "@cfile/bytes";
import type { CompressionType } from "@cfile/compression";
import { compressionTypeFromId } from "@cfile/compression";
import { builtinCodecs } from "@cfile/compression/codecs";
import { type DecodeKernels, portableDecoders } from "@cfile/kernels";
import { MessageReader } from "@cfile/protobuf/read";
import { requireCFileError } from "../blocks/problems.js";
import { type KuduSchema, schemaOf } from "../catalog/schema-message.js";
import { decodeLogSegmentHeaderPB, type SchemaPB } from "../generated/decode.js";
import { isPartlyWritten, isUnwritten } from "./torn-entry.js";

/** One file of a write-ahead log; see docs/spec/kudu-wal.md#2-segment. `T` is what is kept of a message; default: its bytes. */
export interface LogSegment<T = Uint8Array> {
  readonly path: string;
  readonly tabletId: string;
  readonly sequence: number;
  /** The tablet's schema when the segment began. No checksum protects it. */
  readonly schema: KuduSchema;
  readonly schemaVersion: number | undefined;
  /** @internal */
  readonly schemaMessage: SchemaPB;
  /** LogEntryBatchPB messages, up to the first that cannot be read. */
  readonly entries: readonly LogBatch<T>[];
  /** Messages after damage. */
  readonly behindDamage: readonly LogBatch<T>[];
  /** Whether the segment was closed by the server. */
  readonly closed: boolean;
  /** The error of an incomplete last entry; its offset is where the entry begins. */
  readonly torn: CFileError | undefined;
  /** The error that stopped reading: damage before the last entry, or to a last entry that was completely written. */
  readonly damage: CFileError | undefined;
}

interface LogBatch<T> {
  /** Where the entry begins. */
  readonly offset: number;
  readonly data: T;
}

/** The kernels that read a log. */
type LogKernels = Pick<DecodeKernels, "crc32c" | "lz4Decompress">;

/** How the message of an entry is read and kept. */
interface EntryReading<T> {
  readonly kernels: LogKernels;
  /** Allocates memory for a decompressed message. */
  readonly memory: (length: number) => Uint8Array;
  /** @param unpack decompresses the message again, into new memory */
  readonly keep: (offset: number, data: Uint8Array, unpack: () => Uint8Array) => LogBatch<T>;
}

const newMemory = (length: number): Uint8Array => new Uint8Array(length);
const WHOLE: Omit<EntryReading<Uint8Array>, "kernels"> = {
  memory: newMemory,
  keep: (offset, data) => ({ offset, data }),
};

interface SegmentHeader
  extends Pick<LogSegment, "tabletId" | "sequence" | "schema" | "schemaVersion" | "schemaMessage"> {
  readonly codec: CompressionType;
  readonly isOld: boolean;
}

const HEADER_MAGIC = /* @__PURE__ */ new TextEncoder().encode("kudulogf");
const FOOTER_MAGIC = /* @__PURE__ */ new TextEncoder().encode("closedls");
const NO_COMPRESSION = 1;
const MAX_HEADER = 8 * 1024 * 1024;
const MAX_ENTRY = 64 * 1024 * 1024;
/** Maximum number of bytes from one compressed byte: zlib reaches 1,032, LZ4 255. */
const MAX_EXPANSION = 1100;

/**
 * Parses a segment up to its end, or to a torn or damaged entry.
 *
 * @param start where the segment begins: after the header of an encrypted file
 * @throws {CFileError} with the path, if the header cannot be read: `E_TRUNCATED`, `E_CORRUPT`, `E_LIMIT`, `E_UNSUPPORTED`
 */
export function parseLogSegment(bytes: Uint8Array, path: string, start = 0): LogSegment {
  return readSegment(bytes, path, start, { ...WHOLE, kernels: portableDecoders });
}

/** {@link parseLogSegment} with other kernels, for callers that have loaded them. */
export function segmentParser(kernels: LogKernels): typeof parseLogSegment {
  return (bytes, path, start = 0) => readSegment(bytes, path, start, { ...WHOLE, kernels });
}

/**
 * As {@link segmentParser}; messages stay compressed, and are decompressed each time one is read: a large segment expands to several
 * times its size.
 */
export function packedSegmentParser(kernels: LogKernels): typeof parseLogSegment {
  return (bytes, path, start = 0) =>
    readSegment(bytes, path, start, {
      kernels,
      memory: reusedMemory(),
      keep: (offset, _, unpack) => ({
        offset,
        get data() {
          return unpack();
        },
      }),
    });
}

/**
 * As {@link segmentParser}, without keeping the messages.
 *
 * @param keep receives the bytes of each message, which are only valid during the call, and returns the value to keep
 */
export function outlineParser<T>(
  kernels: LogKernels,
  keep: (data: Uint8Array) => T,
): (bytes: Uint8Array, path: string, start: number) => LogSegment<T> {
  return (bytes, path, start) =>
    readSegment(bytes, path, start, {
      kernels,
      memory: reusedMemory(),
      keep: (offset, data) => ({ offset, data: keep(data) }),
    });
}

/** Memory for one message at a time. */
function reusedMemory(): (length: number) => Uint8Array {
  let scratch = new Uint8Array(0);
  return (length) => {
    if (scratch.length < length) {
      scratch = new Uint8Array(2 * length);
    }
    return scratch.subarray(0, length);
  };
}

function readSegment<T>(
  bytes: Uint8Array,
  path: string,
  start: number,
  reading: EntryReading<T>,
): LogSegment<T> {
  return withErrorContext({ path }, () => {
    const reader = new ByteReader(bytes, Math.min(start, bytes.length));
    const header = readHeader(reader);
    const footer = footerStart(bytes, reader.position);
    const closed = footer !== undefined;
    const { entries, behindDamage, error, isTorn } = readEntries(
      new ByteReader(bytes, reader.position, footer),
      { ...header, closed, isEncrypted: start > 0 },
      reading,
    );
    const problem = error?.within({ path });
    const [torn, damage] = isTorn ? [problem, undefined] : [undefined, problem];
    return { path, ...header, entries, behindDamage, torn, damage, closed };
  });
}

function readHeader(reader: ByteReader): SegmentHeader {
  const { position: offset } = reader;
  const magic = reader.take(HEADER_MAGIC.length, "magic");
  if (HEADER_MAGIC.some((byte, i) => byte !== magic[i])) {
    throw corrupt("not a segment of a write-ahead log", { offset, field: "magic" });
  }
  const length = reader.u32le("header length");
  if (length > MAX_HEADER) {
    const reason = `header of ${length} bytes (maximum ${MAX_HEADER})`;
    throw new CFileError("E_LIMIT", reason, { offset, field: "header length" });
  }
  const header = new MessageReader(reader.take(length, "header"), "LogSegmentHeaderPB");
  const { deprecatedMajorVersion, ...message } = decodeLogSegmentHeaderPB(header);
  const { compressionCodec = NO_COMPRESSION, incompatibleFeatures: features } = message;
  if (features.length > 0) {
    const reason = `the log uses unknown features: ${features.join(", ")}`;
    throw new CFileError("E_UNSUPPORTED", reason, { field: "incompatible_features" });
  }
  const codec = compressionTypeFromId(compressionCodec);
  if (codec === undefined) {
    const reason = `unsupported compression: ${compressionCodec}`;
    throw new CFileError("E_UNSUPPORTED", reason, { field: "compression_codec" });
  }
  return {
    tabletId: message.tabletId,
    sequence: message.sequenceNumber,
    schema: schemaOf(message.schema),
    schemaVersion: message.schemaVersion,
    schemaMessage: message.schema,
    codec,
    isOld: deprecatedMajorVersion !== undefined,
  };
}

/** Where the footer begins; `undefined` if the segment was not closed. */
function footerStart(bytes: Uint8Array, min: number): number | undefined {
  const tail = bytes.length - FOOTER_MAGIC.length - 4;
  if (tail < min || FOOTER_MAGIC.some((byte, i) => byte !== bytes[tail + i])) {
    return undefined;
  }
  const length = new ByteReader(bytes, bytes.length - 4).u32le("footer length");
  return length <= MAX_HEADER && tail - length >= min ? tail - length : undefined;
}

interface ReadEntries<T> {
  readonly entries: readonly LogBatch<T>[];
  readonly behindDamage: readonly LogBatch<T>[];
  /** The error of the first entry that cannot be read. */
  readonly error?: CFileError | undefined;
  /** Whether that entry is the last one and can be the result of a crash. */
  readonly isTorn?: boolean;
}

interface SegmentFacts extends SegmentHeader {
  readonly closed: boolean;
  readonly isEncrypted: boolean;
}

function readEntries<T>(
  reader: ByteReader,
  segment: SegmentFacts,
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
  { closed, isOld, isEncrypted }: SegmentFacts,
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
  { codec, isOld }: SegmentHeader,
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
