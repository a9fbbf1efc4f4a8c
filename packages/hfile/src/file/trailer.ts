/**
 * The trailer: the last 4096 bytes (docs/spec/hfile.md#10-trailer).
 *
 * | offset | bytes |
 * | --- | --- |
 * | 0 | `TRABLK"$` |
 * | 8 | varint length of the message, the message, zeros |
 * | 4092 | version, big-endian: minor in the top byte, major in the other three |
 *
 * Fields of the message: 1 offset of the file info, 2 of the root index, 3 uncompressed bytes of the data index, 4 of
 * everything, 5 and 6 entries of the two root indexes, 7 cells, 8 levels, 9 and 10 first and last data block, 11
 * comparator, 12 compression, 13 encrypted key.
 */
import { ByteBuilder, ByteReader, CFileError, corrupt, type Limits } from "@cfile/bytes";
import {
  readLengthPrefixed,
  readVarint32,
  readVarint64,
  readVarint64BigInt,
  skipProtobufField,
  writeLengthPrefixed,
  writeVarint32,
  writeVarint64,
} from "@cfile/varint";
import { asciiBytes, MAGIC_LENGTH, magicAt, TRAILER_MAGIC } from "../blocks/block-kind.js";
import { codecFromId, codecId, type HFileCodec } from "../blocks/hfile-codec.js";

export const TRAILER_LENGTH = 4096;
const VERSION_OFFSET = TRAILER_LENGTH - 4;
const MAJOR_VERSION = 3;
const NO_OFFSET = 2n ** 64n - 1n;

export interface HFileTrailer {
  readonly majorVersion: number;
  /** 3 from HBase, 0 from Hudi's own writer. */
  readonly minorVersion: number;
  readonly fileInfoOffset: number;
  /** Where the load-on-open section begins: the root data index. */
  readonly loadOnOpenOffset: number;
  readonly uncompressedDataIndexSize: number;
  /** `undefined` where the writer does not say. */
  readonly totalUncompressedBytes: number | undefined;
  /** Entries of the root data index. */
  readonly dataIndexCount: number;
  readonly metaIndexCount: number;
  /** Cells. */
  readonly entryCount: number;
  /** Levels of the data index, 1 even in an empty file. */
  readonly indexLevels: number;
  /** `undefined` when there are no data blocks. */
  readonly firstDataBlockOffset: number | undefined;
  /** Where the last data block begins; Hudi's own writer puts 0 into files without one. */
  readonly lastDataBlockOffset: number | undefined;
  /** Class name, for information. */
  readonly comparator: string;
  readonly codec: HFileCodec;
}

/**
 * @param bytes the last 4096 bytes of a file
 * @throws CFileError `E_CORRUPT` when they are no trailer, or its offsets lie outside the file; `E_UNSUPPORTED` for
 *   another version, an encrypted file or a codec that is not read; `E_LIMIT` for too many index levels
 */
export function parseTrailer(bytes: Uint8Array, fileSize: number, limits: Limits): HFileTrailer {
  if (bytes.length !== TRAILER_LENGTH || magicAt(bytes, 0) !== TRAILER_MAGIC) {
    throw corrupt("no trailer of an HFile stands at the end", { offset: 0, field: "trailer magic" });
  }
  const version = new DataView(bytes.buffer, bytes.byteOffset).getUint32(VERSION_OFFSET);
  const majorVersion = version & 0xffffff;
  if (majorVersion !== MAJOR_VERSION) {
    throw new CFileError("E_UNSUPPORTED", `HFile version ${majorVersion}; ${MAJOR_VERSION} is supported`, {
      offset: VERSION_OFFSET,
      field: "version",
      expected: MAJOR_VERSION,
      actual: majorVersion,
    });
  }
  const outer = new ByteReader(bytes, MAGIC_LENGTH, VERSION_OFFSET);
  const length = readVarint32(outer, "trailer length");
  outer.require(length, "trailer");
  const numbers = readFields(new ByteReader(bytes, outer.position, outer.position + length));
  const end = fileSize - TRAILER_LENGTH;
  const loadOnOpenOffset = numbers.required(2, "load-on-open offset", end);
  const fileInfoOffset = numbers.required(1, "file info offset", end);
  if (fileInfoOffset < loadOnOpenOffset) {
    throw corrupt(`the file info at ${fileInfoOffset} stands before the load-on-open section`, {
      offset: 0,
      field: "file info offset",
      expected: loadOnOpenOffset,
      actual: fileInfoOffset,
    });
  }
  const indexLevels = numbers.value(8) ?? 1;
  if (indexLevels < 1 || indexLevels > limits.maxIndexDepth) {
    throw new CFileError(indexLevels < 1 ? "E_CORRUPT" : "E_LIMIT", `an index of ${indexLevels} levels`, {
      offset: 0,
      field: "index levels",
      expected: limits.maxIndexDepth,
      actual: indexLevels,
    });
  }
  return {
    majorVersion,
    minorVersion: version >>> 24,
    fileInfoOffset,
    loadOnOpenOffset,
    uncompressedDataIndexSize: numbers.value(3) ?? 0,
    totalUncompressedBytes: numbers.value(4),
    dataIndexCount: numbers.value(5) ?? 0,
    metaIndexCount: numbers.value(6) ?? 0,
    entryCount: numbers.value(7) ?? 0,
    indexLevels,
    firstDataBlockOffset: numbers.optionalOffset(9, "first data block offset", loadOnOpenOffset),
    lastDataBlockOffset: numbers.optionalOffset(10, "last data block offset", loadOnOpenOffset),
    comparator: numbers.comparator,
    codec: codecFromId(numbers.value(12) ?? codecId("NONE")),
  };
}

