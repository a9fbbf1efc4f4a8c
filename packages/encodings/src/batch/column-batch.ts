/**
 * Column batches: some consecutive rows of one column, with nulls, in Arrow's layout.
 *
 * | kind | fields |
 * | --- | --- |
 * | `fixed` | `values`: typed array; INT128: Uint8Array of 16 bytes a row |
 * | `bool` | `values`: bitmap, least significant bit first |
 * | `binary` | `offsets`: Int32Array of `length + 1`, `data`: Uint8Array |
 * | `dictionary` | `codes`: Int32Array, `dictionary`: a binary vector shared by batches |
 * | `array` | `offsets`: Int32Array of `length + 1`, `child`: batch of all elements |
 * | any | `validity`: bitmap, 1 = present, or `undefined` when no row is null; `nullCount`; `length`; `firstRow` |
 *
 * Values under null are zero or empty. The arrays may share memory with the reader or the file's bytes: treat
 * them as read-only.
 */
import { getBit } from "@cfile/bytes";
import { type CellOptions, type CellValue, cellReader } from "../types/cell-value.js";
import type { DataType, FixedPhysicalType } from "../types/data-type.js";
import type { BinaryVector, FixedValues, Vector } from "../types/vector.js";

/** What all kinds of batch have in common. */
export interface BatchRows {
  readonly type: DataType;
  /** Rows in the batch. */
  readonly length: number;
  /** Row number of the first row in the file. */
  readonly firstRow: number;
  /** Row number of each row, where a condition chose them: they do not follow `firstRow` one after the other. */
  readonly rows?: Uint32Array | undefined;
  /** Bitmap, 1 = present; `undefined` when no row is null. */
  readonly validity: Uint8Array | undefined;
  readonly nullCount: number;
}

const DEFAULT_OPTIONS: CellOptions = {};

function sameOptions(left: CellOptions | undefined, right: CellOptions): boolean {
  return left?.int64 === right.int64 && left?.strings === right.strings;
}

abstract class Batch implements BatchRows {
  readonly type: DataType;
  readonly length: number;
  readonly firstRow: number;
  readonly rows: Uint32Array | undefined;
  readonly validity: Uint8Array | undefined;
  readonly nullCount: number;

  constructor(rows: BatchRows) {
    this.type = rows.type;
    this.length = rows.length;
    this.firstRow = rows.firstRow;
    this.rows = rows.rows;
    this.validity = rows.nullCount > 0 ? rows.validity : undefined;
    this.nullCount = rows.nullCount;
  }

  /** Reads single cells, with the options it was made for: look-ups mostly ask for the same. */
  private cell: ((index: number) => CellValue) | undefined;
  private cellOptions: CellOptions | undefined;

  protected abstract reader(options: CellOptions, bulk: boolean): (index: number) => CellValue;

  /** Whether row `index` of the batch is null. The index is not checked. */
  isNull(index: number): boolean {
    return this.validity !== undefined && !getBit(this.validity, index);
  }

  /** One cell, `index` counted from the start of the batch; `undefined` outside it. */
  get(index: number, options: CellOptions = DEFAULT_OPTIONS): CellValue | undefined {
    if (!(index >= 0 && index < this.length)) {
      return undefined;
    }
    return this.isNull(index) ? null : this.cellReader(options)(index);
  }

  private cellReader(options: CellOptions): (index: number) => CellValue {
    const { cell, cellOptions } = this;
    if (cell !== undefined && sameOptions(cellOptions, options)) {
      return cell;
    }
    const made = this.reader(options, false);
    this.cell = made;
    this.cellOptions = { int64: options.int64, strings: options.strings };
    return made;
  }

  /** All cells as JavaScript values. */
  toArray(options: CellOptions = {}): CellValue[] {
    const read = this.reader(options, true);
    const cells = new Array<CellValue>(this.length);
    for (let i = 0; i < cells.length; i++) {
      cells[i] = this.isNull(i) ? null : read(i);
    }
    return cells;
  }
}

