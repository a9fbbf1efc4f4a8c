/** Parts of column batches: consecutive rows, without copying where possible, and copies of selected rows. */
import { bitmapByteLength, copyBits, countBits, getBit, setBit } from "@cfile/bytes";
import { physicalWidth } from "../types/data-type.js";
import type { BinaryVector, FixedVector, Vector } from "../types/vector.js";
import { bytesOf, elementsPerValue, fixedView } from "../types/vector.js";
import { type MovedValues, movedValues } from "../types/words.js";
import type { BatchRows, ColumnBatch, ScalarBatch } from "./column-batch.js";
import { ArrayBatch, batchOfVector } from "./column-batch.js";
import { copyRange } from "./copy-range.js";

/** Rows `from` (inclusive) to `to` (exclusive), counted from the start of the batch; shares the batch's memory. */
export function sliceRows(batch: ScalarBatch, from: number, to: number): ScalarBatch;
export function sliceRows(batch: ColumnBatch, from: number, to: number): ColumnBatch;
export function sliceRows(batch: ColumnBatch, from: number, to: number): ColumnBatch {
  return batch.kind === "array" ? sliceArrays(batch, from, to) : sliceScalars(batch, from, to);
}

function sliceScalars(batch: ScalarBatch, from: number, to: number): ScalarBatch {
  return from === 0 && to === batch.length
    ? batch
    : batchOfVector(slicedRows(batch, from, to), sliceVector(batch, from, to));
}

function slicedRows(batch: ColumnBatch, from: number, to: number): BatchRows {
  const length = to - from;
  const validity = batch.validity && sliceBits(batch.validity, from, length);
  const nullCount = validity === undefined ? 0 : length - countBits(validity, 0, length);
  const firstRow = batch.rows?.[from] ?? batch.firstRow + from;
  return { type: batch.type, length, firstRow, rows: batch.rows?.subarray(from, to), validity, nullCount };
}

function sliceVector(batch: ScalarBatch, from: number, to: number): Vector {
  const length = to - from;
  switch (batch.kind) {
    case "fixed": {
      const { kind, physical, values } = batch;
      const perValue = elementsPerValue(physical);
      return { kind, physical, length, values: values.subarray(from * perValue, to * perValue) };
    }
    case "bool":
      return { kind: "bool", length, values: sliceBits(batch.values, from, length) };
    case "binary":
      return { kind: "binary", length, offsets: batch.offsets.subarray(from, to + 1), data: batch.data };
    case "dictionary": {
      const { kind, codes, dictionary } = batch;
      return { kind, length, codes: codes.subarray(from, to), dictionary };
    }
  }
}

function sliceBits(bitmap: Uint8Array, from: number, length: number): Uint8Array {
  if ((from & 7) === 0) {
    return bitmap.subarray(from >>> 3, (from >>> 3) + bitmapByteLength(length));
  }
  const bits = new Uint8Array(bitmapByteLength(length));
  copyBits(bitmap, from, bits, 0, length);
  return bits;
}

function sliceArrays(batch: ArrayBatch, from: number, to: number): ArrayBatch {
  const { offsets, child } = batch;
  if (from === 0 && to === batch.length) {
    return batch;
  }
  const start = offsets[from] as number;
  const relative = offsets.subarray(from, to + 1).map((offset) => offset - start);
  const elements = sliceScalars(child, start, offsets[to] as number);
  return new ArrayBatch(slicedRows(batch, from, to), relative, elements);
}

/**
 * Copies of the rows at these positions, in their order; a position may be repeated.
 *
 * @param numbers the row numbers of the result. Default: none
 */
