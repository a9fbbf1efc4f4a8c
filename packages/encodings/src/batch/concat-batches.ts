/**
 * Joins parts of batches into one, copying: what a writer needs when its unit of rows spans several batches.
 */
import { bitmapByteLength, CFileError, copyBits, setBitRange } from "@cfile/bytes";
import { requireRange } from "../conditions/value-range.js";
import { allocateFixed, type BinaryVector, bytesOf, type Vector } from "../types/vector.js";
import { ArrayBatch, batchOfVector, type ColumnBatch } from "./column-batch.js";

/** Cells that are longer are copied with a view of them. */
const MOST_BYTE_BY_BYTE = 32;

/** Rows `from` (inclusive) to `to` (exclusive) of a batch. */
export interface BatchRange {
  readonly batch: ColumnBatch;
  readonly from: number;
  readonly to: number;
}

/**
 * One batch with the rows of all ranges, in order. Dictionary batches come out as binary ones.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` for batches of different kinds and for a range outside its batch; `E_LIMIT`
 *   for more than 2 GiB of strings
 */
export function concatBatches(ranges: readonly [BatchRange, ...BatchRange[]]): ColumnBatch {
  const [first] = ranges;
  const { type } = first.batch;
  let length = 0;
  for (const { batch, from, to } of ranges) {
    requireRange(from, to, batch.length);
    length += to - from;
  }
  const validity = new Uint8Array(bitmapByteLength(length));
  let nullCount = 0;
  let done = 0;
  for (const { batch, from, to } of ranges) {
    if (batch.validity === undefined) {
      setBitRange(validity, done, done + to - from);
    } else {
      copyBits(batch.validity, from, validity, done, to - from);
      for (let i = from; i < to; i++) {
        nullCount += batch.isNull(i) ? 1 : 0;
      }
    }
    done += to - from;
  }
  const rows = { type, length, firstRow: first.batch.firstRow + first.from, validity, nullCount };
  if (first.batch.kind === "array") {
    return concatArrays(rows, ranges);
  }
  return batchOfVector(rows, concatVectors(ranges, length));
}

function mismatch(): CFileError {
  return new CFileError("E_INVALID_ARGUMENT", "batches of different kinds cannot be joined", {
    field: "batch",
  });
}

function concatArrays(
  rows: ConstructorParameters<typeof ArrayBatch>[0],
  ranges: readonly [BatchRange, ...BatchRange[]],
): ArrayBatch {
  const offsets = new Int32Array(rows.length + 1);
  const children: BatchRange[] = [];
  let row = 0;
  for (const { batch, from, to } of ranges) {
    if (batch.kind !== "array") {
      throw mismatch();
    }
    const shift = (offsets[row] as number) - (batch.offsets[from] as number);
    for (let i = from; i < to; i++) {
      offsets[++row] = (batch.offsets[i + 1] as number) + shift;
    }
    children.push({
      batch: batch.child,
      from: batch.offsets[from] as number,
      to: batch.offsets[to] as number,
    });
  }
  const [first, ...rest] = children;
  if (first === undefined) {
    throw mismatch();
  }
  const child = concatBatches([first, ...rest]);
  if (child.kind === "array") {
    throw mismatch();
  }
  return new ArrayBatch(rows, offsets, child);
}

function concatVectors(ranges: readonly [BatchRange, ...BatchRange[]], length: number): Vector {
  const model = ranges[0].batch;
  switch (model.kind) {
    case "fixed": {
      const values = allocateFixed(model.physical, length);
      const target = bytesOf(values);
      const width = target.length / Math.max(1, length);
      let position = 0;
      for (const { batch, from, to } of ranges) {
        if (batch.kind !== "fixed" || batch.physical !== model.physical) {
          throw mismatch();
        }
        target.set(bytesOf(batch.values).subarray(from * width, to * width), position);
        position += (to - from) * width;
      }
      return { kind: "fixed", physical: model.physical, length, values };
    }
    case "bool": {
      const values = new Uint8Array(bitmapByteLength(length));
      let position = 0;
      for (const { batch, from, to } of ranges) {
        if (batch.kind !== "bool") {
          throw mismatch();
        }
        copyBits(batch.values, from, values, position, to - from);
        position += to - from;
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
    for (let i = from; i < to; i++) {
      bytes += cellLength(batch, i);
      offsets[++row] = bytes;
    }
  }
  if (bytes > 0x7fffffff) {
    throw new CFileError("E_LIMIT", "a batch holds at most 2 GiB of strings", {
      field: "batch",
      actual: bytes,
    });
  }
  const data = new Uint8Array(bytes);
  row = 0;
  for (const { batch, from, to } of ranges) {
    if (batch.kind === "binary" && batch.nullCount === 0) {
      // Without nulls the cells lie one behind the other.
      data.set(batch.data.subarray(batch.offsets[from], batch.offsets[to]), offsets[row]);
      row += to - from;
      continue;
    }
    for (let i = from; i < to; i++) {
      copyCell(batch, i, data, offsets[row++] as number);
    }
  }
  return { kind: "binary", length, offsets, data };
}

function cellLength(batch: ColumnBatch, index: number): number {
  if (batch.nullCount > 0 && batch.isNull(index)) {
    return 0;
  }
  const { offsets } = stringsOf(batch);
  const place = batch.kind === "dictionary" ? (batch.codes[index] as number) : index;
  return (offsets[place + 1] as number) - (offsets[place] as number);
}

function copyCell(batch: ColumnBatch, index: number, target: Uint8Array, position: number): void {
  const { offsets, data } = stringsOf(batch);
  const place = batch.kind === "dictionary" ? (batch.codes[index] as number) : index;
  const start = offsets[place] as number;
  const length = cellLength(batch, index);
  if (length > MOST_BYTE_BY_BYTE) {
    target.set(data.subarray(start, start + length), position);
    return;
  }
  for (let i = 0; i < length; i++) {
    target[position + i] = data[start + i] as number;
  }
}

function stringsOf(batch: ColumnBatch): Omit<BinaryVector, "kind"> {
  if (batch.kind === "binary") {
    return batch;
  }
  if (batch.kind === "dictionary") {
    return batch.dictionary;
  }
  throw mismatch();
}
