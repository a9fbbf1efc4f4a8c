/** Comparison of rows from different replicas, bit by bit: every NaN equals itself. */
import { getBit } from "@cfile/bytes";
import { type ColumnBatch, physicalWidth, type ScalarBatch } from "@cfile/encodings";
import { bytesOf, type TableBatch } from "@cfile/encodings/batches";

/** Whether two rows have equal cells in the first `columns` columns. */
export function sameRow(
  left: TableBatch,
  leftRow: number,
  right: TableBatch,
  rightRow: number,
  columns: number,
): boolean {
  for (let i = 0; i < columns; i++) {
    if (!sameCell(left.columns[i] as ColumnBatch, leftRow, right.columns[i] as ColumnBatch, rightRow)) {
      return false;
    }
  }
  return true;
}

function sameCell(left: ColumnBatch, leftRow: number, right: ColumnBatch, rightRow: number): boolean {
  const isNull = left.isNull(leftRow);
  if (isNull || right.isNull(rightRow)) {
    return isNull && right.isNull(rightRow);
  }
  if (left.kind === "array" || right.kind === "array") {
    return left.kind === "array" && right.kind === "array" && sameElements(left, leftRow, right, rightRow);
  }
  if (left.kind === "bool" || right.kind === "bool") {
    const isBoth = left.kind === "bool" && right.kind === "bool";
    return isBoth && getBit(left.values, leftRow) === getBit(right.values, rightRow);
  }
  if (left.kind === "fixed" && right.kind === "fixed" && physicalWidth(left.physical) <= 8) {
    const value = left.values[leftRow];
    // Zeros and NaN have several bit patterns.
    if (value === right.values[rightRow] && value !== 0) {
      return true;
    }
  }
  const [data, start, end] = cellBytes(left, leftRow);
  const [otherData, otherStart, otherEnd] = cellBytes(right, rightRow);
  if (end - start !== otherEnd - otherStart) {
    return false;
  }
  for (let i = 0; i < end - start; i++) {
    if (data[start + i] !== otherData[otherStart + i]) {
      return false;
    }
  }
  return true;
}

function sameElements(
  left: Extract<ColumnBatch, { kind: "array" }>,
  leftRow: number,
  right: Extract<ColumnBatch, { kind: "array" }>,
  rightRow: number,
): boolean {
  const start = left.offsets[leftRow] as number;
  const length = (left.offsets[leftRow + 1] as number) - start;
  const otherStart = right.offsets[rightRow] as number;
  if ((right.offsets[rightRow + 1] as number) - otherStart !== length) {
    return false;
  }
  for (let i = 0; i < length; i++) {
    if (!sameCell(left.child, start + i, right.child, otherStart + i)) {
      return false;
    }
  }
  return true;
}

type WithBytes = Exclude<ScalarBatch, { kind: "bool" }>;

/** The bytes of a cell: an array, and the range in it. */
function cellBytes(batch: WithBytes, row: number): readonly [Uint8Array, number, number] {
  if (batch.kind === "fixed") {
    const bytes = bytesOf(batch.values);
    const width = physicalWidth(batch.physical);
    return [bytes, row * width, (row + 1) * width];
  }
  const { offsets, data } = batch.kind === "dictionary" ? batch.dictionary : batch;
  const at = batch.kind === "dictionary" ? (batch.codes[row] as number) : row;
  return [data, offsets[at] as number, offsets[at + 1] as number];
}
