/**
 * DeltaStatsPB (docs/spec/deltafile.md#6-delta-statistics): the protobuf message under `deltafilestats` in the footer's
 * metadata; `proto/delta-stats.proto` has its fields.
 */
import { corrupt, mismatch } from "@cfile/bytes";
import { MessageReader } from "@cfile/protobuf/read";
import { messageBytes } from "@cfile/protobuf/write";
import { type ColumnStats, decodeDeltaStats } from "../generated/decode.js";
import { encodeDeltaStats as encodeFields } from "../generated/encode.js";
import type { DeltaStatistics } from "./delta-statistics.js";
import { hashMapOrder } from "./hash-map-order.js";

/** Key of the message in the footer's metadata. */
export const DELTA_STATS_KEY = "deltafilestats";

/**
 * Parses the message. As in protobuf, the last occurrence of a field wins and unknown fields are skipped.
 *
 * @throws {CFileError} `E_TRUNCATED` or `E_CORRUPT`: malformed, a required field is missing, a count is negative or above
 *   2^53, a column appears twice, or the minimum timestamp is after the maximum
 */
export function parseDeltaStats(bytes: Uint8Array): DeltaStatistics {
  const message = decodeDeltaStats(new MessageReader(bytes, "delta statistics"));
  const { deleteCount, minTimestamp, maxTimestamp, reinsertCount = 0 } = message;
  const updateCounts = updateCountsOf(message.columnStats);
  if (minTimestamp > maxTimestamp) {
    const reason = "minimum timestamp is after the maximum";
    throw mismatch(reason, `<= ${maxTimestamp}`, String(minTimestamp), { field: "min_timestamp" });
  }
  return { deleteCount, minTimestamp, maxTimestamp, reinsertCount, updateCounts };
}

function updateCountsOf(columns: readonly ColumnStats[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { colId, updateCount = 0 } of columns) {
    if (colId < 0 || counts.has(colId)) {
      const reason = `${colId < 0 ? "invalid" : "repeated"} column id: ${colId}`;
      throw corrupt(reason, { field: "col_id", actual: colId });
    }
    counts.set(colId, updateCount);
  }
  return counts;
}

/** Encodes the message, fields in Kudu's order, columns in the given order. */
export function encodeDeltaStats({ updateCounts, ...others }: DeltaStatistics): Uint8Array {
  const columnStats = Array.from(updateCounts, ([colId, updateCount]) => ({ colId, updateCount }));
  return messageBytes(encodeFields, { ...others, columnStats });
}

/** Statistics with columns in order of appearance, reordered as Kudu writes them. */
export function inKuduOrder(statistics: DeltaStatistics): DeltaStatistics {
  const { updateCounts } = statistics;
  const order = hashMapOrder([...updateCounts.keys()]);
  return { ...statistics, updateCounts: new Map(order.map((id) => [id, updateCounts.get(id) as number])) };
}
