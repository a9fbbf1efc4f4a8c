/** Decodes the values of a block with a bitmap of nulls. */
import { bitmapByteLength, copyBits, countBits, mismatch } from "@cfile/bytes";
import { type BlockDecoder, batchOfVector, type DataType, type ScalarBatch } from "@cfile/encodings";
import { scatterVector } from "@cfile/encodings/headers";
import type { BlockColumn } from "../blocks/data-block.js";
import { presentRows } from "../blocks/plain-data-block.js";

export class SparseValues {
  private readonly decoder: BlockDecoder;
  private readonly validity: Uint8Array;
  private readonly length: number;
  private readonly type: DataType;
  private readonly context: Pick<BlockColumn, "kernels" | "memory">;
  /** Number of one bits before entry `counted`, so that decoding consecutive ranges counts each bit only once. */
  private ones = 0;
  private counted = 0;

  constructor(decoder: BlockDecoder, validity: Uint8Array, length: number, column: BlockColumn) {
    this.decoder = decoder;
    this.validity = validity;
    this.length = length;
    this.type = column.type;
    this.context = column;
  }

  /** Entries `from` to `to` as a batch with nulls. */
  decode(from: number, to: number, firstRow: number): ScalarBatch {
    const length = to - from;
    const first = this.rank(from);
    const last = this.rank(to);
    const vector = this.decoder.decode(first, last);
    if (last - first === length) {
      return batchOfVector(presentRows(this.type, length, firstRow), vector);
    }
    let validity = this.validity;
    if (from > 0 || to < this.length) {
      validity = new Uint8Array(bitmapByteLength(length));
      copyBits(this.validity, from, validity, 0, length);
    }
    const nullCount = length - (last - first);
    const rows = { type: this.type, length, firstRow, validity, nullCount };
    return batchOfVector(rows, scatterVector(vector, validity, length, this.context));
  }

  /** Number of entries present before `entry`. */
  private rank(entry: number): number {
    if (this.decoder.count === this.length) {
      return entry;
    }
    if (entry === this.length) {
      return this.decoder.count;
    }
    if (entry < this.counted) {
      this.counted = 0;
      this.ones = 0;
    }
    this.ones += countBits(this.validity, this.counted, entry);
    this.counted = entry;
    return this.ones;
  }
}

/** @throws {CFileError} `E_CORRUPT` unless the block encodes as many values as the bitmap marks as present */
export function checkValueCount(decoder: BlockDecoder, present: number): void {
  if (decoder.count !== present) {
    const reason = "bitmap and encoded values differ in their count";
    throw mismatch(reason, present, decoder.count, { field: "value count" });
  }
}
