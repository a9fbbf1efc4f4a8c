/**
 * Column batches: consecutive rows of one column, with nulls, in Arrow's layout.
 *
 * | kind | fields |
 * | --- | --- |
 * | `fixed` | `values`: typed array; INT128: Uint8Array of 16 bytes per row |
 * | `bool` | `values`: bitmap, least significant bit first |
 * | `binary` | `offsets`: Int32Array of `length + 1`, `data`: Uint8Array |
 * | `dictionary` | `codes`: Int32Array, `dictionary`: a binary vector shared by batches |
 * | `array` | `offsets`: Int32Array of `length + 1`, `child`: batch of all elements |
 * | any | `validity`: bitmap, 1 = present, or `undefined` when no row is null; `nullCount`; `length`; `firstRow` |
 *
 * Values of null rows are zero or empty. The arrays may share memory with the reader or the file's bytes: treat
 * them as read-only.
 */
import { getBit } from "@cfile/bytes";
import {
  areTexts,
  type CellOptions,
  type CellReader,
  type CellValue,
  cellReader,
} from "../types/cell-value.js";
import type { DataType, FixedPhysicalType } from "../types/data-type.js";
import { textsOfStrings, textsOfWords } from "../types/text-cells.js";
import type { BinaryVector, FixedValues, Vector } from "../types/vector.js";

/** Row numbers in a file or, where they may exceed 32 bits, in a dataset. */
export type RowNumbers = Uint32Array | Float64Array;

/** Row numbers, in batches of one and of several columns. */
export interface NumberedRows {
  /** Number of rows. */
  readonly length: number;
  /** Number of the first row in its file, row set or dataset. */
  readonly firstRow: number;
  /** Number of each row; `undefined` if they are consecutive, starting with `firstRow`. */
  readonly rows?: RowNumbers | undefined;
}

/** The fields that all kinds of column batch share. */
export interface BatchRows extends NumberedRows {
  readonly type: DataType;
  readonly rows?: Uint32Array | undefined;
  /** Bitmap, 1 = present; `undefined` when no row is null. */
  readonly validity: Uint8Array | undefined;
  readonly nullCount: number;
}

/** The number of each row of a batch: its `rows`, or consecutive numbers from `firstRow`. */
export function rowNumbers({ length, firstRow, rows }: NumberedRows): RowNumbers {
  if (rows !== undefined) {
    return rows;
  }
  const numbers = firstRow + length > 0xffffffff ? new Float64Array(length) : new Uint32Array(length);
  for (let i = 0; i < length; i++) {
    numbers[i] = firstRow + i;
  }
  return numbers;
}

const DEFAULT_OPTIONS: CellOptions = {};

/** Base class of the members of {@link ColumnBatch}. */
abstract class Batch implements BatchRows {
  readonly type: DataType;
  readonly length: number;
  readonly firstRow: number;
  readonly rows: Uint32Array | undefined;
  readonly validity: Uint8Array | undefined;
  readonly nullCount: number;
  /** The reader of the last `get`, cached with its options, which rarely change between lookups. */
  private cell: CellReader | undefined;
  private cellOptions: CellOptions = DEFAULT_OPTIONS;

  constructor(rows: BatchRows) {
    this.type = rows.type;
    this.length = rows.length;
    this.firstRow = rows.firstRow;
    this.rows = rows.rows;
    this.validity = rows.nullCount > 0 ? rows.validity : undefined;
    this.nullCount = rows.nullCount;
  }

  /** Whether row `index` of the batch is null. The index is not checked. */
  isNull(index: number): boolean {
    return this.validity !== undefined && !getBit(this.validity, index);
  }

  /**
   * One cell, `index` counted from the start of the batch; `undefined` outside it.
   *
   * @throws {CFileError} `E_INVALID_ARGUMENT` for an integer that `int64: "number"` would round
   */
  get(index: number, options: CellOptions = DEFAULT_OPTIONS): CellValue | undefined {
    if (!(index >= 0 && index < this.length)) {
      return undefined;
    }
    return this.isNull(index) ? null : this.cellReader(options)(index);
  }

