/**
 * Values in change lists (docs/spec/deltafile.md#41-value-encoding-by-column-type) by column type:
 *
 * | type | bytes |
 * | --- | --- |
 * | BOOL | 1: 0 or 1 |
 * | integers, dates, decimals, FLOAT, DOUBLE | 1, 2, 4, 8 or 16, little-endian |
 * | STRING, BINARY, VARCHAR | the bytes themselves |
 * | array | a FlatBuffer, see `array-cell.ts` |
 */
import { corrupt, getBit, mismatch } from "@cfile/bytes";
import type { CellOptions, CellValue, ColumnBatch, InputCell, Vector } from "@cfile/encodings";
import { batchOfVector, DATA_TYPES, physicalWidth } from "@cfile/encodings";
import { allocateFixed, batchFromValues, bytesOf, type InputColumn } from "@cfile/encodings/batches";
import type { MutationCursor } from "../changes/mutation-cursor.js";
import { decodeArrayCell } from "./array-cell.js";
import { encodeArrayCell } from "./array-cell-encode.js";

/** A column of change lists. */
export interface DeltaColumn extends InputColumn {
  /** Persistent ID, which does not change when other columns are added or dropped; not the position. */
  readonly id: number;
}

/** Location of a mutation's value; a {@link MutationCursor} is one. */
export type MutatedCell = Pick<MutationCursor, "isNull" | "data" | "start" | "end">;

/**
 * Checks that a value fits its column: its length, and NULL only in nullable columns. Array cells are checked when they are
 * decoded.
 *
 * @throws {CFileError} `E_CORRUPT` naming the column ID
 */
export function checkCell(column: DeltaColumn, { isNull, data, start, end }: MutatedCell): void {
  const { physical } = DATA_TYPES[column.type];
  const details = { offset: start, field: `column ${column.id}` };
  if (isNull && column.nullable !== true) {
    throw corrupt("NULL for a column that is not nullable", details);
  }
  if (isNull || column.array === true || physical === "BINARY") {
    return;
  }
  const width = physical === "BOOL" ? 1 : physicalWidth(physical);
  if (end - start !== width) {
    throw mismatch(`wrong length of a ${column.type} value`, width, end - start, details);
  }
  if (physical === "BOOL" && (data[start] as number) > 1) {
    throw mismatch("invalid BOOL value", "0 or 1", data[start] as number, details);
  }
}

/**
 * Decodes a value as a JavaScript value.
 *
 * @throws {CFileError} as {@link checkCell}; for array cells as `decodeArrayCell`; `E_INVALID_ARGUMENT` if the options would
 *   round the value
 */
export function decodeCell(column: DeltaColumn, cell: MutatedCell, options: CellOptions = {}): CellValue {
  checkCell(column, cell);
  const { isNull, data, start, end } = cell;
  if (isNull) {
    return null;
  }
  const { type } = column;
  if (column.array === true) {
    return decodeArrayCell(data.subarray(start, end), type).toArray(options);
  }
  const rows = { type, length: 1, firstRow: 0, validity: undefined, nullCount: 0 };
  return batchOfVector(rows, cellVector(column, data.subarray(start, end))).get(0, options) as CellValue;
}

function cellVector({ type }: DeltaColumn, bytes: Uint8Array): Vector {
  const { physical } = DATA_TYPES[type];
  switch (physical) {
    case "BINARY":
      return { kind: "binary", length: 1, offsets: Int32Array.of(0, bytes.length), data: bytes };
    case "BOOL":
      return { kind: "bool", length: 1, values: bytes };
    default: {
      const values = allocateFixed(physical, 1);
      bytesOf(values).set(bytes);
      return { kind: "fixed", physical, length: 1, values };
    }
  }
}

/**
 * Encodes a JavaScript value for `MutationBuilder.set`; `null` for NULL.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for a value that does not fit the column, `E_UNSUPPORTED` for a type without
 *   arrays
 */
export function encodeCell(column: DeltaColumn, value: InputCell): Uint8Array | null {
  return encodeBatchCell(batchFromValues(column, [value]), 0);
}

/** Encodes the cell of a row, `null` for NULL; may share the memory of the batch. @throws {CFileError} as {@link encodeCell} */
export function encodeBatchCell(batch: ColumnBatch, row: number): Uint8Array | null {
  if (batch.isNull(row)) {
    return null;
  }
  switch (batch.kind) {
    case "fixed": {
      const width = physicalWidth(batch.physical);
      return bytesOf(batch.values).subarray(row * width, (row + 1) * width);
    }
    case "bool":
      return Uint8Array.of(getBit(batch.values, row) ? 1 : 0);
    case "binary":
      return batch.data.subarray(batch.offsets[row], batch.offsets[row + 1]);
    case "dictionary": {
      const { offsets, data } = batch.dictionary;
      const code = batch.codes[row] as number;
      return data.subarray(offsets[code], offsets[code + 1]);
    }
    case "array":
      return encodeArrayCell(batch.child, batch.offsets[row], batch.offsets[row + 1]);
  }
}
