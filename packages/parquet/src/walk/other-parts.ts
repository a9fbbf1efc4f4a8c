/**
 * Parts of a Parquet file between and after its pages. Each is a Thrift struct, except the encrypted ones.
 *
 * | bytes | part |
 * | --- | --- |
 * | `15`, varint, `1c 1c 00 00` three times, `00` | header of a Bloom filter; the varint is the number of bytes that follow |
 * | (`26`, varint, `1c`), `15`, varint, `19`, list of integers, … | metadata of the previous chunk, in a `ColumnChunk` or alone |
 * | `19`, list of booleans | column index: null pages, minima, maxima, order |
 * | `19`, list of structs | offset index: offset, size and first row of each page |
 * | u32 length, 12 bytes of nonce, ciphertext, 16 bytes of tag | encrypted module; header and page are two of them |
 */
import { ByteReader, isCFileError } from "@cfile/bytes";
import { readVarint32 } from "@cfile/varint";
import { readStruct, type ThriftStruct } from "../schema/thrift-struct.js";
import type { OtherKind } from "./file-part.js";
import { hasMetadataShape, readMetadataFields } from "./metadata-fields.js";

const BLOOM_UNIONS: readonly number[] = [0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0x1c, 0x1c, 0, 0, 0];
/** Number of physical types, and of codecs. */
const TYPES = 8;
const CODECS = 8;
/** Nonce and tag. */
const MIN_MODULE_BYTES = 28;
const MAX_HEADER_MODULE_BYTES = 4096;
const MAX_PAGE_MODULE_BYTES = 2 ** 30;
const MAGIC_TEXTS: readonly number[] = [0x31524150, 0x45524150];

export interface FoundOther {
  readonly kind: OtherKind;
  readonly size: number;
}

/** The part at the start of `bytes`. @param left bytes up to the end of the file, which may be more than `bytes` */
export function readOtherPart(bytes: Uint8Array, left: number): FoundOther | undefined {
  if (hasMetadataShape(bytes, 0)) {
    const found = readMetadataFields(bytes);
    if (found !== undefined) {
      return { kind: "metadata", size: found.size };
    }
  }
  if (left === 8 && MAGIC_TEXTS.includes(u32(bytes, 4))) {
    return { kind: "tail", size: 8 };
  }
  return readBloomFilter(bytes, left) ?? readIndex(bytes) ?? readColumnMetadata(bytes);
}

/** Type, encodings, path, codec and number of values come first. */
function readColumnMetadata(bytes: Uint8Array): FoundOther | undefined {
  if (bytes[0] !== 0x26 && bytes[0] !== 0x15) {
    return undefined;
  }
  return guarded(() => {
    const reader = new ByteReader(bytes);
    const fields = readStruct(reader, "column metadata");
    const own = bytes[0] === 0x26 ? fields.get(3) : fields;
    const isMetadata =
      own instanceof Map &&
      isBelow(own.get(1), TYPES) &&
      isBelow(own.get(4), CODECS) &&
      !own.has(2) &&
      !own.has(3);
    return isMetadata ? { kind: "column-metadata", size: reader.position } : undefined;
  });
}

function isBelow(value: number | boolean | ThriftStruct | undefined, limit: number): boolean {
  return typeof value === "number" && value >= 0 && value < limit;
}

function u32(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(at, true);
}

function readBloomFilter(bytes: Uint8Array, left: number): FoundOther | undefined {
  if (bytes[0] !== 0x15) {
    return undefined;
  }
  return guarded(() => {
    const reader = new ByteReader(bytes, 1);
    const zigzag = readVarint32(reader, "Bloom filter");
    const isHeader = BLOOM_UNIONS.every((byte, i) => bytes[reader.position + i] === byte);
    const size = reader.position + BLOOM_UNIONS.length + zigzag / 2;
    return isHeader && zigzag % 2 === 0 && size <= left ? { kind: "bloom-filter", size } : undefined;
  });
}

function readIndex(bytes: Uint8Array): FoundOther | undefined {
  const head = bytes[0] === 0x19 ? (bytes[1] ?? 0) & 15 : 0;
  if (head !== 1 && head !== 2 && head !== 12) {
    return undefined;
  }
  return guarded(() => {
    const reader = new ByteReader(bytes);
    const fields = readStruct(reader, "page index");
    const size = reader.position;
    if (head === 12) {
      return bytes[1] !== 0x0c && startsWithLocation(bytes) ? { kind: "offset-index", size } : undefined;
    }
    return isOrder(fields) ? { kind: "column-index", size } : undefined;
  });
}

/** Field 4 of a column index is its boundary order; lists are skipped. */
function isOrder(fields: ThriftStruct): boolean {
  const order = fields.get(4);
  return typeof order === "number" && order >= 0 && order <= 2;
}

/** The first page location: offset, size, first row. */
function startsWithLocation(bytes: Uint8Array): boolean {
  const reader = new ByteReader(bytes, 2);
  if ((bytes[1] as number) >>> 4 === 15) {
    readVarint32(reader, "page index");
  }
  return reader.u8("page index") === 0x16;
}

/** Whether the bytes start with encrypted modules: a page header, which is short, and the start of its page. */
export function isEncrypted(bytes: Uint8Array): boolean {
  const isModule = (at: number, most: number): boolean => {
    const length = at + 4 <= bytes.length ? u32(bytes, at) : 0;
    return length >= MIN_MODULE_BYTES && length <= most;
  };
  return isModule(0, MAX_HEADER_MODULE_BYTES) && isModule(4 + u32(bytes, 0), MAX_PAGE_MODULE_BYTES);
}

function guarded<T>(read: () => T | undefined): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isCFileError(error)) {
      return undefined;
    }
    throw error;
  }
}
