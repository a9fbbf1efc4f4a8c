/** A cell of a batch as change lists store it (docs/spec/deltafile.md#41-value-encoding-by-column-type). */
import { getBit } from "@cfile/bytes";
import { encodeArrayCell } from "@cfile/deltafile";
import type { ColumnBatch } from "@cfile/encodings";
import { physicalWidth } from "@cfile/encodings";
import { bytesOf } from "@cfile/encodings/batches";

/** The bytes of a cell, `null` for NULL, as `MutationBuilder.set` takes them. May share the batch's memory. */
export function storedCell(batch: ColumnBatch, row: number): Uint8Array | null {
  if (batch.isNull(row)) {
    return null;
  }
  switch (batch.kind) {
    case "fixed": {
      const width = physicalWidth(batch.physical);
      return bytesOf(batch.values).subarray(row * width, (row + 1) * width);
    }
    case "bool":
      return Uint8Array.of(getBit(batch.values, row) ? 1 : 0);
    case "binary":
      return batch.data.subarray(batch.offsets[row], batch.offsets[row + 1]);
    case "dictionary": {
      const { offsets, data } = batch.dictionary;
      const code = batch.codes[row] as number;
      return data.subarray(offsets[code], offsets[code + 1]);
    }
    case "array":
      return encodeArrayCell(batch.child, batch.offsets[row], batch.offsets[row + 1]);
  }
}
