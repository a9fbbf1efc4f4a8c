/**
 * The order that a value index relies on: values ascend, and each block's stored key lies after the last value
 * of the block before and not after the block's first value (docs/spec/cfile.md#73-separating-keys).
 */
import { CFileError, commonPrefixLength, compareBytes, corrupt } from "@cfile/bytes";
import type { ColumnBatch, DataType } from "@cfile/encodings";
import { encodeVectorKey, findDescent } from "@cfile/encodings/keys";
import { portableRowKernels } from "@cfile/kernels";
import type { RowKernels } from "@cfile/kernels/rows";

export class ValueOrder {
  private last: Uint8Array | undefined;
  private readonly type: DataType;
  private readonly kernels: RowKernels;

  constructor(type: DataType, kernels: RowKernels = portableRowKernels) {
    this.type = type;
    this.kernels = kernels;
  }

  /** After a bad block nothing is known of the value before. */
  forget(): void {
    this.last = undefined;
  }

  /** @throws CFileError `E_CORRUPT` when the block breaks the order */
  check(batch: ColumnBatch, storedKey: Uint8Array | undefined): void {
    if (batch.kind === "array" || batch.length === 0) {
      throw new CFileError("E_UNSUPPORTED", `${this.type} arrays have no order`, { field: "validx_info" });
    }
    const descent = findDescent(batch, 0, batch.length, this.kernels);
    if (descent !== undefined) {
      throw corrupt(`row ${batch.firstRow + descent} is less than the row before it`, {
        field: "value order",
        actual: batch.firstRow + descent,
      });
    }
    const first = encodeVectorKey(batch, 0);
    const last = this.last;
    this.last = encodeVectorKey(batch, batch.length - 1);
    if (last !== undefined && compareBytes(last, first) > 0) {
      throw corrupt("the block's first value is less than the last one of the block before", {
        field: "value order",
        actual: batch.firstRow,
      });
    }
    if (storedKey === undefined) {
      return;
    }
    if (compareBytes(storedKey, first) > 0) {
      throw corrupt("the value index has a key after the block's first value", { field: "validx key" });
    }
    if (last !== undefined && compareBytes(storedKey, last) < 0) {
      throw corrupt("the value index has a key before the last value of the block before", {
        field: "validx key",
      });
    }
  }
}

/**
 * Delta files are indexed by delta key, with which each value begins.
 *
 * @throws CFileError `E_CORRUPT` when the block's first value does not begin with its index key
 */
export function checkDeltaKey(first: ColumnBatch, storedKey: Uint8Array): void {
  if (first.kind === "array" || commonPrefixLength(encodeVectorKey(first, 0), storedKey) < storedKey.length) {
    throw corrupt("the block's first value does not begin with its index key", { field: "validx key" });
  }
}
