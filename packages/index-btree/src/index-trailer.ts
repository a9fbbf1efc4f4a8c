/**
 * IndexTrailer: the protobuf message at the end of an index block (docs/spec/cfile.md#32-schema,
 * docs/spec/cfile.md#71-index-block, `proto/index-trailer.proto`).
 */
import { corrupt } from "@cfile/bytes";
import { MessageReader } from "@cfile/protobuf/read";
import { decodeIndexTrailer } from "./generated/decode.js";

export interface IndexTrailer {
  readonly entries: number;
  readonly isLeaf: boolean;
}

/** Values of the trailer's `type`. */
export const LEAF = 0;
export const INTERNAL = 1;

/**
 * Parses `bytes[start..end)`. As in protobuf, the last occurrence of a field wins, and unknown fields are skipped.
 *
 * @throws {CFileError} `E_TRUNCATED` or `E_CORRUPT` when the message is malformed or lacks a field, the count is negative or the
 *   type unknown
 */
export function parseIndexTrailer(bytes: Uint8Array, start = 0, end = bytes.length): IndexTrailer {
  const reader = new MessageReader(bytes, "index trailer", start, end);
  const { numEntries, type } = decodeIndexTrailer(reader);
  if (numEntries < 0) {
    const details = { offset: start, field: "num_entries", actual: numEntries };
    throw corrupt(`invalid num_entries: ${numEntries} (must not be negative)`, details);
  }
  if (type !== LEAF && type !== INTERNAL) {
    const details = { offset: start, field: "index block type", actual: type };
    throw corrupt(`unknown index block type: ${type}`, details);
  }
  return { entries: numEntries, isLeaf: type === LEAF };
}
