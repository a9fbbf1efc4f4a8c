/** Reads all fields of a Thrift struct, with strings as bytes, where the library's objects omit some. */
import { ByteReader, corrupt } from "@cfile/bytes";
import { deserializeTCompactProtocol } from "hyparquet/src/thrift.js";
import { readStruct } from "./thrift-struct.js";

/** Fields by number, as `field_N`: numbers, bigints, booleans, bytes, arrays and structs. */
export type ThriftFields = Readonly<Record<string, unknown>>;

/** A struct and the offset of its end. */
export interface FoundFields {
  readonly fields: ThriftFields;
  readonly end: number;
}

/**
 * The struct at the start of `bytes`.
 * @param field name for errors
 * @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED`
 */
export function thriftFields(bytes: Uint8Array, field: string): FoundFields {
  // The library trusts counts and depths, so they are checked first.
  const reader = new ByteReader(bytes);
  readStruct(reader, field);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return { fields: deserializeTCompactProtocol({ view, offset: 0 }), end: reader.position };
  } catch (cause) {
    // The library knows fewer types and does not check bounds.
    throw corrupt(`invalid ${field}`, { field, cause });
  }
}
