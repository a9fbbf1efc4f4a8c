/**
 * The canonical bytes of a column: its content, independent of encoding, compression and blocks.
 *
 * | not an array | bytes |
 * | --- | --- |
 * | validity | one byte per row, 1 = present; nullable columns only |
 * | values | little-endian in their natural width, BOOL one byte, zeros for null; strings u32le length + bytes |
 *
 * | array | bytes |
 * | --- | --- |
 * | validity | one byte per row |
 * | lengths | u32le number of elements per row, 0 for null |
 * | elements | one validity byte each, then the values as above |
 */
import { ByteBuilder, getBit } from "@cfile/bytes";
import { bytesOf } from "../types/vector.js";
import type { ColumnBatch, FixedBatch, ScalarBatch } from "./column-batch.js";
import { sliceRows } from "./take-rows.js";

/** Makes one part of the canonical bytes of a batch. */
export type CanonicalPart = (batch: ColumnBatch) => Uint8Array;

/** The parts of a column, in order. Parts of consecutive batches are joined part by part. */
export function canonicalParts({
  array,
  nullable,
}: {
  readonly array: boolean;
  readonly nullable: boolean;
}): readonly CanonicalPart[] {
  const values: CanonicalPart = (batch) => scalarValues(elements(batch));
  if (array) {
    return [rowValidity, cellLengths, (batch) => rowValidity(elements(batch)), values];
  }
  return nullable ? [rowValidity, values] : [values];
}

/** The elements of the arrays of a batch, or else the batch itself. */
function elements(batch: ColumnBatch): ScalarBatch {
  if (batch.kind !== "array") {
    return batch;
  }
  const { offsets, length, child } = batch;
  const [from = 0, to = 0] = [offsets[0], offsets[length]];
  return sliceRows(child, from, to);
}

function rowValidity({ validity, length }: ColumnBatch): Uint8Array {
  return validity === undefined ? new Uint8Array(length).fill(1) : bytesOfBits(validity, length);
}

function bytesOfBits(bits: Uint8Array, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    bytes[i] = getBit(bits, i) ? 1 : 0;
  }
  return bytes;
}

function cellLengths(batch: ColumnBatch): Uint8Array {
  const lengths = new DataView(new ArrayBuffer(4 * batch.length));
  if (batch.kind === "array") {
    for (let i = 0; i < batch.length; i++) {
      lengths.setUint32(4 * i, (batch.offsets[i + 1] as number) - (batch.offsets[i] as number), true);
    }
  }
  return bytesOf(lengths);
}

function scalarValues(batch: ScalarBatch): Uint8Array {
  switch (batch.kind) {
    case "fixed":
      return batch.validity === undefined ? bytesOf(batch.values) : withoutNulls(batch);
    case "bool":
      return bytesOfBits(batch.values, batch.length);
    default:
      return lengthPrefixed(batch);
  }
}

function lengthPrefixed(batch: Extract<ScalarBatch, { kind: "binary" | "dictionary" }>): Uint8Array {
  const { offsets, data } = batch.kind === "binary" ? batch : batch.dictionary;
  const startOf = (row: number): number => (batch.kind === "binary" ? row : (batch.codes[row] as number));
  const out = new ByteBuilder();
  for (let row = 0; row < batch.length; row++) {
    const start = startOf(row);
    const value = data.subarray(offsets[start], batch.isNull(row) ? offsets[start] : offsets[start + 1]);
    out.u32le(value.length);
    out.append(value);
  }
  return out.finish();
}

/** The bytes of the values, with zeros for nulls, whose cells can hold any value after updates. */
function withoutNulls({ values, length, validity }: FixedBatch): Uint8Array {
  const bytes = bytesOf(values).slice();
  const width = length === 0 ? 0 : bytes.length / length;
  for (let i = 0; validity !== undefined && i < length; i++) {
    if (!getBit(validity, i)) {
      bytes.fill(0, i * width, (i + 1) * width);
    }
  }
  return bytes;
}
