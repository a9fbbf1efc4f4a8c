/**
 * DeltaStatsPB (docs/spec/deltafile.md#6-delta-statistics): the protobuf message under `deltafilestats` in the footer's
 * metadata.
 *
 * | bytes | field |
 * | --- | --- |
 * | `08` varint | `delete_count`, required int64 |
 * | `19` u64le | `min_timestamp`, required |
 * | `21` u64le | `max_timestamp`, required |
 * | `2a` length, message | `column_stats`, repeated: `08` varint `col_id`, required; `10` varint `update_count`, default 0 |
 * | `30` varint | `reinsert_count`, default 0 |
 *
 * The timestamps are why the message is read by hand: they must not go through a number.
 */
import { ByteBuilder, ByteReader, corrupt } from "@cfile/bytes";
import { readVarint32, readVarint64, skipProtobufField, writeVarint32, writeVarint64 } from "@cfile/varint";
import type { DeltaStatistics } from "./delta-statistics.js";
import { hashMapOrder } from "./hash-map-order.js";

/** Key of the message in the footer's metadata. */
export const DELTA_STATS_KEY = "deltafilestats";

const MAX_COLUMN_ID = 0x7fffffff;

/**
 * Parses the message. As in protobuf, the last of repeated fields counts and unknown fields are skipped.
 *
 * @throws CFileError `E_TRUNCATED` or `E_CORRUPT`: malformed, a required field is missing, a count is negative or above
 *   2^53, a column counted twice, the first timestamp after the last one
 */
export function parseDeltaStats(bytes: Uint8Array): DeltaStatistics {
  const reader = new ByteReader(bytes);
  const updateCounts = new Map<number, number>();
  let deleteCount: number | undefined;
  let minTimestamp: bigint | undefined;
  let maxTimestamp: bigint | undefined;
  let reinsertCount = 0;
  while (reader.remaining > 0) {
    const offset = reader.position;
    const tag = readVarint32(reader, "delta statistics tag");
    switch (tag) {
      case 0x08:
        deleteCount = readVarint64(reader, "delete_count");
        break;
      case 0x19:
        minTimestamp = reader.u64le("min_timestamp");
        break;
      case 0x21:
        maxTimestamp = reader.u64le("max_timestamp");
        break;
      case 0x2a:
        readColumn(reader, updateCounts);
        break;
      case 0x30:
        reinsertCount = readVarint64(reader, "reinsert_count");
        break;
      default:
        skipProtobufField(reader, tag, offset, "delta statistics");
    }
  }
  if (deleteCount === undefined || minTimestamp === undefined || maxTimestamp === undefined) {
    const field =
      deleteCount === undefined
        ? "delete_count"
        : minTimestamp === undefined
          ? "min_timestamp"
          : "max_timestamp";
    throw corrupt(`the delta statistics have no ${field}`, { field });
  }
  if (minTimestamp > maxTimestamp) {
    throw corrupt("the first timestamp is after the last one", {
      field: "min_timestamp",
      expected: String(maxTimestamp),
      actual: String(minTimestamp),
    });
  }
  return { deleteCount, minTimestamp, maxTimestamp, reinsertCount, updateCounts };
}

function readColumn(reader: ByteReader, updateCounts: Map<number, number>): void {
  const start = reader.position;
  const message = reader.take(readVarint32(reader, "column_stats"), "column_stats");
  const fields = new ByteReader(message);
  let id: number | undefined;
  let updates = 0;
  while (fields.remaining > 0) {
    const offset = fields.position;
    const tag = readVarint32(fields, "column_stats tag");
    if (tag === 0x08) {
      id = readVarint64(fields, "col_id");
    } else if (tag === 0x10) {
      updates = readVarint64(fields, "update_count");
    } else {
      skipProtobufField(fields, tag, offset, "column_stats");
    }
  }
  if (id === undefined || id > MAX_COLUMN_ID || updateCounts.has(id)) {
    const reason =
      id === undefined
        ? "column_stats without col_id"
        : `column ${id} is ${id > MAX_COLUMN_ID ? "no column" : "counted twice"}`;
    throw corrupt(reason, { offset: start, field: "col_id", actual: id });
  }
  updateCounts.set(id, updates);
}

/** The message, fields in Kudu's order, columns in the order given. */
export function encodeDeltaStats(statistics: DeltaStatistics): Uint8Array {
  const out = new ByteBuilder();
  out.u8(0x08);
  writeVarint64(out, statistics.deleteCount);
  out.u8(0x19);
  writeU64le(out, statistics.minTimestamp);
  out.u8(0x21);
  writeU64le(out, statistics.maxTimestamp);
  const column = new ByteBuilder();
  for (const [id, updates] of statistics.updateCounts) {
    column.clear();
    column.u8(0x08);
    writeVarint32(column, id);
    column.u8(0x10);
    writeVarint64(column, updates);
    out.u8(0x2a);
    writeVarint32(out, column.length);
    out.append(column.view8());
  }
  out.u8(0x30);
  writeVarint64(out, statistics.reinsertCount);
  return out.finish();
}

function writeU64le(out: ByteBuilder, value: bigint): void {
  out.u32le(Number(value & 0xffffffffn));
  out.u32le(Number(value >> 32n));
}

/** The statistics with columns that were counted as they were met, in the order in which Kudu writes them. */
export function inKuduOrder(statistics: DeltaStatistics): DeltaStatistics {
  const { updateCounts } = statistics;
  const order = hashMapOrder([...updateCounts.keys()]);
  return { ...statistics, updateCounts: new Map(order.map((id) => [id, updateCounts.get(id) ?? 0])) };
}
