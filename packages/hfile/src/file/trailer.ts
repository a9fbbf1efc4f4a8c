/**
 * The trailer: the last 4096 bytes (docs/spec/hfile.md#10-trailer).
 *
 * | offset | bytes |
 * | --- | --- |
 * | 0 | `TRABLK"$` |
 * | 8 | varint length of the message, the message, zeros |
 * | 4092 | version, big-endian: minor in the top byte, major in the other three |
 *
 * `proto/hfile.proto` has the fields of the message.
 */
import { ByteBuilder, ByteReader, CFileError, corrupt, type Limits, utf8Bytes } from "@cfile/bytes";
import { MessageReader } from "@cfile/protobuf/read";
import { messageBytes } from "@cfile/protobuf/write";
import { readVarint32, writeLengthPrefixed } from "@cfile/varint";
import { MAGIC_LENGTH, magicAt, TRAILER_MAGIC } from "../blocks/block-kind.js";
import { codecFromId, codecId, type HFileCodec } from "../blocks/hfile-codec.js";
import { mismatch } from "../blocks/mismatch.js";
import { decodeTrailer } from "../generated/decode.js";
import { encodeTrailer as encodeFields } from "../generated/encode.js";

export const TRAILER_LENGTH = 4096;
const VERSION_OFFSET = TRAILER_LENGTH - 4;
const MAJOR_VERSION = 3;
const NO_OFFSET = 2n ** 64n - 1n;

/** The last 4096 bytes of a file, checked; see docs/spec/hfile.md#10-trailer. Offsets and sizes in bytes. */
export interface HFileTrailer {
  readonly majorVersion: number;
  /** 3 from HBase, 0 from Hudi's own writer. */
  readonly minorVersion: number;
  readonly fileInfoOffset: number;
  /** Offset of the load-on-open section, which starts with the root data index. */
  readonly loadOnOpenOffset: number;
  readonly uncompressedDataIndexSize: number;
  /** `undefined` when the writer did not record it. */
  readonly totalUncompressedBytes: number | undefined;
  /** Entries of the root data index. */
  readonly dataIndexCount: number;
  readonly metaIndexCount: number;
  /** Number of cells. */
  readonly entryCount: number;
  /** Levels of the data index, 1 even in an empty file. */
  readonly indexLevels: number;
  /** `undefined` when there are no data blocks. */
  readonly firstDataBlockOffset: number | undefined;
  /** Offset of the last data block; Hudi's own writer stores 0 in files without data blocks. */
  readonly lastDataBlockOffset: number | undefined;
  /** Class name; informational. */
  readonly comparator: string;
  readonly codec: HFileCodec;
}

/**
 * @param bytes the last 4096 bytes of a file
 * @throws {CFileError} `E_CORRUPT` when they are not a trailer, or its offsets are outside the file; `E_UNSUPPORTED` for
 *   other versions, an encrypted file or an unsupported codec; `E_LIMIT` for too many index levels
 */
export function parseTrailer(bytes: Uint8Array, fileSize: number, limits: Limits): HFileTrailer {
  if (bytes.length !== TRAILER_LENGTH || magicAt(bytes, 0) !== TRAILER_MAGIC) {
    throw corrupt("the file does not end with an HFile trailer", { offset: 0, field: "trailer magic" });
  }
  const version = new DataView(bytes.buffer, bytes.byteOffset).getUint32(VERSION_OFFSET);
  const majorVersion = version & 0xffffff;
  if (majorVersion !== MAJOR_VERSION) {
    const reason = `unsupported HFile version ${majorVersion} (supported: 3)`;
    const versions = { expected: MAJOR_VERSION, actual: majorVersion };
    throw new CFileError("E_UNSUPPORTED", reason, { offset: VERSION_OFFSET, field: "version", ...versions });
  }
  const outer = new ByteReader(bytes, MAGIC_LENGTH, VERSION_OFFSET);
  const length = readVarint32(outer, "trailer length");
  outer.require(length, "trailer");
  const start = outer.position;
  const message = decodeTrailer(new MessageReader(bytes, "trailer", start, start + length));
  if (message.encryptionKey !== undefined) {
    throw new CFileError("E_UNSUPPORTED", "the file is encrypted", { offset: start, field: "encrypted key" });
  }
  const end = fileSize - TRAILER_LENGTH;
  const loadOnOpenOffset = requireOffset(message.loadOnOpenOffset, "load-on-open offset", end);
  const fileInfoOffset = requireOffset(message.fileInfoOffset, "file info offset", end);
  if (fileInfoOffset < loadOnOpenOffset) {
    throw mismatch("file info offset", 0, `at least ${loadOnOpenOffset}`, fileInfoOffset);
  }
  const { indexLevels = 1 } = message;
  if (indexLevels < 1 || indexLevels > limits.maxIndexDepth) {
    const code = indexLevels < 1 ? "E_CORRUPT" : "E_LIMIT";
    const reason = `index has ${indexLevels} levels (1 to ${limits.maxIndexDepth} allowed)`;
    const details = { field: "index levels", expected: limits.maxIndexDepth, actual: indexLevels };
    throw new CFileError(code, reason, { offset: 0, ...details });
  }
  const { firstDataBlockOffset, lastDataBlockOffset } = message;
  return {
    majorVersion,
    minorVersion: version >>> 24,
    fileInfoOffset,
    loadOnOpenOffset,
    uncompressedDataIndexSize: message.uncompressedDataIndexSize ?? 0,
    totalUncompressedBytes: message.totalUncompressedBytes,
    dataIndexCount: message.dataIndexCount ?? 0,
    metaIndexCount: message.metaIndexCount ?? 0,
    entryCount: message.entryCount ?? 0,
    indexLevels,
    firstDataBlockOffset: optionalOffset(firstDataBlockOffset, "first data block offset", loadOnOpenOffset),
    lastDataBlockOffset: optionalOffset(lastDataBlockOffset, "last data block offset", loadOnOpenOffset),
    comparator: message.comparator ?? "",
    codec: codecFromId(message.compressionCodec ?? codecId("NONE")),
  };
}

function requireOffset(value: number | undefined, name: string, end: number): number {
  if (value === undefined || value >= end) {
    throw mismatch(name, 0, `below ${end}`, value);
  }
  return value;
}

function optionalOffset(value: bigint | undefined, name: string, last: number): number | undefined {
  return value === undefined || value === NO_OFFSET
    ? undefined
    : requireOffset(Number(value), name, last + 1);
}

/** Encodes a trailer as 4096 bytes. */
export function encodeTrailer(trailer: HFileTrailer): Uint8Array {
  const message = messageBytes(encodeFields, {
    ...trailer,
    firstDataBlockOffset: BigInt(trailer.firstDataBlockOffset ?? NO_OFFSET),
    lastDataBlockOffset: BigInt(trailer.lastDataBlockOffset ?? NO_OFFSET),
    compressionCodec: codecId(trailer.codec),
  });
  const out = new ByteBuilder(TRAILER_LENGTH);
  out.append(utf8Bytes(TRAILER_MAGIC));
  writeLengthPrefixed(out, message);
  out.append(new Uint8Array(Math.max(0, VERSION_OFFSET - out.length)));
  out.u32be(((trailer.minorVersion << 24) | trailer.majorVersion) >>> 0);
  return out.finish();
}
