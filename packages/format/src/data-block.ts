/**
 * A data block as rows: null or array header (specification 4.1) around the encoded values.
 *
 * Opening checks the headers against each other; rows are decoded on demand, so that one row of a large block
 * costs no more than the part of the block it needs.
 */
import { type BlockMemory, bitmapByteLength, copyBits, corrupt, countBits, type Limits } from "@cfile/bytes";
import {
  ArrayBatch,
  type BatchRows,
  type BinaryVector,
  type BlockDecoder,
  batchOfVector,
  type ColumnBatch,
  DATA_TYPES,
  type DataType,
  type EncodingType,
  openBlock,
  parseArrayBlock,
  parseNullableBlock,
  physicalWidth,
  type ScalarBatch,
  type SeekPosition,
  type SeekTarget,
  scatterVector,
} from "@cfile/encodings";
import type { Kernels } from "@cfile/kernels";

/** What must be known of the column to read a block of it. */
export interface BlockColumn {
  readonly type: DataType;
  /** Never AUTO. */
  readonly encoding: EncodingType;
  readonly nullable: boolean;
  readonly array: boolean;
  readonly dictionary: BinaryVector | undefined;
  /** A faster way to the same values, where there is one. */
  readonly kernels?: Kernels | undefined;
  /** Where decoded values go. Default: memory of their own. */
  readonly memory?: BlockMemory | undefined;
}

/** Opens the content of a data block (after unwrapping). */
export function openDataBlock(bytes: Uint8Array, column: BlockColumn, limits: Limits): DataBlock {
  if (column.array) {
    return new ArrayDataBlock(bytes, column, limits);
  }
  return column.nullable ? new NullableDataBlock(bytes, column, limits) : new PlainDataBlock(bytes, column);
}

export interface DataBlock {
  /** Row number of the first row, as stored in the block. */
  readonly firstRow: number;
  /** Rows, nulls included; at least 1. */
  readonly rows: number;
  /** Rows that are null. */
  readonly nulls: number;
  /** About how many bytes the opened block keeps in memory once decoded. */
  readonly memory: number;
  /** Rows `from` to `to`, counted from the start of the block. */
  decode(from: number, to: number): ColumnBatch;
  /** Decodes and checks the whole block, the parts that `decode` may skip included. */
  check(): void;
  /** First row at or after `target`; blocks of sorted columns without nulls only. */
  seek(target: SeekTarget): SeekPosition;
}

function requireRows(rows: number): void {
  if (rows === 0) {
    throw corrupt("a data block without rows", { field: "row count" });
  }
}

function memoryOf(bytes: Uint8Array, type: DataType, values: number): number {
  return bytes.length + values * Math.max(1, physicalWidth(DATA_TYPES[type].physical));
}

class PlainDataBlock implements DataBlock {
  readonly rows: number;
  readonly nulls = 0;
  readonly firstRow: number;
  readonly memory: number;
  private readonly type: DataType;
  private readonly decoder: BlockDecoder;

  constructor(bytes: Uint8Array, column: BlockColumn) {
    this.decoder = openBlock(column.type, column.encoding, bytes, column);
    this.type = column.type;
    this.rows = this.decoder.count;
    this.firstRow = this.decoder.ordinal;
    this.memory = memoryOf(bytes, column.type, this.rows);
    requireRows(this.rows);
  }

  decode(from: number, to: number): ColumnBatch {
    const rows = presentRows(this.type, to - from, this.firstRow + from);
    return batchOfVector(rows, this.decoder.decode(from, to));
  }

  check(): void {
    this.decoder.check();
  }

  seek(target: SeekTarget): SeekPosition {
    return this.decoder.seek(target);
  }
}

function presentRows(type: DataType, length: number, firstRow: number): BatchRows {
  return { type, length, firstRow, validity: undefined, nullCount: 0 };
}

/** The non-null values of a block behind a bitmap: which of its entries are present, and their values. */
class SparseValues {
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

function checkValueCount(decoder: BlockDecoder, present: number): void {
  if (decoder.count !== present) {
    throw corrupt(`the bitmap marks ${present} values present, the block encodes ${decoder.count}`, {
      field: "value count",
      expected: present,
      actual: decoder.count,
    });
  }
}

class NullableDataBlock implements DataBlock {
  readonly rows: number;
  readonly nulls: number;
  readonly firstRow: number;
  readonly memory: number;
  private readonly decoder: BlockDecoder;
  private readonly values: SparseValues;

  constructor(bytes: Uint8Array, column: BlockColumn, limits: Limits) {
    const header = parseNullableBlock(bytes, limits);
    this.decoder = openBlock(column.type, column.encoding, bytes.subarray(header.dataStart), column);
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
    throw corrupt("a nullable column cannot be searched by value", { field: "is_type_nullable" });
  }
}

class ArrayDataBlock implements DataBlock {
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

  constructor(bytes: Uint8Array, column: BlockColumn, limits: Limits) {
    const header = parseArrayBlock(bytes, limits);
    this.nulls = header.rows - countBits(header.rowValidity, 0, header.rows);
    if (!column.nullable && this.nulls > 0) {
      throw corrupt("a null cell in a column that is not nullable", { field: "array bitmap" });
    }
    this.decoder = openBlock(column.type, column.encoding, bytes.subarray(header.dataStart), column);
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
    throw corrupt("an array column cannot be searched by value", { field: "is_type_array" });
  }
}