/**
 * Rows of numbers, dates, times and decimals: one element of `values` each; of INT128 and DECIMAL128 16 bytes,
 * little-endian.
 */
export class FixedBatch extends Batch {
  readonly kind = "fixed";
  readonly physical: FixedPhysicalType;
  readonly values: FixedValues;

  constructor(rows: BatchRows, physical: FixedPhysicalType, values: FixedValues) {
    super(rows);
    this.physical = physical;
    this.values = values;
  }

  protected override reader(options: CellOptions, bulk: boolean): (index: number) => CellValue {
    return cellReader(this, this.type, options, bulk);
  }
}

/** Rows of BOOL: bit `i` of `values`, least significant bit first. */
export class BoolBatch extends Batch {
  readonly kind = "bool";
  readonly values: Uint8Array;

  constructor(rows: BatchRows, values: Uint8Array) {
    super(rows);
    this.values = values;
  }

  protected override reader(options: CellOptions, bulk: boolean): (index: number) => CellValue {
    return cellReader(this, this.type, options, bulk);
  }
}

/** Rows of STRING, VARCHAR or BINARY: row `i` is bytes `offsets[i]` to `offsets[i + 1]` of `data`. */
export class BinaryBatch extends Batch {
  readonly kind = "binary";
  readonly offsets: Int32Array;
  readonly data: Uint8Array;

  constructor(rows: BatchRows, offsets: Int32Array, data: Uint8Array) {
    super(rows);
    this.offsets = offsets;
    this.data = data;
  }

  protected override reader(options: CellOptions, bulk: boolean): (index: number) => CellValue {
    return cellReader(this, this.type, options, bulk);
  }
}

/** Rows of STRING, VARCHAR or BINARY as codes: row `i` is entry `codes[i]` of `dictionary`. */
export class DictionaryBatch extends Batch {
  readonly kind = "dictionary";
  readonly codes: Int32Array;
  readonly dictionary: BinaryVector;

  constructor(rows: BatchRows, codes: Int32Array, dictionary: BinaryVector) {
    super(rows);
    this.codes = codes;
    this.dictionary = dictionary;
  }

  protected override reader(options: CellOptions, bulk: boolean): (index: number) => CellValue {
    return cellReader(this, this.type, options, bulk);
  }
}

/** Rows that are arrays: row `i` has elements `offsets[i]` to `offsets[i + 1]` of `child`. */
export class ArrayBatch extends Batch {
  readonly kind = "array";
  /** Element range of row `i`: `offsets[i]` to `offsets[i + 1]` in `child`. */
  readonly offsets: Int32Array;
  readonly child: ScalarBatch;

  constructor(rows: BatchRows, offsets: Int32Array, child: ScalarBatch) {
    super(rows);
    this.offsets = offsets;
    this.child = child;
  }

  protected override reader(options: CellOptions, bulk: boolean): (index: number) => CellValue {
    if (bulk) {
      const elements = this.child.toArray(options);
      return (index) => elements.slice(this.offsets[index], this.offsets[index + 1]);
    }
    return (index) => {
      const cell: CellValue[] = [];
      for (let i = this.offsets[index] as number; i < (this.offsets[index + 1] as number); i++) {
        cell.push(this.child.get(i, options) ?? null);
      }
      return cell;
    };
  }
}

/** A batch whose rows are no arrays. */
export type ScalarBatch = FixedBatch | BoolBatch | BinaryBatch | DictionaryBatch;
/** Rows of one column; `kind` tells which of the classes it is. */
export type ColumnBatch = ScalarBatch | ArrayBatch;

/** A batch over a vector that already has a (zero) value in every null row. */
export function batchOfVector(rows: BatchRows, vector: Vector): ScalarBatch {
  switch (vector.kind) {
    case "fixed":
      return new FixedBatch(rows, vector.physical, vector.values);
    case "bool":
      return new BoolBatch(rows, vector.values);
    case "binary":
      return new BinaryBatch(rows, vector.offsets, vector.data);
    case "dictionary":
      return new DictionaryBatch(rows, vector.codes, vector.dictionary);
  }
}
