/**
 * Array header, before the encoded values in every block of an array column (docs/spec/cfile.md#41-layouts).
 *
 * | field | coding |
 * | --- | --- |
 * | element count of all rows, null elements included | varint32 |
 * | row count, null rows included | varint32 |
 * | element bitmap | varint32 length, RLE stream of width 1: 1 = not null |
 * | element numbers | varint32 length, RLE stream of width 16: elements of each row, 0 for null rows |
 * | row bitmap | varint32 length, RLE stream of width 1: 1 = not null |
 * | encoded values | the non-null elements of all rows |
 */
import { ByteBuilder, ByteReader, bitmapByteLength, countBits, findBit, type Limits } from "@cfile/bytes";
import { writeLengthPrefixed, writeVarint32 } from "@cfile/varint";
import { badField } from "../../types/checks.js";
import { readBlockCount, readBlockStream, readRowCount } from "./header-stream.js";

/** The array header of a block; see docs/spec/cfile.md#41-layouts. */
export interface ArrayBlock {
  /** Rows, null ones included; at least 1. */
  readonly rows: number;
  /** Elements of all rows, null elements included. */
  readonly elements: number;
  /** Bitmap of `elements` bits, 1 = not null; unused bits are zero. */
  readonly elementValidity: Uint8Array;
  /** Elements of each row; 0 in null rows. */
  readonly counts: Uint16Array;
  /** Bitmap of `rows` bits, 1 = not null; unused bits are zero. */
  readonly rowValidity: Uint8Array;
  /** Number of elements that are not null. */
  readonly nonNullElements: number;
  /** Offset of the encoded values. */
  readonly dataStart: number;
}

/**
 * Reads the header. The caller checks that there are `nonNullElements` encoded values, and that null rows are allowed.
 *
 * @throws {CFileError} `E_TRUNCATED` or `E_CORRUPT` for malformed bytes, no rows, a stream that does not hold exactly its
 *   entries, element numbers that do not add up, or elements in a null row; `E_LIMIT` for more rows or elements than
 *   `limits.maxBlockRows` and `limits.maxBlockElements`
 */
export function parseArrayBlock(bytes: Uint8Array, limits: Limits): ArrayBlock {
  const reader = new ByteReader(bytes);
  const elements = readBlockCount(reader, "element count", limits.maxBlockElements);
  const rows = readRowCount(reader, limits);
  const elementBitmap = readBlockStream(reader, "element bitmap", 1, elements);
  const numbersAt = reader.position;
  const elementNumbers = readBlockStream(reader, "element numbers", 16, rows);
  const rowBitmap = readBlockStream(reader, "row bitmap", 1, rows);

  const counts = new Uint16Array(rows);
  elementNumbers.decodeInto(counts, 0, rows);
  requireSum(counts, elements, numbersAt);
  const rowValidity = new Uint8Array(bitmapByteLength(rows));
  rowBitmap.decodeBits(rowValidity, 0, rows);
  requireEmptyNullRows(counts, rowValidity, numbersAt);
  const elementValidity = new Uint8Array(bitmapByteLength(elements));
  elementBitmap.decodeBits(elementValidity, 0, elements);
  const nonNullElements = countBits(elementValidity, 0, elements);
  const dataStart = reader.position;
  return { rows, elements, elementValidity, counts, rowValidity, nonNullElements, dataStart };
}

function requireSum(counts: Uint16Array, elements: number, offset: number): void {
  let sum = 0;
  for (let row = 0; row < counts.length; row++) {
    sum += counts[row] as number;
  }
  if (sum !== elements) {
    throw badField("element numbers", offset, sum, elements, "sum");
  }
}

function requireEmptyNullRows(counts: Uint16Array, rowValidity: Uint8Array, offset: number): void {
  const rows = counts.length;
  let row = findBit(rowValidity, false, 0, rows);
  while (row < rows) {
    const count = counts[row] as number;
    if (count !== 0) {
      throw badField("element numbers", offset, count, 0, `null row ${row}`);
    }
    row = findBit(rowValidity, false, row + 1, rows);
  }
}

/** The parts of an array block, encoded by `RleEncoder`. */
export interface ArrayBlockParts {
  readonly elements: number;
  readonly rows: number;
  /** RLE stream of width 1, an entry per element. */
  readonly elementValidity: Uint8Array;
  /** RLE stream of width 16, an entry per row. */
  readonly elementCounts: Uint8Array;
  /** RLE stream of width 1, an entry per row. */
  readonly rowValidity: Uint8Array;
}

/** Assembles a block from these parts and `data`, the encoded values. */
export function encodeArrayBlock(parts: ArrayBlockParts, data: Uint8Array): Uint8Array {
  const { elementValidity, elementCounts, rowValidity } = parts;
  const block = new ByteBuilder(25 + 3 * elementCounts.length + data.length);
  writeVarint32(block, parts.elements);
  writeVarint32(block, parts.rows);
  writeLengthPrefixed(block, elementValidity);
  writeLengthPrefixed(block, elementCounts);
  writeLengthPrefixed(block, rowValidity);
  block.append(data);
  return block.view8();
}
