/** Stored values, which are the cells of operations and delta entries, and columns of such values. */
import { clearBit, onesBitmap } from "@cfile/bytes";
import { decodeCell } from "@cfile/deltafile";
import {
  BinaryBatch,
  type CellValue,
  type ColumnBatch,
  DATA_TYPES,
  type DataType,
  FixedBatch,
  physicalWidth,
} from "@cfile/encodings";
import { allocateFixed, batchFromValues, bytesOf } from "@cfile/encodings/batches";
import { encodeRowKey } from "@cfile/rowset";
import type { KuduColumn } from "../catalog/schema-message.js";

/** Physical types whose keys are their bytes in reverse; the sign bit is flipped. */
const INTEGER = /^U?INT/;

/** @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED` if the bytes are not a valid value of the column */
export function cellValue(column: KuduColumn, data: Uint8Array): CellValue {
  return decodeCell(column, { isNull: false, data, start: 0, end: data.length }, { strings: "bytes" });
}

/**
 * A column of stored values, `null` for NULL.
 *
 * @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED` if a cell is not a valid value of the column, `E_INVALID_ARGUMENT` for a NULL in a
 *   column that is not nullable
 */
export function batchOfCells(column: KuduColumn, cells: readonly (Uint8Array | null)[]): ColumnBatch {
  const { type, nullable } = column;
  const { physical } = DATA_TYPES[type];
  const width = widthOf(type);
  const nullCount = cells.reduce((count, cell) => count + (cell === null ? 1 : 0), 0);
  const isMisfit = width !== undefined && cells.some((cell) => cell !== null && cell.length !== width);
  if (column.array || physical === "BOOL" || isMisfit || (nullCount > 0 && !nullable)) {
    return batchFromValues(
      column,
      cells.map((cell) => (cell === null ? null : cellValue(column, cell))),
    );
  }
  const { length } = cells;
  const validity = nullCount === 0 ? undefined : onesBitmap(length);
  const rows = { type, length, firstRow: 0, validity, nullCount };
  const offsets = new Int32Array(length + 1);
  cells.forEach((cell, i) => {
    offsets[i + 1] = (offsets[i] as number) + (width ?? cell?.length ?? 0);
    if (cell === null && validity !== undefined) {
      clearBit(validity, i);
    }
  });
  // Floats keep their bits: as a number, a NaN would lose its payload.
  const values = physical === "BINARY" ? undefined : allocateFixed(physical, length);
  const data = values === undefined ? new Uint8Array(offsets[length] as number) : bytesOf(values);
  cells.forEach((cell, i) => {
    if (cell !== null) {
      data.set(cell, offsets[i]);
    }
  });
  return physical === "BINARY" || values === undefined
    ? new BinaryBatch(rows, offsets, data)
    : new FixedBatch(rows, physical, values);
}

/**
 * The encoded key of a row (docs/spec/diskrowset.md#5-comparable-key-encoding).
 *
 * @param columns the key columns
 * @param cells their stored values, one per column
 * @throws {CFileError} as {@link cellValue}; `E_INVALID_ARGUMENT` or `E_UNSUPPORTED` for a type without order
 */
export function encodeStoredKey(columns: readonly KuduColumn[], cells: readonly Uint8Array[]): Uint8Array {
  const isPlain = columns.every(({ type, array }, i) => {
    const { physical } = DATA_TYPES[type];
    return (
      !array && (physical === "BINARY" || (INTEGER.test(physical) && cells[i]?.length === widthOf(type)))
    );
  });
  if (!isPlain) {
    const values = columns.map((column, i) => cellValue(column, cells[i] as Uint8Array));
    return encodeRowKey({ columns }, values);
  }
  const last = columns.length - 1;
  const isEscaped = columns.map(({ type }, i) => i < last && DATA_TYPES[type].physical === "BINARY");
  const size = cells.reduce((sum, cell, i) => sum + (isEscaped[i] ? escapedLength(cell) : cell.length), 0);
  const key = new Uint8Array(size);
  let at = 0;
  columns.forEach(({ type }, i) => {
    const cell = cells[i] as Uint8Array;
    const { physical } = DATA_TYPES[type];
    if (isEscaped[i]) {
      at = writeEscaped(cell, key, at);
    } else if (physical === "BINARY") {
      key.set(cell, at);
      at += cell.length;
    } else {
      const sign = at;
      for (let byte = cell.length - 1; byte >= 0; byte--) {
        key[at++] = cell[byte] as number;
      }
      key[sign] = (key[sign] as number) ^ (physical.startsWith("U") ? 0 : 0x80);
    }
  });
  return key;
}

/** Before the last column, each zero byte is escaped, and two zero bytes end the text. */
function escapedLength(cell: Uint8Array): number {
  let length = cell.length + 2;
  for (const byte of cell) {
    length += byte === 0 ? 1 : 0;
  }
  return length;
}

function writeEscaped(cell: Uint8Array, target: Uint8Array, start: number): number {
  let at = start;
  for (const byte of cell) {
    target[at++] = byte;
    if (byte === 0) {
      target[at++] = 1;
    }
  }
  return at + 2;
}

function widthOf(type: DataType): number | undefined {
  const { physical } = DATA_TYPES[type];
  return physical === "BINARY" || physical === "BOOL" ? undefined : physicalWidth(physical);
}