export function takeRows(batch: ScalarBatch, positions: Uint32Array, numbers?: Uint32Array): ScalarBatch;
export function takeRows(batch: ColumnBatch, positions: Uint32Array, numbers?: Uint32Array): ColumnBatch;
export function takeRows(batch: ColumnBatch, positions: Uint32Array, numbers?: Uint32Array): ColumnBatch {
  const rows = takenRows(batch, positions, numbers);
  return batch.kind === "array"
    ? takeArrays(rows, batch, positions)
    : batchOfVector(rows, takeValues(batch, positions));
}

function takenRows(batch: ColumnBatch, positions: Uint32Array, rows?: Uint32Array): BatchRows {
  const { length } = positions;
  const validity = batch.validity && takeBits(batch.validity, positions);
  const nullCount = validity === undefined ? 0 : length - countBits(validity, 0, length);
  const firstRow = batch.firstRow + (positions[0] ?? 0);
  return { type: batch.type, length, firstRow, rows, validity, nullCount };
}

function takeBits(bitmap: Uint8Array, positions: Uint32Array): Uint8Array {
  const taken = new Uint8Array(bitmapByteLength(positions.length));
  for (let i = 0; i < positions.length; i++) {
    if (getBit(bitmap, positions[i] as number)) {
      setBit(taken, i);
    }
  }
  return taken;
}

function takeValues(vector: Vector, positions: Uint32Array): Vector {
  const { length } = positions;
  switch (vector.kind) {
    case "fixed":
      return takeFixed(vector, positions);
    case "bool":
      return { kind: "bool", length, values: takeBits(vector.values, positions) };
    case "binary":
      return takeStrings(vector, positions);
    case "dictionary": {
      const codes = new Int32Array(length);
      takeWords({ source: vector.codes, target: codes, perValue: 1 }, positions);
      return { kind: "dictionary", length, codes, dictionary: vector.dictionary };
    }
  }
}

function takeFixed({ physical, values }: FixedVector, positions: Uint32Array): FixedVector {
  const { length } = positions;
  const width = physicalWidth(physical);
  const buffer = new ArrayBuffer(length * width);
  takeWords(movedValues(bytesOf(values), buffer, length * width, width), positions);
  return { kind: "fixed", physical, length, values: fixedView(physical, buffer, length) };
}

function takeWords({ source, target, perValue }: MovedValues, positions: Uint32Array): void {
  for (let i = 0, to = 0; i < positions.length; i++) {
    for (let from = (positions[i] as number) * perValue, end = from + perValue; from < end; ) {
      target[to++] = source[from++] as number;
    }
  }
}

function takeStrings({ offsets, data }: BinaryVector, positions: Uint32Array): BinaryVector {
  const { length } = positions;
  const taken = takeOffsets(offsets, positions);
  const bytes = new Uint8Array(taken[length] as number);
  for (let i = 0; i < length; i++) {
    const at = positions[i] as number;
    copyRange(data, offsets[at] as number, offsets[at + 1] as number, bytes, taken[i] as number);
  }
  return { kind: "binary", length, offsets: taken, data: bytes };
}

/** The offsets of the ranges at these positions, placed back to back. */
function takeOffsets(offsets: Int32Array, positions: Uint32Array): Int32Array {
  const taken = new Int32Array(positions.length + 1);
  for (let i = 0; i < positions.length; i++) {
    const at = positions[i] as number;
    taken[i + 1] = (taken[i] as number) + (offsets[at + 1] as number) - (offsets[at] as number);
  }
  return taken;
}

function takeArrays(rows: BatchRows, { offsets, child }: ArrayBatch, positions: Uint32Array): ArrayBatch {
  const taken = takeOffsets(offsets, positions);
  const elements = new Uint32Array(taken[positions.length] as number);
  for (let i = 0, to = 0; i < positions.length; i++) {
    const at = positions[i] as number;
    for (let element = offsets[at] as number; element < (offsets[at + 1] as number); element++) {
      elements[to++] = element;
    }
  }
  const childRows = takenRows(child, elements);
  return new ArrayBatch(rows, taken, batchOfVector(childRows, takeValues(child, elements)));
}
