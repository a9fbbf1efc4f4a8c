/** Joins ranges of batches into one batch by copying: for writers whose units of rows span several batches. */
import type { CFileError } from "@cfile/bytes";
import { bitmapByteLength, copyBits, countBits, invalidArgument, setBitRange } from "@cfile/bytes";
import { requireRange } from "../types/checks.js";
import { allocateFixed, type BinaryVector, bytesOf, type Vector } from "../types/vector.js";
import { MAX_BINARY_BYTES, tooManyBytes } from "./binary-values.js";
import {
  ArrayBatch,
  type BatchRows,
  batchOfVector,
  type ColumnBatch,
  type ScalarBatch,
} from "./column-batch.js";
import { copyRange } from "./copy-range.js";

/** Rows `from` (inclusive) to `to` (exclusive) of a batch. */
export interface BatchRange {
  readonly batch: ColumnBatch;
  readonly from: number;
  readonly to: number;
}

/**
 * One batch with the rows of all ranges, in order. Dictionary batches become binary ones.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` without ranges, for batches of different kinds and for a range outside its batch;
 *   `E_LIMIT` for more than 2 GiB of strings
 */
export function concatBatches(ranges: readonly BatchRange[]): ColumnBatch {
  const [first] = ranges;
  if (first === undefined) {
    throw invalidArgument("no batches to join", { field: "batch" });
  }
  const { type } = first.batch;
  let length = 0;
  for (const { batch, from, to } of ranges) {
    requireRange(from, to, batch.length);
    length += to - from;
  }
  const validity = new Uint8Array(bitmapByteLength(length));
  let done = 0;
  for (const { batch, from, to } of ranges) {
    if (batch.validity === undefined) {
      setBitRange(validity, done, done + to - from);
    } else {
      copyBits(batch.validity, from, validity, done, to - from);
    }
    done += to - from;
  }
  const nullCount = length - countBits(validity, 0, length);
  const rows = { type, length, firstRow: first.batch.firstRow + first.from, validity, nullCount };
  return first.batch.kind === "array"
    ? concatArrays(rows, ranges)
    : batchOfVector(rows, concatVectors(first.batch, ranges, length));
}

function mismatch(): CFileError {
  return invalidArgument("batches of different kinds cannot be joined", { field: "batch" });
}

function concatArrays(rows: BatchRows, ranges: readonly BatchRange[]): ArrayBatch {
  const offsets = new Int32Array(rows.length + 1);
  let row = 0;
  const children = ranges.map(({ batch, from, to }): BatchRange => {
    if (batch.kind !== "array") {
      throw mismatch();
    }
    const start = batch.offsets[from] as number;
    const shift = (offsets[row] as number) - start;
    for (let i = from; i < to; i++) {
      offsets[++row] = (batch.offsets[i + 1] as number) + shift;
    }
    return { batch: batch.child, from: start, to: batch.offsets[to] as number };
  });
  const child = concatBatches(children);
  if (child.kind === "array") {
    throw mismatch();
  }
  return new ArrayBatch(rows, offsets, child);
}

function concatVectors(model: ScalarBatch, ranges: readonly BatchRange[], length: number): Vector {
  let done = 0;
  switch (model.kind) {
    case "fixed": {
      const values = allocateFixed(model.physical, length);
      const target = bytesOf(values);
      const width = target.length / Math.max(1, length);
      for (const { batch, from, to } of ranges) {
        if (batch.kind !== "fixed" || batch.physical !== model.physical) {
          throw mismatch();
        }
        target.set(bytesOf(batch.values).subarray(from * width, to * width), done * width);
        done += to - from;
      }
      return { kind: "fixed", physical: model.physical, length, values };
    }
    case "bool": {
      const values = new Uint8Array(bitmapByteLength(length));
      for (const { batch, from, to } of ranges) {
        if (batch.kind !== "bool") {
          throw mismatch();
        }
        copyBits(batch.values, from, values, done, to - from);
        done += to - from;
      }
      return { kind: "bool", length, values };
    }
    default:
      return concatBinary(ranges, length);
  }
}

function concatBinary(ranges: readonly BatchRange[], length: number): BinaryVector {
  const offsets = new Int32Array(length + 1);
  let row = 0;
  let bytes = 0;
  for (const { batch, from, to } of ranges) {
    const strings = stringsOf(batch);
    for (let i = from; i < to; i++) {
      if (batch.nullCount === 0 || !batch.isNull(i)) {
        const index = batch.kind === "dictionary" ? (batch.codes[i] as number) : i;
        bytes += (strings.offsets[index + 1] as number) - (strings.offsets[index] as number);
      }
      offsets[++row] = bytes;
    }
  }
  if (bytes > MAX_BINARY_BYTES) {
    throw tooManyBytes("batch");
  }
  const data = new Uint8Array(bytes);
  row = 0;
  for (const { batch, from, to } of ranges) {
    const strings = stringsOf(batch);
    if (batch.kind === "binary" && batch.nullCount === 0) {
      // Without nulls the cells are contiguous.
      data.set(batch.data.subarray(batch.offsets[from], batch.offsets[to]), offsets[row]);
      row += to - from;
      continue;
    }
    for (let i = from; i < to; i++) {
      const position = offsets[row++] as number;
      const start = strings.offsets[batch.kind === "dictionary" ? (batch.codes[i] as number) : i] as number;
      copyRange(strings.data, start, start + (offsets[row] as number) - position, data, position);
    }
  }
  return { kind: "binary", length, offsets, data };
}

function stringsOf(batch: ColumnBatch): Omit<BinaryVector, "kind"> {
  switch (batch.kind) {
    case "binary":
      return batch;
    case "dictionary":
      return batch.dictionary;
    default:
      throw mismatch();
  }
}
