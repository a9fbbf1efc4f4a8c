/**
 * Protobuf container files (docs/spec/kudu-data-dir.md#3-protobuf-container):
 *
 * | part | version 1 | version 2 |
 * | --- | --- | --- |
 * | header | `kuducntr`, u32 version | the same, u32 CRC-32C of both |
 * | record | u32 length, message, u32 CRC of both | u32 length, u32 CRC of it, message, u32 CRC of the message |
 *
 * The first record describes the messages that follow. If the server stopped during an append, the last record is incomplete.
 */
import { ByteReader, CFileError, corrupt, crc32c, withErrorContext } from "@cfile/bytes";
import { MessageReader } from "@cfile/protobuf/read";
import { decodeContainerSupHeaderPB } from "../generated/decode.js";
import { requireCFileError } from "./problems.js";

/** The records of a protobuf container file; see docs/spec/kudu-data-dir.md#3-protobuf-container. */
export interface ContainerFile {
  readonly version: 1 | 2;
  /** The first record, `ContainerSupHeaderPB`; `undefined` if the file ends before it. */
  readonly description: Uint8Array | undefined;
  /** Name of the message type; `undefined` if the file ends before it. */
  readonly type: string | undefined;
  readonly records: readonly Uint8Array[];
  /** File offset of each record. */
  readonly offsets: readonly number[];
  /** Where the last complete record ends. */
  readonly end: number;
  /** Whether an incomplete record follows `end`. This is not damage. */
  readonly torn: boolean;
  /** The error that stopped reading before the end of the file. */
  readonly damage: CFileError | undefined;
}

export const CONTAINER_MAGIC = /* @__PURE__ */ new TextEncoder().encode("kuducntr");

/** Whether a protobuf container file begins at `start`. */
export function isContainerFile(bytes: Uint8Array, start: number): boolean {
  return CONTAINER_MAGIC.every((byte, i) => byte === bytes[start + i]);
}
const MAX_RECORD_LENGTH = 64 * 1024 * 1024;

/**
 * Parses a file up to its end, or to the first damaged record.
 *
 * @param start where the container begins: after the header of an encrypted file
 * @throws {CFileError} with path and offset, if the header is damaged: `E_TRUNCATED`, `E_CORRUPT`, `E_CHECKSUM`, `E_UNSUPPORTED`
 */
export function parseContainerFile(bytes: Uint8Array, path: string, start = 0): ContainerFile {
  const reader = new ByteReader(bytes, Math.min(start, bytes.length));
  const version = withErrorContext({ path }, () => readHeader(reader));
  const records: Uint8Array[] = [];
  const offsets: number[] = [];
  let end = reader.position;
  let torn = false;
  let damage: CFileError | undefined;
  try {
    while (reader.remaining > 0 && !torn) {
      const record = version === 2 ? readRecord(reader) : readOldRecord(reader);
      torn = record === undefined;
      if (record !== undefined) {
        records.push(record);
        offsets.push(end);
        end = reader.position;
      }
    }
  } catch (error) {
    damage = requireCFileError(error).within({ path });
  }
  const [description] = records;
  let type: string | undefined;
  try {
    type =
      description &&
      decodeContainerSupHeaderPB(new MessageReader(description, "ContainerSupHeaderPB")).pbType;
  } catch (error) {
    // The messages can be read without their type.
    damage ??= requireCFileError(error).within({ path });
  }
  const rest = { records: records.slice(1), offsets: offsets.slice(1) };
  return { version, description, type, ...rest, end, torn, damage };
}

/** The only message of a file, and its description. */
export interface MetadataFile {
  /** `ContainerSupHeaderPB`: the file's first record. */
  readonly description: Uint8Array;
  readonly record: Uint8Array;
}

/**
 * The only message of a file.
 *
 * @throws {CFileError} `E_TRUNCATED` if the file has no message; as {@link parseContainerFile}
 */
export function onlyRecord(bytes: Uint8Array, path: string, start = 0): MetadataFile {
  const { description, records, damage, end } = parseContainerFile(bytes, path, start);
  const [record] = records;
  if (description === undefined || record === undefined) {
    throw damage ?? new CFileError("E_TRUNCATED", "the file has no record", { path, offset: end });
  }
  return { description, record };
}

function readHeader(reader: ByteReader): 1 | 2 {
  const { position: start, bytes } = reader;
  reader.take(CONTAINER_MAGIC.length, "magic");
  if (!isContainerFile(bytes, start)) {
    throw corrupt("not a protobuf container file", { offset: start, field: "magic" });
  }
  const version = reader.u32le("version");
  if (version !== 1 && version !== 2) {
    const details = { offset: start + CONTAINER_MAGIC.length, field: "version", actual: version };
    throw new CFileError(
      "E_UNSUPPORTED",
      `unsupported version of protobuf container files: ${version}`,
      details,
    );
  }
  if (version === 2) {
    checkCrc(reader, bytes.subarray(start, reader.position), "header checksum");
  }
  return version;
}

/** A record; `undefined` if it is incomplete. */
function readRecord(reader: ByteReader): Uint8Array | undefined {
  const { position: start, remaining } = reader;
  if (remaining < 12) {
    return undefined;
  }
  // Zeros are space allocated for records. The CRC of a zero length is not zero.
  if (reader.bytes.subarray(start, reader.end).every((byte) => byte === 0)) {
    return undefined;
  }
  const length = reader.u32le("record length");
  checkCrc(reader, reader.bytes.subarray(start, start + 4), "record length checksum");
  checkLength(length, start);
  if (length + 4 > reader.remaining) {
    return undefined;
  }
  const data = reader.take(length, "record");
  checkCrc(reader, data, "record checksum");
  return data;
}

function readOldRecord(reader: ByteReader): Uint8Array {
  const { position: start, remaining } = reader;
  const length = remaining < 8 ? 0 : reader.u32le("record length");
  if (length + 8 > remaining) {
    throw new CFileError("E_TRUNCATED", "the file ends inside a record", {
      offset: start,
      field: "record length",
    });
  }
  checkLength(length, start);
  const data = reader.take(length, "record");
  checkCrc(reader, reader.bytes.subarray(start, reader.position), "record checksum");
  return data;
}

function checkLength(length: number, offset: number): void {
  if (length > MAX_RECORD_LENGTH) {
    const reason = `record of ${length} bytes (maximum ${MAX_RECORD_LENGTH})`;
    throw new CFileError("E_LIMIT", reason, { offset, field: "record length" });
  }
}

function checkCrc(reader: ByteReader, covered: Uint8Array, field: string): void {
  const offset = reader.position;
  const expected = reader.u32le(field);
  const actual = crc32c(covered);
  if (expected !== actual) {
    throw new CFileError("E_CHECKSUM", `${field} mismatch`, { offset, field, expected, actual });
  }
}
