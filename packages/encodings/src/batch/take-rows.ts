/** Parts of column batches: consecutive rows without copying where that is possible, and any rows copied together. */
import { bitmapByteLength, copyBits, countBits, getBit, setBit } from "@cfile/bytes";
import { physicalWidth } from "../types/data-type.js";
import { allocateFixed, type BinaryVector, bytesOf, type FixedVector, type Vector } from "../types/vector.js";
import {
  ArrayBatch,
  BoolBatch,
  batchOfVector,
  type ColumnBatch,
  FixedBatch,
  type ScalarBatch,
} from "./column-batch.js";

/** Rows `from` (inclusive) to `to` (exclusive), counted from the start of the batch; shares the batch's memory. */
export function sliceRows(batch: ColumnBatch, from: number, to: number): ColumnBatch {
  if (from === 0 && to === batch.length) {
    return batch;
  }
  const length = to - from;
  const validity = batch.validity && bitsOf(batch.validity, from, length);
  const nullCount = validity === undefined ? 0 : length - countBits(validity, 0, length);
  const firstRow = batch.rows?.[from] ?? batch.firstRow + from;
  const numbers = batch.rows?.subarray(from, to);
  const rows = { type: batch.type, length, firstRow, rows: numbers, validity, nullCount };
  switch (batch.kind) {
    case "fixed": {
      const width = batch.physical === "INT128" ? 16 : 1;
      return new FixedBatch(rows, batch.physical, batch.values.subarray(from * width, to * width));
    }
    case "bool":
      return new BoolBatch(rows, bitsOf(batch.values, from, length));
    case "binary":
      return batchOfVector(rows, { ...batch, length, offsets: batch.offsets.subarray(from, to + 1) });
    case "dictionary":
      return batchOfVector(rows, { ...batch, length, codes: batch.codes.subarray(from, to) });
    case "array":
      return sliceArrays(rows, batch, from, to);
  }
}

function bitsOf(bitmap: Uint8Array, from: number, length: number): Uint8Array {
  if ((from & 7) === 0) {
    return bitmap.subarray(from >>> 3, (from >>> 3) + bitmapByteLength(length));
  }
  const bits = new Uint8Array(bitmapByteLength(length));
  copyBits(bitmap, from, bits, 0, length);
  return bits;
}

function sliceArrays(
  rows: ConstructorParameters<typeof ArrayBatch>[0],
  { offsets, child }: ArrayBatch,
  from: number,
  to: number,
): ArrayBatch {
  const start = offsets[from] as number;
  const elements = sliceRows(child, start, offsets[to] as number) as ScalarBatch;
  return new ArrayBatch(
    rows,
    offsets.subarray(from, to + 1).map((offset) => offset - start),
    elements,
  );
}

/**
 * The rows at these positions, in their order; a position may be there more than once.
 *
 * @param numbers their row numbers, where the batch is to have them
 */
export function takeRows(batch: ColumnBatch, positions: Uint32Array, numbers?: Uint32Array): ColumnBatch {
  const { length } = positions;
  let validity: Uint8Array | undefined;
  let nullCount = 0;
  if (batch.validity !== undefined) {
    validity = takeBits(batch.validity, positions);
    nullCount = length - countBits(validity, 0, length);
  }
  const firstRow = batch.firstRow + (positions[0] ?? 0);
  const rows = { type: batch.type, length, firstRow, rows: numbers, validity, nullCount };
  return batch.kind === "array"
    ? takeArrays(rows, batch, positions)
    : batchOfVector(rows, takeValues(batch, positions));
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
      takeWords(vector.codes, codes, 1, positions);
      return { kind: "dictionary", length, codes, dictionary: vector.dictionary };
    }
  }
}

function takeFixed({ physical, values }: FixedVector, positions: Uint32Array): FixedVector {
  const { length } = positions;
  const taken = allocateFixed(physical, length);
  const width = physicalWidth(physical);
  const source = bytesOf(values);
  const target = bytesOf(taken);
  // Values move as integers of the widest size that their address allows: NaN payloads stay as they are.
  if (width >= 4 && source.byteOffset % 4 === 0) {
    const words = new Int32Array(source.buffer, source.byteOffset, source.byteLength >>> 2);
    takeWords(words, new Int32Array(target.buffer, 0, target.byteLength >>> 2), width / 4, positions);
  } else {
    takeWords(source, target, width, positions);
  }
  return { kind: "fixed", physical, length, values: taken };
}

function takeWords(
  source: Uint8Array | Int32Array,
  target: Uint8Array | Int32Array,
  words: number,
  positions: Uint32Array,
): void {
  for (let i = 0, to = 0; i < positions.length; i++) {
    for (let from = (positions[i] as number) * words, end = from + words; from < end; ) {
      target[to++] = source[from++] as number;
    }
  }
}

function takeStrings({ offsets, data }: BinaryVector, positions: Uint32Array): BinaryVector {
  const { length } = positions;
  const taken = new Int32Array(length + 1);
  for (let i = 0; i < length; i++) {
    const at = positions[i] as number;
    taken[i + 1] = (taken[i] as number) + (offsets[at + 1] as number) - (offsets[at] as number);
  }
  const bytes = new Uint8Array(taken[length] as number);
  for (let i = 0; i < length; i++) {
    copyBytes(
      data,
      offsets[positions[i] as number] as number,
      bytes,
      taken[i] as number,
      taken[i + 1] as number,
    );
  }
  return { kind: "binary", length, offsets: taken, data: bytes };
}

/** Fills `target[to..end)` from `source` on. Strings are short: a view of each costs more than their bytes. */
export function copyBytes(
  source: Uint8Array,
  from: number,
  target: Uint8Array,
  to: number,
  end: number,
): void {
  if (end - to > 64) {
    target.set(source.subarray(from, from + end - to), to);
    return;
  }
  while (to < end) {
    target[to++] = source[from++] as number;
  }
}

function takeArrays(
  rows: ConstructorParameters<typeof ArrayBatch>[0],
  { offsets, child }: ArrayBatch,
  positions: Uint32Array,
): ArrayBatch {
  const taken = new Int32Array(positions.length + 1);
  for (let i = 0; i < positions.length; i++) {
    const at = positions[i] as number;
    taken[i + 1] = (taken[i] as number) + (offsets[at + 1] as number) - (offsets[at] as number);
  }
  const elements = new Uint32Array(taken[positions.length] as number);
  for (let i = 0, to = 0; i < positions.length; i++) {
    const at = positions[i] as number;
    for (let element = offsets[at] as number; element < (offsets[at + 1] as number); element++) {
      elements[to++] = element;
    }
  }
  return new ArrayBatch(rows, taken, takeRows(child, elements) as ScalarBatch);
}