  private cellReader({ int64, strings }: CellOptions): CellReader {
    const { cellOptions } = this;
    if (this.cell === undefined || cellOptions.int64 !== int64 || cellOptions.strings !== strings) {
      this.cellOptions = { int64, strings };
      this.cell = readerOf(this as Batch as ColumnBatch, this.cellOptions);
    }
    return this.cell;
  }

  /**
   * All cells as JavaScript values. Rows with the same word of a dictionary share one string.
   *
   * @throws {CFileError} `E_INVALID_ARGUMENT` for an integer that `int64: "number"` would round
   */
  toArray(options: CellOptions = DEFAULT_OPTIONS): CellValue[] {
    const cells = bulkCells(this as Batch as ColumnBatch, options);
    const { validity } = this;
    for (let i = 0; validity !== undefined && i < cells.length; i++) {
      if (!getBit(validity, i)) {
        cells[i] = null;
      }
    }
    return cells;
  }
}

/** Rows of numbers, dates, times and decimals: one element of `values` each; INT128 and DECIMAL128: 16 bytes, little-endian. */
export class FixedBatch extends Batch {
  readonly kind = "fixed";
  readonly physical: FixedPhysicalType;
  readonly values: FixedValues;

  constructor(rows: BatchRows, physical: FixedPhysicalType, values: FixedValues) {
    super(rows);
    this.physical = physical;
    this.values = values;
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
}

/**
 * Rows of STRING, VARCHAR or BINARY as codes: row `i` is entry `codes[i]` of `dictionary`. The first cell that is read as text decodes
 * all words of the dictionary.
 */
export class DictionaryBatch extends Batch {
  readonly kind = "dictionary";
  readonly codes: Int32Array;
  readonly dictionary: BinaryVector;

  constructor(rows: BatchRows, codes: Int32Array, dictionary: BinaryVector) {
    super(rows);
    this.codes = codes;
    this.dictionary = dictionary;
  }
}

/** Rows that are arrays: row `i` has elements `offsets[i]` to `offsets[i + 1]` of `child`. */
export class ArrayBatch extends Batch {
  readonly kind = "array";
  readonly offsets: Int32Array;
  readonly child: ScalarBatch;

  constructor(rows: BatchRows, offsets: Int32Array, child: ScalarBatch) {
    super(rows);
    this.offsets = offsets;
    this.child = child;
  }
}

/** A batch whose rows are not arrays. */
export type ScalarBatch = FixedBatch | BoolBatch | BinaryBatch | DictionaryBatch;
/** Rows of one column; `kind` distinguishes the classes. */
export type ColumnBatch = ScalarBatch | ArrayBatch;

function readerOf(batch: ColumnBatch, options: CellOptions): CellReader {
  if (batch.kind !== "array") {
    return cellReader(batch, batch.type, options);
  }
  const { child, offsets } = batch;
  return (index) => {
    const cell: CellValue[] = [];
    for (let i = offsets[index] as number; i < (offsets[index + 1] as number); i++) {
      cell.push(child.get(i, options) ?? null);
    }
    return cell;
  };
}

/** All cells. Those of null rows can be texts, which the caller replaces; other values of null rows are not read, as that can throw. */
function bulkCells(batch: ColumnBatch, options: CellOptions): CellValue[] {
  if (batch.kind === "binary" && areTexts(batch.type, options)) {
    return textsOfStrings(batch);
  }
  if (batch.kind === "dictionary" && areTexts(batch.type, options)) {
    return textsOfWords(batch);
  }
  let read: CellReader;
  if (batch.kind === "array") {
    const elements = batch.child.toArray(options);
    read = (index) => elements.slice(batch.offsets[index], batch.offsets[index + 1]);
  } else {
    read = cellReader(batch, batch.type, options);
  }
  const cells = new Array<CellValue>(batch.length);
  for (let i = 0; i < cells.length; i++) {
    cells[i] = batch.isNull(i) ? null : read(i);
  }
  return cells;
}

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
