/** A data block of an array column: counts and bitmaps of cells and elements, then the encoded elements. */
import { bitmapByteLength, copyBits, corrupt, countBits, type Limits } from "@cfile/bytes";
import type { BlockDecoder, BlockOpener, ColumnBatch, DataType, SeekPosition } from "@cfile/encodings";
import { ArrayBatch } from "@cfile/encodings";
import { parseArrayBlock } from "@cfile/encodings/headers";
import { checkValueCount, SparseValues } from "../select/sparse-values.js";
import type { BlockColumn, DataBlock } from "./data-block.js";
import { memoryOf, requireRows } from "./plain-data-block.js";

export class ArrayDataBlock implements DataBlock {
  readonly rows: number;
  readonly nulls: number;
  readonly firstRow: number;
  readonly memory: number;
  private readonly type: DataType;
  private readonly decoder: BlockDecoder;
  private readonly values: SparseValues;
  private readonly validity: Uint8Array;
  /** Element range of row `i`: `starts[i]` to `starts[i + 1]`. */
  private readonly starts: Int32Array;

  constructor(bytes: Uint8Array, column: BlockColumn, limits: Limits, open: BlockOpener) {
    const header = parseArrayBlock(bytes, limits);
    this.nulls = header.rows - countBits(header.rowValidity, 0, header.rows);
    if (!column.nullable && this.nulls > 0) {
      throw corrupt("null cell in a column that is not nullable", { field: "array bitmap" });
    }
    this.decoder = open(bytes.subarray(header.dataStart), column);
    checkValueCount(this.decoder, header.nonNullElements);
    this.type = column.type;
    this.rows = header.rows;
    this.firstRow = this.decoder.ordinal;
    this.validity = header.rowValidity;
    this.starts = new Int32Array(header.rows + 1);
    for (let i = 0, end = 0; i < header.rows; i++) {
      end += header.counts[i] as number;
      this.starts[i + 1] = end;
    }
    this.memory = memoryOf(bytes, column.type, header.nonNullElements) + 4 * this.rows;
    this.values = new SparseValues(this.decoder, header.elementValidity, header.elements, column);
    requireRows(this.rows);
  }

  decode(from: number, to: number): ColumnBatch {
    const length = to - from;
    const firstElement = this.starts[from] as number;
    const child = this.values.decode(firstElement, this.starts[to] as number, 0);
    let offsets = this.starts.subarray(from, to + 1);
    if (firstElement > 0) {
      offsets = offsets.map((start) => start - firstElement);
    }
    const validity = new Uint8Array(bitmapByteLength(length));
    copyBits(this.validity, from, validity, 0, length);
    const nullCount = length - countBits(validity, 0, length);
    const rows = { type: this.type, length, firstRow: this.firstRow + from, validity, nullCount };
    return new ArrayBatch(rows, offsets, child);
  }

  check(): void {
    this.decoder.check();
  }

  seek(): SeekPosition {
    throw corrupt("array columns cannot be searched by value", { field: "is_type_array" });
  }
}
