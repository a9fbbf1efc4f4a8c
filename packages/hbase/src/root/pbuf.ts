/**
 * A protobuf message after the four bytes `PBUF` (docs/spec/hbase-table.md): in `.tableinfo`, references and file info values up to
 * the end, in `.regioninfo` with a varint length before it.
 */
import { ByteReader, corrupt } from "@cfile/bytes";
import { MessageReader } from "@cfile/protobuf/read";
import { readLengthPrefixed } from "@cfile/varint";

const MAGIC = [0x50, 0x42, 0x55, 0x46];

/** Whether the bytes start with `PBUF`. */
export function isPbuf(bytes: Uint8Array): boolean {
  return MAGIC.every((byte, i) => bytes[i] === byte);
}

/** The message after `PBUF`. @throws {CFileError} `E_CORRUPT` without `PBUF` */
export function pbufMessage(bytes: Uint8Array, name: string): MessageReader {
  return new MessageReader(bytes, name, skipMagic(bytes, name));
}

/** The message after `PBUF` and its length. @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED` */
export function prefixedPbufMessage(bytes: Uint8Array, name: string): MessageReader {
  return new MessageReader(readLengthPrefixed(new ByteReader(bytes, skipMagic(bytes, name)), name), name);
}

function skipMagic(bytes: Uint8Array, name: string): number {
  if (!isPbuf(bytes)) {
    throw corrupt(`${name} does not start with PBUF`, { offset: 0, field: name });
  }
  return MAGIC.length;
}
