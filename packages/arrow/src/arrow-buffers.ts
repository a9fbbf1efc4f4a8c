/**
 * Checks the Arrow buffers of a library's column and wraps them as a column batch. Copies only to clear values under nulls and to
 * align bitmaps to a byte.
 */
import { bitmapByteLength, CFileError, copyBits, countBits, getBit } from "@cfile/bytes";
import {
  ArrayBatch,
  type BatchRows,
  BinaryBatch,
  type BinaryVector,
  BoolBatch,
  type ColumnBatch,
  DATA_TYPES,
  DictionaryBatch,
  FixedBatch,
  type FixedPhysicalType,
  type FixedValues,
  physicalWidth,
  type ScalarBatch,
} from "@cfile/encodings";
import { bytesOf, fixedView, takeRows } from "@cfile/encodings/batches";
import type { ArrowColumn } from "./arrow-type.js";

/** The buffers of a column in one record batch. */
export interface ArrowBuffers {
  readonly length: number;
  /** `undefined` when no row is null. */
  readonly validity: Uint8Array | undefined;
  /** Bit of the first row in `validity`, and in the values of Bool. */
  readonly bitOffset: number;
  /** Values, bits, indices into the dictionary, or the bytes of strings. */
  readonly values: ArrayBufferView | undefined;
  readonly offsets: Int32Array | undefined;
  readonly child: ArrowBuffers | undefined;
  readonly dictionary: ArrowBuffers | undefined;
}

function bad(reason: string, field: string): CFileError {
  return new CFileError("E_INVALID_ARGUMENT", reason, { field });
}

/** Bits `from` to `from + length`, starting at a byte. */
function bitsOf(bitmap: Uint8Array, from: number, length: number, field: string): Uint8Array {
  if (bitmap.length * 8 < from + length) {
    throw bad(`${field} has ${bitmap.length} bytes for ${from + length} rows`, field);
  }
  if ((from & 7) === 0) {
    return bitmap.subarray(from >>> 3, (from >>> 3) + bitmapByteLength(length));
  }
  const bits = new Uint8Array(bitmapByteLength(length));
  copyBits(bitmap, from, bits, 0, length);
  return bits;
}

/**
 * The rows as a batch of the column's type.
 * @throws {CFileError} `E_INVALID_ARGUMENT` for short buffers, descending or large offsets, indices outside the dictionary, and
 *   nulls in a column that is not nullable
 */
export function batchOfBuffers(buffers: ArrowBuffers, column: ArrowColumn, firstRow: number): ColumnBatch {
  const { length, validity } = buffers;
  const bits = validity && bitsOf(validity, buffers.bitOffset, length, "validity");
  const nullCount = bits === undefined ? 0 : length - countBits(bits, 0, length);
  if (nullCount > 0 && !column.nullable) {
    throw bad(`column ${column.name} is not nullable and has ${nullCount} nulls`, "validity");
  }
  const rows = { type: column.type, length, firstRow, validity: bits, nullCount };
  return column.array ? arrayBatch(rows, buffers, column) : scalarBatch(rows, buffers);
}

function arrayBatch(rows: BatchRows, { offsets, child }: ArrowBuffers, column: ArrowColumn): ColumnBatch {
  if (child === undefined) {
    throw bad("a list without elements", "child");
  }
  const ends = checkedOffsets(offsets, rows.length, child.length);
  const elements = batchOfBuffers(child, { ...column, array: false, nullable: true }, 0);
  if (elements.kind === "array") {
    throw bad("a list of lists", "child");
  }
  const batch = new ArrayBatch(rows, ends, elements);
  const isExact = ends[0] === 0 && ends[rows.length] === child.length;
  return isExact && !hasHiddenCells(batch, ends) ? batch : dense(batch, ends, elements);
}

