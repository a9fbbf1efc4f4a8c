/**
 * A data block of a delta file (docs/spec/deltafile.md#2-cfile-options): a plain binary block whose values consist of a delta key
 * and a change list. Decoding checks all of it.
 */
import { CFileError, corrupt, equalBytes, mismatch } from "@cfile/bytes";
import type { Vector } from "@cfile/encodings";
import { copyRange } from "@cfile/encodings/batches";
import { openPlainBinaryBlock } from "@cfile/encodings/plain";
import type { DecodeKernels } from "@cfile/kernels";
import type { DecodedDeltas, DeltaEntries, RowKernels } from "@cfile/kernels/rows";
import { checkChangeType } from "../changes/change-type.js";
import { readDeltaRow, readDeltaTimestamp } from "../changes/delta-key.js";
import { memcmpVarintLength } from "../changes/memcmp-varint.js";
import { MutationCursor } from "../changes/mutation-cursor.js";
import { compareWords, wordsOf } from "../changes/timestamp.js";
import type { DeltaBatch } from "./delta-batch.js";

const HEADER_LENGTH = 12;
/** Row, timestamp, type and offset. */
const BYTES_PER_ENTRY = 17;

export interface DeltaBlock {
  /** Number of its first entry in the file. */
  readonly ordinal: number;
  readonly batch: DeltaBatch;
  /** Bytes in memory. */
  readonly memory: number;
  /** The first entry whose key is in a longer form than necessary; -1 without one, as in every file that Kudu writes. */
  readonly overlong: number;
  readonly summary: DeltaSummary;
}

/** Properties of all entries of a block. */
export type DeltaSummary = Pick<
  DecodedDeltas,
  "isSingle" | "deletes" | "reinserts" | "minTimestamp" | "maxTimestamp"
>;

/**
 * Decodes a block.
 *
 * @param bytes the block without its wrapper
 * @param indexKey its key in the value index, a prefix of its first value
 * @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED`, with the offset in the block
 */
export function decodeDeltaBlock(
  bytes: Uint8Array,
  indexKey: Uint8Array | undefined,
  kernels: DecodeKernels | undefined,
  rowKernels: RowKernels,
): DeltaBlock {
  const block = openPlainBinaryBlock(bytes, 0, { kernels });
  return decodeDeltaValues(block.decode(0, block.count), block.ordinal, indexKey, rowKernels);
}

/**
 * Decodes the values of a block.
 *
 * @param isBorrowed whether the block is valid only until the next one is decoded. Default `false`
 * @throws {CFileError} as {@link decodeDeltaBlock}
 */
export function decodeDeltaValues(
  vector: Vector,
  ordinal: number,
  indexKey: Uint8Array | undefined,
  rowKernels: RowKernels,
  isBorrowed = false,
): DeltaBlock {
  const { length: count } = vector;
  if (vector.kind !== "binary" || count === 0) {
    throw corrupt("data block without entries", { offset: 4, field: "count", actual: count });
  }
  const { offsets, data } = vector;
  if (offsets[0] !== HEADER_LENGTH) {
    const details = { offset: offsets[count], field: "offsets" };
    throw mismatch("wrong offset of the first value", HEADER_LENGTH, offsets[0] as number, details);
  }
  const keyEnd = HEADER_LENGTH + (indexKey?.length ?? 0);
  const prefix = data.subarray(HEADER_LENGTH, Math.min(offsets[1] as number, keyEnd));
  if (indexKey !== undefined && !equalBytes(indexKey, prefix)) {
    const details = { offset: HEADER_LENGTH, field: "validx key" };
    throw corrupt("the block's first value does not start with its index key", details);
  }
  const entries = rowKernels.deltaEntries(decodeEntries)(vector, count, isBorrowed);
  const { rows, timestamps, types, overlong } = entries;
  return {
    ordinal,
    batch: { length: count, rows, timestamps, types, offsets: entries.offsets, data: entries.data },
    memory: entries.data.length + BYTES_PER_ENTRY * count,
    overlong,
    summary: entries,
  };
}

/** The portable version, which also produces all errors. */
const decodeEntries: DeltaEntries = ({ data, offsets }, count) => {
  const starts = new Int32Array(count);
  const rows = new Uint32Array(count);
  const timestamps = new BigUint64Array(count);
  const types = new Uint8Array(count);
  const mutationOffsets = new Int32Array(count + 1);
  const words = wordsOf(timestamps);
  const row = new Uint32Array(2);
  const cursor = new MutationCursor();
  let overlong = -1;
  let previous = 0;
  for (let i = 0; i < count; i++) {
    const start = offsets[i] as number;
    const end = offsets[i + 1] as number;
    const afterRow = readDeltaRow(data, start, end, row);
    const afterKey = readDeltaTimestamp(data, afterRow, end, words, 2 * i);
    const rowNumber = row[0] as number;
    if (rowNumber < previous) {
      throw mismatch("rows descend", `>= ${previous}`, rowNumber, { offset: start, field: "row" });
    }
    if (afterKey >= end) {
      const details = { offset: afterKey, field: "change type" };
      throw new CFileError("E_TRUNCATED", "entry without a change type", details);
    }
    const mutations = afterKey + 1;
    types[i] = checkChangeType(data[afterKey] as number, end - mutations, afterKey);
    cursor.resetTo(data, mutations, end);
    while (cursor.next()) {
      // Iterating checks the mutations.
    }
    if (overlong < 0) {
      const timestampLength = memcmpVarintLength(words[2 * i] as number, words[2 * i + 1] as number);
      overlong = afterKey - start === memcmpVarintLength(rowNumber, 0) + timestampLength ? -1 : i;
    }
    rows[i] = rowNumber;
    previous = rowNumber;
    starts[i] = mutations;
    mutationOffsets[i + 1] = (mutationOffsets[i] as number) + end - mutations;
  }
  const copied = new Uint8Array(mutationOffsets[count] as number);
  for (let i = 0; i < count; i++) {
    const end = offsets[i + 1] as number;
    copyRange(data, starts[i] as number, end, copied, mutationOffsets[i] as number);
  }
  const summary = summarize(rows, types, timestamps);
  return { rows, timestamps, types, offsets: mutationOffsets, data: copied, overlong, ...summary };
};

function summarize(rows: Uint32Array, types: Uint8Array, timestamps: BigUint64Array): DeltaSummary {
  const words = wordsOf(timestamps);
  const counts = [0, 0, 0, 0];
  let isSingle = true;
  let earliest = 0;
  let latest = 0;
  for (let i = 0; i < rows.length; i++) {
    const type = types[i] as number;
    counts[type] = (counts[type] as number) + 1;
    isSingle &&= i === 0 || rows[i] !== rows[i - 1];
    earliest = isEarlier(words, i, earliest) ? i : earliest;
    latest = isEarlier(words, latest, i) ? i : latest;
  }
  const [, , deletes = 0, reinserts = 0] = counts;
  const [minTimestamp, maxTimestamp] = [timestamps[earliest] as bigint, timestamps[latest] as bigint];
  return { isSingle, deletes, reinserts, minTimestamp, maxTimestamp };
}

/** Whether timestamp `a` is before timestamp `b`; allocates no bigint. */
function isEarlier(words: Uint32Array, a: number, b: number): boolean {
  return compareWords(words, a, words[2 * b] as number, words[2 * b + 1] as number) < 0;
}
