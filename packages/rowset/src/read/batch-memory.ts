/** How much memory batches take, for budgets. */
import type { ColumnBatch } from "@cfile/encodings";

/** Bytes of the arrays of a batch, as far as its rows take them. */
export function batchBytes(batch: ColumnBatch): number {
  const { length } = batch;
  const validity = length >>> 3;
  switch (batch.kind) {
    case "fixed":
      return validity + batch.values.byteLength;
    case "bool":
      return 2 * validity;
    case "binary":
      return validity + 4 * length + stringBytes(batch.offsets, length);
    case "dictionary":
      return validity + 4 * length + stringBytes(batch.dictionary.offsets, batch.dictionary.length);
    case "array":
      return validity + 4 * length + batchBytes(batch.child);
  }
}

function stringBytes(offsets: Int32Array, length: number): number {
  return (offsets[length] as number) - (offsets[0] as number);
}
