/**
 * Entries of a delta file in columns: those of a data block, a part of them, or several parts together.
 *
 * | field | of entry `i` |
 * | --- | --- |
 * | `rows[i]` | row number in the base data |
 * | `timestamps[i]` | timestamp of the change |
 * | `types[i]` | `UPDATE`, `DELETE` or `REINSERT` |
 * | `data[offsets[i] .. offsets[i + 1])` | column mutations, see `mutation-cursor.ts` |
 *
 * The arrays may be shared with the reader's cache and other batches: do not write to them.
 */
import { copyRange } from "@cfile/encodings/batches";
import type { Range } from "@cfile/format";
import { compareWords, highWord, lowWord, wordsOf } from "../changes/timestamp.js";

/**
 * Entries of a delta file in typed arrays: entry `i` has `rows[i]`, `timestamps[i]`, `types[i]`, and its mutations in
 * `data[offsets[i]..offsets[i + 1])`.
 */
export interface DeltaBatch {
  /** Number of entries. */
  readonly length: number;
  readonly rows: Uint32Array;
  readonly timestamps: BigUint64Array;
  readonly types: Uint8Array;
  /** `length + 1` positions in `data`, never decreasing; the first need not be 0. */
  readonly offsets: Int32Array;
  readonly data: Uint8Array;
}

export const EMPTY_DELTAS: DeltaBatch = /* @__PURE__ */ allocateDeltas(0, 0);

/** Entries `from` (inclusive) to `to` (exclusive), not copied. */
export function sliceDeltas(batch: DeltaBatch, from: number, to: number): DeltaBatch {
  if (from === 0 && to === batch.length) {
    return batch;
  }
  return {
    length: to - from,
    rows: batch.rows.subarray(from, to),
    timestamps: batch.timestamps.subarray(from, to),
    types: batch.types.subarray(from, to),
    offsets: batch.offsets.subarray(from, to + 1),
    data: batch.data,
  };
}

/** All entries of the batches in one; a single batch is not copied. */
export function concatDeltas(batches: readonly DeltaBatch[]): DeltaBatch {
  const [first, ...rest] = batches;
  if (first === undefined || rest.length === 0) {
    return first ?? EMPTY_DELTAS;
  }
  let length = 0;
  let bytes = 0;
  for (const batch of batches) {
    length += batch.length;
    bytes += (batch.offsets[batch.length] as number) - (batch.offsets[0] as number);
  }
  const whole = allocateDeltas(length, bytes);
  let at = 0;
  let position = 0;
  for (const { length, rows, timestamps, types, offsets, data } of batches) {
    const mutations = data.subarray(offsets[0], offsets[length]);
    const shift = position - (offsets[0] as number);
    whole.rows.set(rows, at);
    whole.timestamps.set(timestamps, at);
    whole.types.set(types, at);
    whole.data.set(mutations, position);
    for (let i = 0; i < length; i++) {
      whole.offsets[at + i] = (offsets[i] as number) + shift;
    }
    at += length;
    position += mutations.length;
  }
  whole.offsets[length] = bytes;
  return whole;
}

/** The entries with timestamps in the range; the batch itself if it has no others. */
export function deltasWithin(batch: DeltaBatch, { from, to }: Range<bigint>): DeltaBatch {
  if (from === undefined && to === undefined) {
    return batch;
  }
  const { length } = batch;
  const words = wordsOf(batch.timestamps);
  const positions = new Int32Array(length);
  const fromLow = lowWord(from ?? 0n);
  const fromHigh = highWord(from ?? 0n);
  const toLow = lowWord(to ?? 0n);
  const toHigh = highWord(to ?? 0n);
  let count = 0;
  for (let i = 0; i < length; i++) {
    positions[count] = i;
    const isWithin =
      compareWords(words, i, fromLow, fromHigh) >= 0 &&
      (to === undefined || compareWords(words, i, toLow, toHigh) < 0);
    count += isWithin ? 1 : 0;
  }
  return count === length ? batch : gatherDeltas(batch, positions.subarray(0, count));
}

/** Copies the entries at these positions. */
function gatherDeltas(batch: DeltaBatch, positions: Int32Array): DeltaBatch {
  const { length } = positions;
  const { rows, types, offsets, data } = batch;
  let bytes = 0;
  for (let i = 0; i < length; i++) {
    const at = positions[i] as number;
    bytes += (offsets[at + 1] as number) - (offsets[at] as number);
  }
  const gathered = allocateDeltas(length, bytes);
  const words = wordsOf(batch.timestamps);
  const gatheredWords = wordsOf(gathered.timestamps);
  let position = 0;
  for (let i = 0; i < length; i++) {
    const at = positions[i] as number;
    gathered.rows[i] = rows[at] as number;
    gatheredWords[2 * i] = words[2 * at] as number;
    gatheredWords[2 * i + 1] = words[2 * at + 1] as number;
    gathered.types[i] = types[at] as number;
    const start = offsets[at] as number;
    const end = offsets[at + 1] as number;
    copyRange(data, start, end, gathered.data, position);
    position += end - start;
    gathered.offsets[i + 1] = position;
  }
  return gathered;
}

/** A batch of zeros. */
export function allocateDeltas(length: number, bytes: number): DeltaBatch {
  return {
    length,
    rows: new Uint32Array(length),
    timestamps: new BigUint64Array(length),
    types: new Uint8Array(length),
    offsets: new Int32Array(length + 1),
    data: new Uint8Array(bytes),
  };
}

/** The first entry of `row` or a later row; `length` if all are earlier. */
export function firstEntryOfRow({ rows, length }: DeltaBatch, row: number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle] as number) < row) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
