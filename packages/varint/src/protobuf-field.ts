/**
 * Fields of protobuf messages that a reader does not know. A tag is a varint32, `field number << 3 | wire type`:
 *
 * | wire type | value |
 * | --- | --- |
 * | 0 | varint64 |
 * | 1 | 8 bytes |
 * | 2 | varint32 length, that many bytes |
 * | 5 | 4 bytes |
 */
import { type ByteReader, corrupt } from "@cfile/bytes";
import { readVarint32 } from "./varint32.js";
import { readVarint64BigInt } from "./varint64.js";

/**
 * Steps over the value after `tag`.
 *
 * @param tagOffset where the tag stands, for the error
 * @param message name of the message, for the error
 * @throws CFileError `E_TRUNCATED` when the bytes end inside, `E_CORRUPT` for what is no tag
 */
export function skipProtobufField(reader: ByteReader, tag: number, tagOffset: number, message: string): void {
  const field = `${message} field`;
  const wireType = tag >>> 3 === 0 ? -1 : tag & 7;
  switch (wireType) {
    case 0:
      readVarint64BigInt(reader, field);
      break;
    case 1:
      reader.skip(8, field);
      break;
    case 2:
      reader.skip(readVarint32(reader, field), field);
      break;
    case 5:
      reader.skip(4, field);
      break;
    default:
      throw corrupt(`${tag} is no tag of a ${message}`, {
        offset: tagOffset,
        field: `${message} tag`,
        actual: tag,
      });
  }
}