/** The arrays, without elements that belong to no row or to a null row. */
function dense(rows: BatchRows, ends: Int32Array, elements: ScalarBatch): ArrayBatch {
  const offsets = new Int32Array(rows.length + 1);
  const used: number[] = [];
  for (let row = 0; row < rows.length; row++) {
    if (rows.validity === undefined || getBit(rows.validity, row)) {
      for (let i = ends[row] as number; i < (ends[row + 1] as number); i++) {
        used.push(i);
      }
    }
    offsets[row + 1] = used.length;
  }
  return new ArrayBatch(rows, offsets, takeRows(elements, Uint32Array.from(used)));
}

/** Whether a null row has bytes or elements. */
function hasHiddenCells({ length, validity, nullCount }: BatchRows, ends: Int32Array): boolean {
  if (validity === undefined || nullCount === 0) {
    return false;
  }
  for (let i = 0; i < length; i++) {
    if (ends[i] !== ends[i + 1] && !getBit(validity, i)) {
      return true;
    }
  }
  return false;
}

function checkedOffsets(offsets: Int32Array | undefined, length: number, maximum: number): Int32Array {
  if (offsets === undefined || offsets.length < length + 1) {
    // Arrow allows a column without rows to omit its offsets.
    if (length === 0) {
      return new Int32Array(1);
    }
    throw bad(`${offsets?.length ?? 0} offsets for ${length} rows`, "offsets");
  }
  let before = 0;
  for (let i = 0; i <= length; i++) {
    const offset = offsets[i] as number;
    if (offset < before || offset > maximum) {
      throw bad(`invalid offset ${i}: ${offset} (expected ${before} to ${maximum})`, "offsets");
    }
    before = offset;
  }
  return offsets.subarray(0, length + 1);
}

function scalarBatch(rows: BatchRows, buffers: ArrowBuffers): ScalarBatch {
  const { physical } = DATA_TYPES[rows.type];
  const { values } = buffers;
  const bytes = values === undefined ? new Uint8Array(0) : bytesOf(values);
  if (physical === "BOOL") {
    return new BoolBatch(rows, presentBits(rows, bitsOf(bytes, buffers.bitOffset, rows.length, "values")));
  }
  if (physical === "BINARY") {
    return buffers.dictionary === undefined
      ? strings(rows, buffers.offsets, bytes)
      : codes(rows, bytes, buffers.dictionary);
  }
  return new FixedBatch(rows, physical, presentValues(rows, physical, bytes));
}

function presentBits({ length, validity, nullCount }: BatchRows, bits: Uint8Array): Uint8Array {
  if (validity === undefined || nullCount === 0) {
    return bits;
  }
  const isClean = bits.every((byte, i) => (byte & ~(validity[i] as number) & lastMask(i, length)) === 0);
  return isClean ? bits : bits.map((byte, i) => byte & (validity[i] as number));
}

/** The bits of byte `i` that belong to rows. */
function lastMask(i: number, length: number): number {
  return length - 8 * i >= 8 ? 0xff : (1 << (length - 8 * i)) - 1;
}

function presentValues(rows: BatchRows, physical: FixedPhysicalType, bytes: Uint8Array): FixedValues {
  const { length, validity, nullCount } = rows;
  const width = physicalWidth(physical);
  const size = length * width;
  if (bytes.length < size) {
    throw bad(`values have ${bytes.length} bytes (expected ${size})`, "values");
  }
  const given = bytes.subarray(0, size);
  if (validity === undefined || nullCount === 0) {
    return valuesOver(physical, given);
  }
  let clean: Uint8Array | undefined;
  for (let row = 0; row < length; row++) {
    if (!getBit(validity, row)) {
      for (let i = row * width; i < (row + 1) * width; i++) {
        if (given[i] !== 0) {
          clean ??= given.slice();
          clean[i] = 0;
        }
      }
    }
  }
  return valuesOver(physical, clean ?? given);
}

/** The bytes as values; copied unless aligned. */
function valuesOver(physical: FixedPhysicalType, bytes: Uint8Array): FixedValues {
  const width = physical === "INT128" ? 1 : physicalWidth(physical);
  const { buffer, byteOffset, length } = bytes.byteOffset % width === 0 ? bytes : bytes.slice();
  return fixedView(physical, buffer, length / physicalWidth(physical), byteOffset);
}

