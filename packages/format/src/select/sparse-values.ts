/** The values of a block that stand behind a bitmap of nulls. */
import { bitmapByteLength, copyBits, corrupt, countBits } from "@cfile/bytes";
import type { BlockDecoder, DataType, ScalarBatch } from "@cfile/encodings";
import { batchOfVector } from "@cfile/encodings";
import { scatterVector } from "@cfile/encodings/headers";
import type { BlockColumn } from "../blocks/data-block.js";
import { presentRows } from "../blocks/plain-data-block.js";

/** The non-null values of a block behind a bitmap: which of its entries are present, and their values. */
export class SparseValues {
  private readonly decoder: BlockDecoder;
  private readonly validity: Uint8Array;
  private readonly length: number;
  private readonly type: DataType;
  /** Entry up to which ones were counted, and how many there are: consecutive ranges count each bit once. */
  private counted = 0;
  private ones = 0;

  private readonly context: Pick<BlockColumn, "kernels" | "memory">;

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

  /** How many of the entries before `entry` are present. */
  private rank(entry: number): number {
    if (entry < this.counted) {
      this.counted = 0;
      this.ones = 0;
    }
    this.ones += countBits(this.validity, this.counted, entry);
    this.counted = entry;
    return this.ones;
  }
}

export function checkValueCount(decoder: BlockDecoder, present: number): void {
  if (decoder.count !== present) {
    throw corrupt(`the bitmap marks ${present} values present, the block encodes ${decoder.count}`, {
      field: "value count",
      expected: present,
      actual: decoder.count,
    });
  }
}