/** The message's numbers by field. */
class TrailerFields {
  readonly values = new Map<number, number>();
  comparator = "";

  value(field: number): number | undefined {
    return this.values.get(field);
  }

  required(field: number, name: string, end: number): number {
    const value = this.values.get(field);
    if (value === undefined || value >= end) {
      throw corrupt(`${value ?? "nothing"} stands for the ${name}, the trailer begins at ${end}`, {
        offset: 0,
        field: name,
        expected: end,
        actual: value,
      });
    }
    return value;
  }

  optionalOffset(field: number, name: string, end: number): number | undefined {
    return this.values.has(field) ? this.required(field, name, end + 1) : undefined;
  }
}

function readFields(reader: ByteReader): TrailerFields {
  const fields = new TrailerFields();
  while (reader.remaining > 0) {
    const offset = reader.position;
    const tag = readVarint32(reader, "trailer tag");
    const field = tag >>> 3;
    const isKnown = field >= 1 && field <= 13;
    if (isKnown && field < 11 && (tag & 7) === 0) {
      fields.values.delete(field);
      const start = reader.position;
      if ((field === 9 || field === 10) && readVarint64BigInt(reader, "trailer field") === NO_OFFSET) {
        continue;
      }
      reader.position = start;
      fields.values.set(field, readVarint64(reader, `trailer field ${field}`));
    } else if (field === 12 && (tag & 7) === 0) {
      fields.values.set(field, readVarint32(reader, "compression codec"));
    } else if (field === 11 && (tag & 7) === 2) {
      fields.comparator = new TextDecoder().decode(readLengthPrefixed(reader, "comparator"));
    } else if (field === 13) {
      throw new CFileError("E_UNSUPPORTED", "the file is encrypted", { offset, field: "encrypted key" });
    } else if (isKnown) {
      throw corrupt(`field ${field} of the trailer has wire type ${tag & 7}`, {
        offset,
        field: "trailer tag",
      });
    } else {
      skipProtobufField(reader, tag, offset, "trailer");
    }
  }
  return fields;
}

/** The 4096 bytes. */
export function encodeTrailer(trailer: HFileTrailer): Uint8Array {
  const message = new ByteBuilder(128);
  const write = (field: number, value: number | bigint): void => {
    writeVarint32(message, field << 3);
    writeVarint64(message, value);
  };
  write(1, trailer.fileInfoOffset);
  write(2, trailer.loadOnOpenOffset);
  write(3, trailer.uncompressedDataIndexSize);
  if (trailer.totalUncompressedBytes !== undefined) {
    write(4, trailer.totalUncompressedBytes);
  }
  write(5, trailer.dataIndexCount);
  write(6, trailer.metaIndexCount);
  write(7, trailer.entryCount);
  write(8, trailer.indexLevels);
  write(9, trailer.firstDataBlockOffset ?? NO_OFFSET);
  write(10, trailer.lastDataBlockOffset ?? NO_OFFSET);
  writeVarint32(message, (11 << 3) | 2);
  writeLengthPrefixed(message, new TextEncoder().encode(trailer.comparator));
  write(12, codecId(trailer.codec));
  const out = new ByteBuilder(TRAILER_LENGTH);
  out.append(asciiBytes(TRAILER_MAGIC));
  writeLengthPrefixed(out, message.view8());
  out.append(new Uint8Array(Math.max(0, VERSION_OFFSET - out.length)));
  out.u32be(((trailer.minorVersion << 24) | trailer.majorVersion) >>> 0);
  return out.finish();
}
