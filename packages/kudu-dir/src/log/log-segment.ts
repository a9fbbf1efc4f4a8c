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
import { ByteReader, CFileError, corrupt, withErrorContext } from "@cfile/bytes";
import { compressionTypeFromId } from "@cfile/compression";
import { portableDecoders } from "@cfile/kernels";
import { MessageReader } from "@cfile/protobuf/read";
import { type KuduSchema, schemaOf } from "../catalog/schema-message.js";
import { decodeLogSegmentHeaderPB, type SchemaPB } from "../generated/decode.js";
import {
  type EntryFormat,
  type EntryReading,
  type LogBatch,
  type LogKernels,
  newMemory,
  readEntries,
} from "./log-entries.js";

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

const WHOLE: Omit<EntryReading<Uint8Array>, "kernels"> = {
  memory: newMemory,
  keep: (offset, data) => ({ offset, data }),
};

type SegmentHeader = Pick<EntryFormat, "codec" | "isOld"> &
  Pick<LogSegment, "tabletId" | "sequence" | "schema" | "schemaVersion" | "schemaMessage">;

const HEADER_MAGIC = /* @__PURE__ */ new TextEncoder().encode("kudulogf");
const FOOTER_MAGIC = /* @__PURE__ */ new TextEncoder().encode("closedls");
const NO_COMPRESSION = 1;
const MAX_HEADER = 8 * 1024 * 1024;

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
