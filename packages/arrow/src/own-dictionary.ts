import { ArrayBatch, type BinaryBatch, type ColumnBatch, DictionaryBatch } from "@cfile/encodings";

/** Strings as codes, for columns whose others are: each string is a word of its own, and stays where it is. */
export function withOwnDictionary(batch: ColumnBatch): ColumnBatch {
  if (batch.kind === "array" && batch.child.kind === "binary") {
    return new ArrayBatch(batch, batch.offsets, coded(batch.child));
  }
  return batch.kind === "binary" ? coded(batch) : batch;
}

function coded(batch: BinaryBatch): DictionaryBatch {
  const { length, offsets, data } = batch;
  const codes = Int32Array.from({ length }, (_, i) => (batch.isNull(i) ? 0 : i));
  return new DictionaryBatch(batch, codes, { kind: "binary", length, offsets, data });
}
