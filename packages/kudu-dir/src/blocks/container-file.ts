/**
 * Protobuf container files (docs/spec/kudu-data-dir.md#3-protobuf-container):
 *
 * | part | version 1 | version 2 |
 * | --- | --- | --- |
 * | header | `kuducntr`, u32 version | the same, u32 CRC-32C of both |
 * | record | u32 length, message, u32 CRC of both | u32 length, u32 CRC of it, message, u32 CRC of the message |
 *
 * The first record describes the messages that follow. Whoever appends may have been stopped in the middle of the last record.
 */
import { ByteReader, CFileError, type CFileErrorCode, corrupt, crc32c, isCFileError } from "@cfile/bytes";
import { MessageReader } from "@cfile/protobuf/read";
import { decodeContainerSupHeaderPB } from "../generated/decode.js";

/** The records of a protobuf container file; see docs/spec/kudu-data-dir.md#3-protobuf-container. */
export interface ContainerFile {
  readonly version: 1 | 2;
  /** Name of the messages' type; `undefined` when the file ends before it. */
  readonly type: string | undefined;
  readonly records: readonly Uint8Array[];
  /** Where each record begins in the file. */
  readonly offsets: readonly number[];
  /** Where the last whole record ends. */
  readonly end: number;
  /** Whether the bytes behind `end` are a record that was not written to its end, which is no damage. */
  readonly torn: boolean;
  /** What ended the reading before the end of the file. */
  readonly damage: CFileError | undefined;
}

const MAGIC = /* @__PURE__ */ new TextEncoder().encode("kuducntr");

/** Whether a protobuf container file begins at `start`. */
export function isContainerFile(bytes: Uint8Array, start: number): boolean {
  return MAGIC.every((byte, i) => byte === bytes[start + i]);
}
const MAX_RECORD_LENGTH = 64 * 1024 * 1024;

/**
 * Parses a file up to its end or to what cannot be read.
 *
 * @param start where the container begins, behind the header of an encrypted file
 * @throws CFileError with path and offset in the file. `E_TRUNCATED`, `E_CORRUPT`, `E_CHECKSUM`, `E_UNSUPPORTED`: it has no header of a container
 */
export function parseContainerFile(bytes: Uint8Array, path: string, start = 0): ContainerFile {
  const reader = new ByteReader(bytes, Math.min(start, bytes.length));
  let version: 1 | 2;
  try {
    version = readHeader(reader);
  } catch (error) {
    throw isCFileError(error) ? error.within({ path }) : error;
  }
  const records: Uint8Array[] = [];
  const offsets: number[] = [];
  let end = reader.position;
  let torn = false;
  let damage: CFileError | undefined;
  while (reader.remaining > 0) {
    const outcome = version === 2 ? readRecord(reader) : readOldRecord(reader);
    if (!(outcome instanceof Uint8Array)) {
      torn = outcome === "torn";
      damage = outcome === "torn" ? undefined : outcome.within({ path });
      break;
    }
    records.push(outcome);
    offsets.push(end);
    end = reader.position;
  }
  const [description] = records;
  let type: string | undefined;
  if (description !== undefined) {
    try {
      type = decodeContainerSupHeaderPB(new MessageReader(description, "ContainerSupHeaderPB")).pbType;
    } catch (error) {
      // The messages are read without it.
      damage ??= isCFileError(error) ? error.within({ path }) : undefined;
    }
  }
  return { version, type, records: records.slice(1), offsets: offsets.slice(1), end, torn, damage };
}

/**
 * The message of a file that has one.
 *
 * @throws CFileError `E_TRUNCATED` when there is none, and what ended the reading
 */
export function onlyRecord(bytes: Uint8Array, path: string, start = 0): Uint8Array {
  const { records, damage, end } = parseContainerFile(bytes, path, start);
  const [record] = records;
  if (record === undefined) {
    throw damage ?? new CFileError("E_TRUNCATED", "the file has no record", { path, offset: end });
  }
  return record;
}

function readHeader(reader: ByteReader): 1 | 2 {
  const { position: start } = reader;
  const magic = reader.take(MAGIC.length, "magic");
  if (MAGIC.some((byte, i) => byte !== magic[i])) {
    throw corrupt("no protobuf container file", { offset: start, field: "magic" });
  }
  const version = reader.u32le("version");
  if (version !== 1 && version !== 2) {
    throw new CFileError("E_UNSUPPORTED", `version ${version} of protobuf container files`, {
      offset: start + MAGIC.length,
      field: "version",
      actual: version,
    });
  }
  if (version === 2) {
    const covered = reader.bytes.subarray(start, reader.position);
    const wrong = checkCrc(reader, covered, "header checksum");
    if (wrong !== undefined) {
      throw wrong;
    }
  }
  return version;
}

type Outcome = Uint8Array | "torn" | CFileError;

function readRecord(reader: ByteReader): Outcome {
  const { position: start, remaining } = reader;
  if (remaining < 12) {
    return "torn";
  }
  const length = reader.u32le("record length");
  const wrong = checkCrc(reader, reader.bytes.subarray(start, start + 4), "record length checksum");
  if (wrong !== undefined) {
    return isZero(reader.bytes.subarray(start, reader.end)) ? "torn" : wrong;
  }
  if (length > MAX_RECORD_LENGTH) {
    return recordError("E_LIMIT", `a record of ${length} bytes`, start);
  }
  if (length + 4 > reader.remaining) {
    return "torn";
  }
  const data = reader.take(length, "record");
  return checkCrc(reader, data, "record checksum") ?? data;
}

function readOldRecord(reader: ByteReader): Outcome {
  const { position: start, remaining } = reader;
  const length = remaining < 8 ? 0 : reader.u32le("record length");
  if (length + 8 > remaining) {
    return recordError("E_TRUNCATED", "the file ends inside a record", start);
  }
  if (length > MAX_RECORD_LENGTH) {
    return recordError("E_LIMIT", `a record of ${length} bytes`, start);
  }
  const data = reader.take(length, "record");
  return checkCrc(reader, reader.bytes.subarray(start, reader.position), "record checksum") ?? data;
}

function recordError(code: CFileErrorCode, reason: string, offset: number): CFileError {
  return new CFileError(code, reason, { offset, field: "record length" });
}

function checkCrc(reader: ByteReader, covered: Uint8Array, field: string): CFileError | undefined {
  const offset = reader.position;
  const expected = reader.u32le(field);
  const actual = crc32c(covered);
  return expected === actual
    ? undefined
    : new CFileError("E_CHECKSUM", `the ${field} does not fit`, { offset, field, expected, actual });
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0);
}
