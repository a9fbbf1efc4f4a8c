/**
 * Segments of a write-ahead log (docs/spec/kudu-wal.md#2-segment and docs/spec/kudu-wal.md#3-entry):
 *
 * | part | bytes |
 * | --- | --- |
 * | header | `kudulogf`, u32 length, LogSegmentHeaderPB |
 * | entry | u32 stored length, u32 uncompressed length, u32 CRC of what is stored, u32 CRC of these 12 bytes, data |
 * | footer, of closed segments | LogSegmentFooterPB, `closedls`, u32 length of the message |
 *
 * Old segments, whose header has field 1, have entries of u32 length, u32 CRC of the data, u32 CRC of these 8 bytes, data.
 */
import { ByteReader, CFileError, corrupt, crc32c, isCFileError } from "@cfile/bytes";
import type { CompressionType } from "@cfile/compression";
import { compressionTypeFromId } from "@cfile/compression";
import { builtinCodecs } from "@cfile/compression/codecs";
import { MessageReader } from "@cfile/protobuf/read";
import { type KuduSchema, schemaOf } from "../catalog/schema-message.js";
import { decodeLogSegmentHeaderPB } from "../generated/decode.js";

/** One file of a write-ahead log; see docs/spec/kudu-wal.md#2-segment. */
export interface LogSegment {
  readonly path: string;
  readonly tabletId: string;
  readonly sequence: number;
  /** The tablet's when the segment began. */
  readonly schema: KuduSchema;
  /** LogEntryBatchPB messages. */
  readonly entries: readonly LogBatch[];
  /** Whether the segment was closed by the server. */
  readonly closed: boolean;
  /** What is wrong with the last entry, which was not written to its end; its offset is where the entry begins. */
  readonly torn: CFileError | undefined;
  /** What ended the reading before its end. */
  readonly damage: CFileError | undefined;
}

interface LogBatch {
  /** Where the entry begins. */
  readonly offset: number;
  readonly data: Uint8Array;
}

interface SegmentHeader {
  readonly tabletId: string;
  readonly sequence: number;
  readonly schema: KuduSchema;
  readonly codec: CompressionType;
  readonly isOld: boolean;
}

const HEADER_MAGIC = /* @__PURE__ */ new TextEncoder().encode("kudulogf");
const FOOTER_MAGIC = /* @__PURE__ */ new TextEncoder().encode("closedls");
const NO_COMPRESSION = 1;
const MAX_HEADER = 8 * 1024 * 1024;
const MAX_ENTRY = 64 * 1024 * 1024;
/** No codec makes more of a byte: zlib up to 1,032, LZ4 255. */
const MOST_EXPANSION = 1100;

/**
 * Parses a segment up to its end, a torn entry or damage.
 *
 * @param start where the segment begins, behind the header of an encrypted file
 * @throws CFileError with path. `E_TRUNCATED`, `E_CORRUPT`, `E_LIMIT`, `E_UNSUPPORTED`: the header cannot be read
 */
export function parseLogSegment(bytes: Uint8Array, path: string, start = 0): LogSegment {
  try {
    const reader = new ByteReader(bytes, Math.min(start, bytes.length));
    const header = readHeader(reader);
    const footer = footerStart(bytes, reader.position);
    const read = readEntries(bytes, reader.position, footer ?? bytes.length, header, footer !== undefined);
    const [torn, damage] = [read.torn, read.damage].map((error) => error?.within({ path }));
    return { path, ...header, entries: read.entries, torn, damage, closed: footer !== undefined };
  } catch (error) {
    throw isCFileError(error) ? error.within({ path }) : error;
  }
}

function readHeader(reader: ByteReader): SegmentHeader {
  const { position } = reader;
  const magic = reader.take(HEADER_MAGIC.length, "magic");
  if (HEADER_MAGIC.some((byte, i) => byte !== magic[i])) {
    throw corrupt("no segment of a write-ahead log", { offset: position, field: "magic" });
  }
  const length = reader.u32le("header length");
  if (length > MAX_HEADER) {
    throw new CFileError("E_LIMIT", `a header of ${length} bytes`, {
      offset: position,
      field: "header length",
    });
  }
  const header = new MessageReader(reader.take(length, "header"), "LogSegmentHeaderPB");
  const { deprecatedMajorVersion, ...message } = decodeLogSegmentHeaderPB(header);
  const { compressionCodec = NO_COMPRESSION, incompatibleFeatures: features } = message;
  const codec = compressionTypeFromId(compressionCodec);
  if (features.length > 0 || codec === undefined) {
    throw new CFileError(
      "E_UNSUPPORTED",
      features.length > 0 ? "the log uses features that are not known" : `compression ${compressionCodec}`,
      { field: features.length > 0 ? "incompatible_features" : "compression_codec" },
    );
  }
  return {
    tabletId: message.tabletId,
    sequence: message.sequenceNumber,
    schema: schemaOf(message.schema),
    codec,
    isOld: deprecatedMajorVersion !== undefined,
  };
}

