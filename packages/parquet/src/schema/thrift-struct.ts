/**
 * Reads Thrift structs in the compact protocol (docs/spec/parquet.md#1-file-frame), as far as Parquet's headers use it.
 *
 * | bytes | meaning |
 * | --- | --- |
 * | 1 | high nibble: field number minus the previous one, or 0 and the number follows as zigzag varint; low nibble: its type |
 * | n | value: 1, 2 true and false; 3 a byte; 4 to 6 zigzag varint; 7 eight bytes; 8 varint length and bytes; 9, 10 list; 12 struct |
 * | 1 | 0 after the last field |
 */
import { type ByteReader, type CFileError, corrupt } from "@cfile/bytes";
import { readVarint32 } from "@cfile/varint";

/**
 * The 32-bit integers, booleans, short binaries and structs of a header. Other types are skipped, so a field with a damaged type is
 * missing.
 */
export type ThriftStruct = ReadonlyMap<number, ThriftValue>;

type ThriftValue = number | boolean | Uint8Array | ThriftStruct;

/** Longer binaries are skipped. */
const MAX_BINARY_BYTES = 8;

const MAX_DEPTH = 32;
const MAX_VARINT_BYTES = 10;

/** Reads one struct. @throws {CFileError} `E_TRUNCATED`, `E_CORRUPT` */
export function readStruct(reader: ByteReader, field: string, depth = 0): ThriftStruct {
  if (depth > MAX_DEPTH) {
    throw tooDeep(reader, field);
  }
  const fields = new Map<number, ThriftValue>();
  let id = 0;
  for (;;) {
    const offset = reader.position;
    const head = reader.u8(field);
    if (head === 0) {
      return fields;
    }
    id = head >>> 4 === 0 ? readZigzag(reader, field) : id + (head >>> 4);
    if (fields.has(id)) {
      throw corrupt(`duplicate field ${id} in ${field}`, { offset, field });
    }
    const value = readValue(reader, head & 15, field, depth);
    if (value !== undefined) {
      fields.set(id, value);
    }
  }
}

/**
 * Skips one field of a struct.
 * @param before number of the previous field, 0 at the start
 * @returns the number of the field; `undefined` at the end of the struct
 * @throws {CFileError} `E_TRUNCATED`, `E_CORRUPT`
 */
export function skipField(reader: ByteReader, before: number, field: string): number | undefined {
  const head = reader.u8(field);
  if (head === 0) {
    return undefined;
  }
  const id = head >>> 4 === 0 ? readZigzag(reader, field) : before + (head >>> 4);
  readValue(reader, head & 15, field, 0);
  return id;
}

function readZigzag(reader: ByteReader, field: string): number {
  const value = readVarint32(reader, field);
  return (value >>> 1) ^ -(value & 1);
}

/** The value of a field; `undefined` for types that are skipped. */
function readValue(reader: ByteReader, type: number, field: string, depth: number): ThriftValue | undefined {
  const offset = reader.position;
  switch (type) {
    case 1:
    case 2:
      return type === 1;
    case 3:
      reader.skip(1, field);
      return undefined;
    case 5:
      return readZigzag(reader, field);
    case 4:
    case 6:
      skipVarint(reader, field);
      return undefined;
    case 7:
      reader.skip(8, field);
      return undefined;
    case 8: {
      const length = readVarint32(reader, field);
      if (length <= MAX_BINARY_BYTES) {
        return reader.take(length, field).slice();
      }
      reader.skip(length, field);
      return undefined;
    }
    case 9:
    case 10: {
      const head = reader.u8(field);
      const count = head >>> 4 === 15 ? readVarint32(reader, field) : head >>> 4;
      return skipElements(reader, count, [head & 15], field, depth);
    }
    case 11: {
      const count = readVarint32(reader, field);
      const types = count === 0 ? 0 : reader.u8(field);
      return skipElements(reader, count, [types >>> 4, types & 15], field, depth);
    }
    case 12:
      return readStruct(reader, field, depth + 1);
    default:
      throw corrupt(`unknown Thrift type ${type} in ${field}`, { offset, field, actual: type });
  }
}

/** Skips `count` elements, or pairs, of these types. */
function skipElements(
  reader: ByteReader,
  count: number,
  types: readonly number[],
  field: string,
  depth: number,
): undefined {
  // Every element takes at least one byte, even a boolean.
  reader.require(count, field);
  if (depth >= MAX_DEPTH && count > 0) {
    throw tooDeep(reader, field);
  }
  for (let i = 0; i < count; i++) {
    for (const type of types) {
      if (type === 1 || type === 2) {
        reader.skip(1, field);
      } else {
        readValue(reader, type, field, depth + 1);
      }
    }
  }
}

function tooDeep(reader: ByteReader, field: string): CFileError {
  const reason = `${field} is nested deeper than ${MAX_DEPTH} levels`;
  return corrupt(reason, { offset: reader.position, field });
}

function skipVarint(reader: ByteReader, field: string): void {
  const offset = reader.position;
  for (let i = 0; i < MAX_VARINT_BYTES; i++) {
    if (reader.u8(field) < 0x80) {
      return;
    }
  }
  throw corrupt(`${field} has a varint of more than ${MAX_VARINT_BYTES} bytes`, { offset, field });
}
