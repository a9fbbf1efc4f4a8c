/** Encodes array cells as Kudu does; `array-cell.ts` describes their layout. */
import { bitmapByteLength, copyBits, countBits, getBit, invalidArgument } from "@cfile/bytes";
import { physicalWidth, type ScalarBatch } from "@cfile/encodings";
import { bytesOf, MAX_ARRAY_ELEMENTS } from "@cfile/encodings/batches";
import { arrayMember } from "./array-cell.js";
import { FlatBufferBuilder } from "./flat-buffer-builder.js";

/**
 * Encodes the elements `from` (inclusive) to `to` (exclusive) of a batch as an array cell.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for more than 65535 elements or a range outside the batch, `E_UNSUPPORTED` for a
 *   type without arrays
 */
export function encodeArrayCell(batch: ScalarBatch, from = 0, to = batch.length): Uint8Array {
  const member = arrayMember(batch.type);
  if (!(from >= 0 && from <= to && to <= batch.length && to - from <= MAX_ARRAY_ELEMENTS)) {
    const reason = `invalid elements of an array cell: ${from} to ${to} of ${batch.length}`;
    throw invalidArgument(reason, { field: "array" });
  }
  const builder = new FlatBufferBuilder();
  const validity = addValidity(builder, batch, from, to);
  const values = addValues(builder, batch, from, to);
  return builder.finish(builder.table([builder.table([values]), validity], member));
}

/** Adds the bitmap, if an element is null. */
function addValidity(
  builder: FlatBufferBuilder,
  { validity }: ScalarBatch,
  from: number,
  to: number,
): number | undefined {
  if (validity === undefined || countBits(validity, from, to) === to - from) {
    return undefined;
  }
  const bitmap = new Uint8Array(bitmapByteLength(to - from));
  copyBits(validity, from, bitmap, 0, to - from);
  return builder.vector(bitmap, 1);
}

function addValues(builder: FlatBufferBuilder, batch: ScalarBatch, from: number, to: number): number {
  switch (batch.kind) {
    case "fixed": {
      const width = physicalWidth(batch.physical);
      return builder.vector(bytesOf(batch.values).subarray(from * width, to * width), width);
    }
    case "bool": {
      const bytes = new Uint8Array(to - from);
      for (let i = from; i < to; i++) {
        bytes[i - from] = getBit(batch.values, i) ? 1 : 0;
      }
      return builder.vector(bytes, 1);
    }
    default:
      return addStrings(builder, batch, from, to);
  }
}

function addStrings(
  builder: FlatBufferBuilder,
  batch: Extract<ScalarBatch, { kind: "binary" | "dictionary" }>,
  from: number,
  to: number,
): number {
  const { offsets, data } = batch.kind === "binary" ? batch : batch.dictionary;
  const inTables = batch.type === "BINARY";
  const elements: number[] = [];
  for (let i = from; i < to; i++) {
    const at = batch.kind === "binary" ? i : (batch.codes[i] as number);
    const bytes = batch.isNull(i) ? data.subarray(0, 0) : data.subarray(offsets[at], offsets[at + 1]);
    elements.push(inTables ? builder.table([builder.vector(bytes, 1)]) : builder.string(bytes));
  }
  return builder.references(elements);
}
