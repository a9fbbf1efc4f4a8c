/** A data block of a nullable column: a bitmap, then the encoded values. */
import { corrupt, type Limits } from "@cfile/bytes";
import type { BlockDecoder, BlockOpener, ColumnBatch, SeekPosition } from "@cfile/encodings";
import { parseNullableBlock } from "@cfile/encodings/headers";
import { checkValueCount, SparseValues } from "../select/sparse-values.js";
import type { BlockColumn, DataBlock } from "./data-block.js";
import { memoryOf, requireRows } from "./plain-data-block.js";

export class NullableDataBlock implements DataBlock {
  readonly rows: number;
  readonly nulls: number;
  readonly firstRow: number;
  readonly memory: number;
  private readonly decoder: BlockDecoder;
  private readonly values: SparseValues;

  constructor(bytes: Uint8Array, column: BlockColumn, limits: Limits, open: BlockOpener) {
    const header = parseNullableBlock(bytes, limits, column.kernels);
    this.decoder = open(bytes.subarray(header.dataStart), column);
    checkValueCount(this.decoder, header.nonNull);
    this.rows = header.rows;
    this.nulls = header.rows - header.nonNull;
    this.firstRow = this.decoder.ordinal;
    this.memory = memoryOf(bytes, column.type, header.nonNull) + header.validity.length;
    this.values = new SparseValues(this.decoder, header.validity, header.rows, column);
    requireRows(this.rows);
  }

  decode(from: number, to: number): ColumnBatch {
    return this.values.decode(from, to, this.firstRow + from);
  }

  check(): void {
    this.decoder.check();
  }

  seek(): SeekPosition {
    throw corrupt("nullable columns cannot be searched by value", { field: "is_type_nullable" });
  }
}
