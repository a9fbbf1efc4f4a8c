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
import type { ColumnBatch, ScalarBatch } from "@cfile/encodings";
import { bytesOf } from "@cfile/encodings/batches";
import type { CFileReader, ScanOptions } from "@cfile/format";

/**
 * Yields the canonical bytes in pieces, to hash or compare. Scans the file once per part, so that memory stays bounded.
 *
 * @throws {CFileError} as `CFileReader.scan`
 */
export async function* canonicalBytes(
  file: CFileReader,
  options: Pick<ScanOptions, "signal"> = {},
): AsyncGenerator<Uint8Array, void, void> {
  const parts: ((batch: ColumnBatch) => Uint8Array)[] = [(batch) => scalarValues(elements(batch))];
  if (file.array) {
    parts.unshift(rowValidity, cellLengths, (batch) => rowValidity(elements(batch)));
  } else if (file.nullable) {
    parts.unshift(rowValidity);
  }
  for (const part of parts) {
    for await (const batch of file.scan(options)) {
      yield part(batch);
    }
  }
}

/** The elements of an array batch, or else the batch itself. */
function elements(batch: ColumnBatch): ScalarBatch {
  return batch.kind === "array" ? batch.child : batch;
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
      return bytesOf(batch.values);
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
