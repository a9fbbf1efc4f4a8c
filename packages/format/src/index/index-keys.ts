/**
 * Value indexes that are keyed by something else than whole values: Kudu's delta files are indexed by the key with
 * which each value begins (docs/spec/deltafile.md#2-cfile-options and docs/spec/deltafile.md#3-deltakey).
 */
import { invalidArgument } from "@cfile/bytes";
import type { ScalarBatch } from "@cfile/encodings";
import type { OrderedKeyEnd } from "@cfile/index-btree";
import { memcmpableVarint64LengthAt } from "@cfile/varint";

/** The keys of a value index. The order of the rows is then the caller's business. */
export interface IndexKeys {
  /** The key of a row; a copy, or bytes that do not change. */
  readonly keyOf: (batch: ScalarBatch, row: number) => Uint8Array;
  /** For keys of which only the beginning ascends. */
  readonly orderedKeyEnd?: OrderedKeyEnd | undefined;
}

/** Where the row of the delta key `bytes[start..end)` ends. Rows ascend; in UNDO files timestamps descend within a row. */
export const deltaRowEnd: OrderedKeyEnd = (bytes, start, end) =>
  start < end ? Math.min(end, start + memcmpableVarint64LengthAt(bytes[start] as number)) : end;

/** The keys of delta files: row and timestamp, two memcmp-able varints, with which each value begins. */
export const DELTA_INDEX_KEYS: IndexKeys = /* @__PURE__ */ Object.freeze({
  keyOf: deltaKey,
  orderedKeyEnd: deltaRowEnd,
});

function deltaKey(batch: ScalarBatch, row: number): Uint8Array {
  if (batch.kind !== "binary") {
    throw invalidArgument("delta keys stand in binary batches", { field: "batch", actual: batch.kind });
  }
  const { data, offsets } = batch;
  const start = offsets[row] as number;
  const end = offsets[row + 1] as number;
  return data.slice(start, deltaRowEnd(data, deltaRowEnd(data, start, end), end));
}
