/**
 * The canonical serialization of a column: its content without its encoding. Two files with the same bytes here
 * hold the same column, however they are encoded, compressed and cut into blocks.
 *
 * | not an array | bytes |
 * | --- | --- |
 * | validity | one byte a row, 1 = present; nullable columns only |
 * | values | little-endian in their natural width, BOOL one byte, zeros under null; strings u32le length + bytes |
 *
 * | array | bytes |
 * | --- | --- |
 * | validity | one byte a row |
 * | lengths | u32le elements of each row, 0 for null rows |
 * | elements | one validity byte each, then the values as above |
 */
import { getBit } from "@cfile/bytes";
import type { ColumnBatch, ScalarBatch } from "@cfile/encodings";
import { bytesOf } from "@cfile/encodings/batches";
import type { CFileReader, ScanOptions } from "@cfile/format";

type Part = (batch: ColumnBatch) => Uint8Array;

/**
 * The serialization in pieces, to be hashed or compared. The file is scanned once per part, so that memory stays
 * bounded.
 */
export async function* canonicalBytes(
  file: CFileReader,
  options: Pick<ScanOptions, "signal"> = {},
): AsyncGenerator<Uint8Array, void, void> {
  const parts: Part[] = file.array
    ? [
        rowValidity,
        cellLengths,
        (batch) => rowValidity(elements(batch)),
        (batch) => scalarValues(elements(batch)),
      ]
    : [...(file.nullable ? [rowValidity] : []), (batch: ColumnBatch) => scalarValues(elements(batch))];
  for (const part of parts) {
    for await (const batch of file.scan(options)) {
      yield part(batch);
    }
  }
}

/** The values of a batch: the elements of an array batch, else the batch itself. */
function elements(batch: ColumnBatch): ScalarBatch {
  return batch.kind === "array" ? batch.child : batch;
}

function rowValidity(batch: ColumnBatch): Uint8Array {
  const bytes = new Uint8Array(batch.length).fill(1);
  const { validity } = batch;
  if (validity !== undefined) {
    for (let i = 0; i < bytes.length; i++) {
      bytes[i] = getBit(validity, i) ? 1 : 0;
    }
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
      return bytesOf(batch.values);
    case "bool": {
      const bytes = new Uint8Array(batch.length);
      for (let i = 0; i < bytes.length; i++) {
        bytes[i] = getBit(batch.values, i) ? 1 : 0;
      }
      return bytes;
    }
    default:
      return lengthPrefixed(batch);
  }
}

function lengthPrefixed(batch: Extract<ScalarBatch, { kind: "binary" | "dictionary" }>): Uint8Array {
  const { offsets, data } = batch.kind === "binary" ? batch : batch.dictionary;
  const positionOf = (row: number): number => (batch.kind === "binary" ? row : (batch.codes[row] as number));
  const lengthOf = (row: number): number =>
    batch.isNull(row) ? 0 : (offsets[positionOf(row) + 1] as number) - (offsets[positionOf(row)] as number);
  let size = 0;
  for (let row = 0; row < batch.length; row++) {
    size += 4 + lengthOf(row);
  }
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (let row = 0; row < batch.length; row++) {
    const length = lengthOf(row);
    view.setUint32(at, length, true);
    at += 4;
    if (length > 0) {
      const start = offsets[positionOf(row)] as number;
      bytes.set(data.subarray(start, start + length), at);
      at += length;
    }
  }
  return bytes;
}
