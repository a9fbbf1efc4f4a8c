/** Encodes the keys of consecutive batches and checks their order; keys of one integer column go through a kernel. */
import { type BlockMemory, compareWithin } from "@cfile/bytes";
import { type ColumnBatch, physicalWidth } from "@cfile/encodings";
import { bytesOf } from "@cfile/encodings/batches";
import type { FirstDescent, IntegerKeys, RowKernels } from "@cfile/kernels/rows";
import { encodeRowKeys, type RowKeys } from "./row-keys.js";

interface EncodedBatch {
  /** Valid until two more batches are encoded. */
  readonly keys: RowKeys;
  /** The first row of the batch whose key is not greater than the previous one, if any. */
  readonly descent: number | undefined;
}

export class KeyEncoder {
  private readonly integerKeys: IntegerKeys;
  private readonly firstDescent: FirstDescent;
  private readonly memory: BlockMemory;
  private target = new Uint8Array(0);
  private spare = new Uint8Array(0);
  private offsets = new Int32Array(0);

  /** @param memory for the keys of two batches */
  constructor(kernels: RowKernels, memory: BlockMemory) {
    this.integerKeys = kernels.integerKeys(integerKeys);
    this.firstDescent = kernels.firstDescent(firstDescent);
    this.memory = memory;
  }

  /** @throws {CFileError} as `encodeRowKeys` */
  encode(columns: readonly ColumnBatch[]): EncodedBatch {
    const [only] = columns;
    const integers = only !== undefined && columns.length === 1 ? this.encodeIntegers(only) : undefined;
    if (integers !== undefined) {
      return integers;
    }
    const keys = encodeRowKeys(columns);
    const descent = this.firstDescent(keys, keys.length);
    return { keys, descent: descent < keys.length ? descent : undefined };
  }

  private encodeIntegers(batch: ColumnBatch): EncodedBatch | undefined {
    if (batch.kind !== "fixed" || batch.nullCount > 0) {
      return undefined;
    }
    const { length, physical, values } = batch;
    if (physical === "FLOAT" || physical === "DOUBLE" || physical === "INT128") {
      return undefined;
    }
    const width = physicalWidth(physical);
    const size = length * width;
    // The keys of the previous batch stay valid.
    [this.target, this.spare] = [this.spare, this.target];
    if (this.target.length < size) {
      this.target = new Uint8Array(this.memory.take(size));
    }
    const data = this.target.subarray(0, size);
    const flip = physical.startsWith("UINT") ? 0 : 0x80;
    const descent = this.integerKeys(bytesOf(values).subarray(0, size), width, flip, data);
    const keys = { length, offsets: this.offsetsOf(length, width), data, width };
    return { keys, descent: descent < length ? descent : undefined };
  }

  /** Offsets of keys of one width, reused from batch to batch; the last batch can be shorter. */
  private offsetsOf(length: number, width: number): Int32Array {
    if (this.offsets.length <= length || this.offsets[1] !== width) {
      const offsets = new Int32Array(this.memory.take(4 * (length + 1)), 0, length + 1);
      offsets[0] = 0;
      for (let row = 1; row <= length; row++) {
        offsets[row] = row * width;
      }
      this.offsets = offsets;
    }
    return this.offsets.subarray(0, length + 1);
  }
}

const integerKeys: IntegerKeys = (values, width, flip, target) => {
  for (let at = 0; at < values.length; at += width) {
    for (let i = 0; i < width; i++) {
      target[at + i] = values[at + width - 1 - i] as number;
    }
    target[at] = (target[at] as number) ^ flip;
  }
  for (let at = width; at < target.length; at += width) {
    if (compareWithin(target, at - width, at, at, at + width) >= 0) {
      return at / width;
    }
  }
  return values.length / width;
};

const firstDescent: FirstDescent = ({ data, offsets }, count) => {
  for (let i = 1; i < count; i++) {
    const start = offsets[i] as number;
    const end = offsets[i + 1] as number;
    if (compareWithin(data, offsets[i - 1] as number, start, start, end) >= 0) {
      return i;
    }
  }
  return count;
};
