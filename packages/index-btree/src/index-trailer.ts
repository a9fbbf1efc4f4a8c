/**
 * IndexTrailer: the protobuf message near the end of an index block (docs/spec/cfile.md#32-schema and
 * docs/spec/cfile.md#71-index-block).
 *
 * | bytes | meaning |
 * | --- | --- |
 * | `08` varint | `num_entries`, required int32 |
 * | `10` varint | `type`, required: 0 leaf, 1 internal |
 */
import { type ByteBuilder, ByteReader, corrupt } from "@cfile/bytes";
import { readVarint32, readVarint64, skipProtobufField, writeVarint32 } from "@cfile/varint";

export interface IndexTrailer {
  readonly entries: number;
  readonly isLeaf: boolean;
}

const NUM_ENTRIES_TAG = 0x08;
const TYPE_TAG = 0x10;
const LEAF = 0;
const INTERNAL = 1;
const MAX_INT32 = 0x7fffffff;

/**
 * Parses `bytes[start..end)`. As in protobuf, the last of repeated fields counts and unknown fields are skipped.
 *
 * @throws CFileError `E_TRUNCATED` or `E_CORRUPT` when the message is malformed or lacks a field, the count is
 *   negative or the type is neither leaf nor internal
 */
export function parseIndexTrailer(bytes: Uint8Array, start = 0, end = bytes.length): IndexTrailer {
  const reader = new ByteReader(bytes, start, end);
  let entries: number | undefined;
  let type: number | undefined;
  while (reader.remaining > 0) {
    const offset = reader.position;
    const tag = readVarint32(reader, "index trailer tag");
    if (tag === NUM_ENTRIES_TAG) {
      entries = readVarint64(reader, "num_entries");
      if (entries > MAX_INT32) {
        throw corrupt(`num_entries is ${entries}`, { offset, field: "num_entries", actual: entries });
      }
    } else if (tag === TYPE_TAG) {
      type = readVarint64(reader, "index block type");
      if (type !== LEAF && type !== INTERNAL) {
        throw corrupt(`${type} is no index block type`, { offset, field: "index block type", actual: type });
      }
    } else {
      skipProtobufField(reader, tag, offset, "index trailer");
    }
  }
  if (entries === undefined || type === undefined) {
    const field = entries === undefined ? "num_entries" : "index block type";
    throw corrupt(`the index trailer has no ${field}`, { offset: start, field });
  }
  return { entries, isLeaf: type === LEAF };
}

/** Appends the message as Kudu serializes it. */
export function writeIndexTrailer(out: ByteBuilder, { entries, isLeaf }: IndexTrailer): void {
  out.u8(NUM_ENTRIES_TAG);
  writeVarint32(out, entries);
  out.u8(TYPE_TAG);
  out.u8(isLeaf ? LEAF : INTERNAL);
}
