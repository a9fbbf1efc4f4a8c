/**
 * A data block of a delta file (docs/spec/deltafile.md#2-cfile-options): a plain binary block whose values are, back to back, a
 * delta key and a change list. Everything in it is checked when it is decoded.
 */
import { CFileError, corrupt, equalBytes } from "@cfile/bytes";
import type { Vector } from "@cfile/encodings";
import { openPlainBinaryBlock } from "@cfile/encodings/plain";
import type { DecodeKernels } from "@cfile/kernels";
import type { DecodedDeltas, DeltaEntries, RowKernels } from "@cfile/kernels/rows";
import { checkChangeType } from "../changes/change-type.js";
import { readDeltaRow, readDeltaTimestamp } from "../changes/delta-key.js";
import { memcmpVarintLength } from "../changes/memcmp-varint.js";
import { MutationCursor } from "../changes/mutation-cursor.js";
import { wordsOf } from "../changes/timestamp.js";
import { copyMutations, type DeltaBatch } from "./delta-batch.js";

const HEADER_LENGTH = 12;
/** Row, timestamp, type and offset. */
const BYTES_PER_ENTRY = 17;

export interface DeltaBlock {
  /** Number of the first entry in the file. */
  readonly ordinal: number;
  readonly batch: DeltaBatch;
  /** Bytes in memory. */
  readonly memory: number;
  /** The first entry whose key stands in a longer form than needed; -1 when none does, as in every file of Kudu. */
  readonly overlong: number;
  /** Of all entries together. */
  readonly summary: DeltaSummary;
}

export type DeltaSummary = Pick<
  DecodedDeltas,
  "isSingle" | "deletes" | "reinserts" | "minTimestamp" | "maxTimestamp"
>;

/**
 * Decodes a block.
 *
 * @param bytes after the wrapper is taken off
 * @param indexKey the block's key in the value index, with which its first value begins
 * @throws CFileError `E_CORRUPT` or `E_TRUNCATED`, with the offset in the block
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
 * @param isBorrowed whether the block is valid only until the next is decoded. Default `false`
 * @throws CFileError as {@link decodeDeltaBlock}
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
    throw corrupt("a data block without entries", { offset: 4, field: "count", actual: count });
  }
  const { offsets, data } = vector;
  if (offsets[0] !== HEADER_LENGTH) {
    throw corrupt(`the first value starts at ${offsets[0]}`, {
      offset: offsets[count],
      field: "offsets",
      expected: HEADER_LENGTH,
      actual: offsets[0],
    });
  }
  checkIndexKey(data, offsets[1] as number, indexKey);
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

function checkIndexKey(data: Uint8Array, end: number, key: Uint8Array | undefined): void {
  if (
    key !== undefined &&
    !equalBytes(key, data.subarray(HEADER_LENGTH, Math.min(end, HEADER_LENGTH + key.length)))
  ) {
    throw corrupt("the block's first value does not begin with its index key", {
      offset: HEADER_LENGTH,
      field: "validx key",
    });
  }
}

/** The portable way, which tells what is wrong. */
const decodeEntries: DeltaEntries = ({ data, offsets }, count) => {
  const starts = new Int32Array(count);
  const rows = new Uint32Array(count);
  const timestamps = new BigUint64Array(count);
  const types = new Uint8Array(count);
  const mutationOffsets = new Int32Array(count + 1);
  const words = wordsOf(timestamps);
  const row = new Uint32Array(2);
  const cursor = new MutationCursor();
  const counts = [0, 0, 0, 0];
  let isSingle = true;
  let overlong = -1;
  let least = 0;
  let greatest = 0;
  let previous = 0;
  let bytes = 0;
  for (let i = 0; i < count; i++) {
    const start = offsets[i] as number;
    const end = offsets[i + 1] as number;
    const afterRow = readDeltaRow(data, start, end, row);
    const afterKey = readDeltaTimestamp(data, afterRow, end, words, 2 * i);
    const rowNumber = row[0] as number;
    if (rowNumber < previous) {
      throw corrupt(`row ${rowNumber} follows row ${previous}`, {
        offset: start,
        field: "row",
        expected: previous,
        actual: rowNumber,
      });
    }
    if (afterKey >= end) {
      throw new CFileError("E_TRUNCATED", "an entry without a type of change", {
        offset: afterKey,
        field: "change type",
      });
    }
    const mutations = afterKey + 1;
    types[i] = checkChangeType(data[afterKey] as number, end - mutations, afterKey);
    cursor.resetTo(data, mutations, end);
    while (cursor.next()) {
      // Going through the mutations checks them.
    }
    const shortest =
      memcmpVarintLength(rowNumber, 0) +
      memcmpVarintLength(words[2 * i] as number, words[2 * i + 1] as number);
    if (overlong < 0 && afterKey - start !== shortest) {
      overlong = i;
    }
    counts[types[i] as number] = (counts[types[i] as number] as number) + 1;
    isSingle &&= i === 0 || rowNumber !== previous;
    least = isEarlier(words, i, least) ? i : least;
    greatest = isEarlier(words, greatest, i) ? i : greatest;
    rows[i] = rowNumber;
    previous = rowNumber;
    starts[i] = mutations;
    bytes += end - mutations;
    mutationOffsets[i + 1] = bytes;
  }
  const mutationBytes = new Uint8Array(bytes);
  for (let i = 0; i < count; i++) {
    copyMutations(
      data,
      starts[i] as number,
      offsets[i + 1] as number,
      mutationBytes,
      mutationOffsets[i] as number,
    );
  }
  const [, , deletes = 0, reinserts = 0] = counts;
  return {
    rows,
    timestamps,
    types,
    offsets: mutationOffsets,
    data: mutationBytes,
    isSingle,
    deletes,
    reinserts,
    minTimestamp: timestamps[least] ?? 0n,
    maxTimestamp: timestamps[greatest] ?? 0n,
    overlong,
  };
};

/** Whether timestamp `a` is before timestamp `b`; without a bigint for each. */
function isEarlier(words: ArrayLike<number>, a: number, b: number): boolean {
  const highA = (words[2 * a + 1] as number) >>> 0;
  const highB = (words[2 * b + 1] as number) >>> 0;
  return highA === highB ? (words[2 * a] as number) >>> 0 < (words[2 * b] as number) >>> 0 : highA < highB;
}