function strings(rows: BatchRows, offsets: Int32Array | undefined, data: Uint8Array): BinaryBatch {
  const ends = checkedOffsets(offsets, rows.length, data.length);
  if (!hasHiddenCells(rows, ends)) {
    return new BinaryBatch(rows, ends, data);
  }
  const dense = new Int32Array(rows.length + 1);
  const bytes = new Uint8Array(data.length);
  let end = 0;
  for (let row = 0; row < rows.length; row++) {
    if (rows.validity === undefined || getBit(rows.validity, row)) {
      const present = data.subarray(ends[row], ends[row + 1]);
      bytes.set(present, end);
      end += present.length;
    }
    dense[row + 1] = end;
  }
  return new BinaryBatch(rows, dense, bytes.subarray(0, end));
}

function codes(rows: BatchRows, bytes: Uint8Array, words: ArrowBuffers): DictionaryBatch {
  const given = presentValues(rows, "INT32", bytes);
  if (!(given instanceof Int32Array)) {
    throw bad("dictionary indices must have 32 bits", "values");
  }
  const dictionary = wordsOf(words);
  for (let row = 0; row < rows.length; row++) {
    const code = given[row] as number;
    const isPresent = rows.validity === undefined || getBit(rows.validity, row);
    if (isPresent && code >>> 0 >= dictionary.length) {
      throw bad(`invalid index in row ${row}: ${code} (dictionary of ${dictionary.length} words)`, "values");
    }
  }
  return new DictionaryBatch(rows, given, dictionary);
}

const knownWords = /* @__PURE__ */ new WeakMap<ArrayBufferView, BinaryVector>();

/** The same dictionary for all batches that share its bytes. */
function wordsOf({ length, validity, bitOffset, values, offsets }: ArrowBuffers): BinaryVector {
  const data = values === undefined ? new Uint8Array(0) : bytesOf(values);
  const known = offsets && knownWords.get(offsets);
  const isSame = known?.data.buffer === data.buffer && known.data.byteOffset === data.byteOffset;
  if (known !== undefined && isSame && known.length === length && known.data.length === data.length) {
    return known;
  }
  if (
    validity !== undefined &&
    countBits(bitsOf(validity, bitOffset, length, "validity"), 0, length) < length
  ) {
    throw new CFileError("E_UNSUPPORTED", "unsupported: a null in a dictionary", {
      field: "dictionary",
    });
  }
  const ends = checkedOffsets(offsets, length, data.length);
  const dictionary: BinaryVector = { kind: "binary", length, offsets: ends, data };
  if (offsets !== undefined) {
    knownWords.set(offsets, dictionary);
  }
  return dictionary;
}

/** The only chunk of a dictionary. @throws {CFileError} `E_UNSUPPORTED` unless there is exactly one */
export function onlyChunk<T>(chunks: readonly T[] = []): T {
  const [chunk] = chunks;
  if (chunk === undefined || chunks.length > 1) {
    const reason = `unsupported: a dictionary of ${chunks.length} chunks`;
    throw new CFileError("E_UNSUPPORTED", reason, { field: "dictionary" });
  }
  return chunk;
}

/** Indices as 32-bit integers; converted if they have another width. */
export function indices(values: ArrayLike<number | bigint> | undefined): Int32Array | undefined {
  return values === undefined || values instanceof Int32Array ? values : Int32Array.from(values, Number);
}

/** Decimals as words of 4 or 8 bytes. Copies only 128-bit values that are not aligned. */
export function decimalWords(values: FixedValues, width: 4 | 8): Uint32Array | BigUint64Array {
  const bytes = bytesOf(values);
  const { buffer, byteOffset, byteLength } = bytes.byteOffset % width === 0 ? bytes : bytes.slice();
  return width === 4
    ? new Uint32Array(buffer, byteOffset, byteLength / 4)
    : new BigUint64Array(buffer, byteOffset, byteLength / 8);
}