/** Where the footer's message begins; `undefined` in a segment that was not closed. */
function footerStart(bytes: Uint8Array, least: number): number | undefined {
  const tail = bytes.length - FOOTER_MAGIC.length - 4;
  if (tail < least || FOOTER_MAGIC.some((byte, i) => byte !== bytes[tail + i])) {
    return undefined;
  }
  const length = new ByteReader(bytes, bytes.length - 4).u32le("footer length");
  return length <= MAX_HEADER && tail - length >= least ? tail - length : undefined;
}

function readEntries(
  bytes: Uint8Array,
  start: number,
  end: number,
  header: SegmentHeader,
  closed: boolean,
): Pick<LogSegment, "entries" | "torn" | "damage"> {
  const reader = new ByteReader(bytes, start, end);
  const entries: LogBatch[] = [];
  while (reader.remaining > 0) {
    const offset = reader.position;
    try {
      entries.push({ offset, data: readEntry(reader, header) });
    } catch (error) {
      if (!isCFileError(error)) {
        throw error;
      }
      const isTorn = !closed && !hasEntryAfter(bytes, offset, end, header.isOld);
      const isSpace = bytes.subarray(offset, end).every((byte) => byte === 0);
      const problem =
        isSpace && isTorn ? undefined : new CFileError(error.code, error.reason, { ...error, offset });
      return isTorn
        ? { entries, torn: problem, damage: undefined }
        : { entries, torn: undefined, damage: problem };
    }
  }
  return { entries, torn: undefined, damage: undefined };
}

function readEntry(reader: ByteReader, { codec, isOld }: SegmentHeader): Uint8Array {
  const { position: offset } = reader;
  const length = reader.u32le("entry length");
  const expanded = isOld ? length : reader.u32le("uncompressed length");
  const dataCrc = reader.u32le("entry checksum");
  const covered = reader.bytes.subarray(offset, reader.position);
  if (reader.u32le("entry header checksum") !== crc32c(covered)) {
    throw new CFileError("E_CHECKSUM", "the header of the entry does not fit its checksum", {
      offset,
      field: "entry header checksum",
    });
  }
  if (length === 0 || length > MAX_ENTRY || expanded > MAX_ENTRY) {
    throw new CFileError(
      length === 0 ? "E_CORRUPT" : "E_LIMIT",
      `an entry of ${length} bytes, ${expanded} uncompressed`,
      {
        offset,
        field: "entry length",
      },
    );
  }
  const stored = reader.take(length, "entry");
  if (dataCrc !== crc32c(stored)) {
    throw new CFileError("E_CHECKSUM", "the entry does not fit its checksum", {
      offset,
      field: "entry checksum",
    });
  }
  if (codec === "NO_COMPRESSION" || isOld) {
    return stored;
  }
  if (expanded > MOST_EXPANSION * length) {
    throw corrupt(`${length} bytes do not expand to ${expanded}`, {
      offset,
      field: "uncompressed length",
      actual: expanded,
    });
  }
  const data = new Uint8Array(expanded);
  builtinCodecs[codec].decompress(stored, data);
  return data;
}

/** Whether a header that fits its checksum stands anywhere behind: then what is broken here is not the end. */
function hasEntryAfter(bytes: Uint8Array, offset: number, end: number, isOld: boolean): boolean {
  const covered = isOld ? 8 : 12;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = offset + 1; at + covered + 4 <= end; at++) {
    const length = view.getUint32(at, true);
    const fits = length > 0 && length <= end - at - covered - 4;
    if (fits && view.getUint32(at + covered, true) === crc32c(bytes.subarray(at, at + covered))) {
      return true;
    }
  }
  return false;
}
