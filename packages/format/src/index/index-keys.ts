/**
 * Value indexes whose keys are not whole values: Kudu's delta files are indexed by the delta key at the start of each value
 * (docs/spec/deltafile.md#2-cfile-options and docs/spec/deltafile.md#3-deltakey).
 */
import { invalidOption } from "@cfile/bytes";
import type { ScalarBatch } from "@cfile/encodings";
import type { OrderedKeyEnd } from "@cfile/index-btree";
import { memcmpableVarint64LengthAt } from "@cfile/varint";

/** The keys of a value index; the caller is responsible for the order of the rows. */
export interface IndexKeys {
  /** The key of a row: a copy, or bytes that do not change. */
  readonly keyOf: (batch: ScalarBatch, row: number) => Uint8Array;
  /** For keys that ascend only by their prefixes. */
  readonly orderedKeyEnd?: OrderedKeyEnd | undefined;
}

/** End of the row number in the delta key `bytes[start..end)`. Rows ascend; in UNDO files the timestamps of a row descend. */
export const deltaRowEnd: OrderedKeyEnd = (bytes, start, end) =>
  start < end ? Math.min(end, start + memcmpableVarint64LengthAt(bytes[start] as number)) : end;

/** The keys of delta files: row and timestamp, two memcmp-able varints at the start of each value. */
export const DELTA_INDEX_KEYS: IndexKeys = /* @__PURE__ */ Object.freeze({
  keyOf: deltaKey,
  orderedKeyEnd: deltaRowEnd,
});

function deltaKey(batch: ScalarBatch, row: number): Uint8Array {
  if (batch.kind !== "binary") {
    throw invalidOption("batch", batch.kind, "a binary batch of delta keys");
  }
  const { data, offsets } = batch;
  const start = offsets[row] as number;
  const end = offsets[row + 1] as number;
  return data.slice(start, deltaRowEnd(data, deltaRowEnd(data, start, end), end));
}
