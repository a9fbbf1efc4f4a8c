/**
 * Checks the order that a value index requires: values ascend, and the key of a block is between the last value of the previous
 * block and its own first value (docs/spec/cfile.md#73-separating-keys).
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

  /** Forgets the last value, which is unknown after a damaged block. */
  forget(): void {
    this.last = undefined;
  }

  /** Returns the first row of the batch that is less than its predecessor, and remembers the last value of the batch. */
  findDescent(batch: ColumnBatch): number | undefined {
    if (batch.kind === "array" || batch.length === 0) {
      throw new CFileError("E_UNSUPPORTED", `${this.type} arrays have no order`, { field: "validx_info" });
    }
    const { last } = this;
    const isLess = last !== undefined && compareBytes(last, encodeVectorKey(batch, 0)) > 0;
    this.last = encodeVectorKey(batch, batch.length - 1);
    const descent = isLess ? 0 : findDescent(batch, 0, batch.length, this.kernels);
    return descent === undefined ? undefined : batch.firstRow + descent;
  }

  /** @throws {CFileError} `E_CORRUPT` when the block breaks the order */
  check(batch: ColumnBatch, storedKey: Uint8Array | undefined): void {
    const { last } = this;
    const descent = this.findDescent(batch);
    if (descent !== undefined) {
      const reason = `row ${descent} is less than the row before it`;
      throw corrupt(reason, { field: "value order", actual: descent });
    }
    if (storedKey === undefined || batch.kind === "array") {
      return;
    }
    const field = "validx key";
    if (compareBytes(storedKey, encodeVectorKey(batch, 0)) > 0) {
      throw corrupt("index key is greater than the block's first value", { field });
    }
    if (last !== undefined && compareBytes(storedKey, last) < 0) {
      throw corrupt("index key is less than the last value of the previous block", { field });
    }
  }
}

/**
 * Delta files are indexed by delta key, which is a prefix of each value.
 *
 * @throws {CFileError} `E_CORRUPT` when the block's first value does not start with its index key
 */
export function checkDeltaKey(first: ColumnBatch, storedKey: Uint8Array): void {
  if (first.kind === "array" || commonPrefixLength(encodeVectorKey(first, 0), storedKey) < storedKey.length) {
    throw corrupt("the block's first value does not start with its index key", { field: "validx key" });
  }
}
