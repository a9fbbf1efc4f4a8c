/** Checks a batch before a writer encodes any of it. */
import { bitmapByteLength, findBit, invalidArgument } from "@cfile/bytes";
import {
  type ArrayBatch,
  type ColumnBatch,
  DATA_TYPES,
  type DataType,
  type PhysicalType,
  physicalWidth,
  type ScalarBatch,
} from "@cfile/encodings";
import { MAX_ARRAY_ELEMENTS } from "@cfile/encodings/batches";

export interface CheckedColumn {
  readonly type: DataType;
  readonly nullable: boolean;
  readonly array: boolean;
}

/**
 * @param firstRow row number of the batch's first row in the file, for error messages
 * @throws {CFileError} `E_INVALID_ARGUMENT`, naming the row if there is one
 */
export function checkBatch(batch: ColumnBatch, column: CheckedColumn, firstRow: number): void {
  if ((batch.kind === "array") !== column.array) {
    const reason = `${batch.kind} batch for a column ${column.array ? "of" : "without"} arrays`;
    throw invalidArgument(reason, { field: "batch" });
  }
  checkNulls(batch, column, firstRow);
  if (batch.kind === "array") {
    checkCells(batch, firstRow);
    checkScalars(batch.child, column.type);
  } else {
    checkScalars(batch, column.type);
  }
}

function checkNulls(batch: ColumnBatch, column: CheckedColumn, firstRow: number): void {
  const { validity, length } = batch;
  if (validity === undefined) {
    return;
  }
  if (validity.length < bitmapByteLength(length)) {
    const reason = `validity bitmap of ${validity.length} bytes is too short for ${length} rows`;
    throw invalidArgument(reason, { field: "validity" });
  }
  if (!column.nullable) {
    const row = findBit(validity, false, 0, length);
    if (row < length) {
      const reason = `row ${firstRow + row} is null, but the column is not nullable`;
      throw invalidArgument(reason, { field: "validity", actual: firstRow + row });
    }
  }
}

function checkCells({ offsets, length, child }: ArrayBatch, firstRow: number): void {
  checkOffsets(offsets, length, child.length);
  for (let i = 0; i < length; i++) {
    const elements = (offsets[i + 1] as number) - (offsets[i] as number);
    if (elements > MAX_ARRAY_ELEMENTS) {
      const reason = `row ${firstRow + i} has too many elements (at most ${MAX_ARRAY_ELEMENTS}, found ${elements})`;
      throw invalidArgument(reason, { field: "offsets", actual: elements });
    }
  }
}

function checkScalars(batch: ScalarBatch, type: DataType): void {
  const { physical } = DATA_TYPES[type];
  const { length } = batch;
  if (!holdsValues(batch, physical)) {
    const reason = `${batch.kind} batch of ${batch.type} does not hold ${length} values of ${type}`;
    throw invalidArgument(reason, { field: "batch" });
  }
  if (batch.kind === "binary") {
    checkOffsets(batch.offsets, length, batch.data.length);
  } else if (batch.kind === "dictionary") {
    const { dictionary } = batch;
    checkOffsets(dictionary.offsets, dictionary.length, dictionary.data.length);
    checkCodes(batch.codes, length, dictionary.length);
  }
}

function holdsValues(batch: ScalarBatch, physical: PhysicalType): boolean {
  switch (batch.kind) {
    case "fixed":
      return batch.physical === physical && batch.values.byteLength >= batch.length * physicalWidth(physical);
    case "bool":
      return physical === "BOOL" && batch.values.length >= bitmapByteLength(batch.length);
    default:
      return physical === "BINARY";
  }
}

function checkOffsets(offsets: Int32Array, length: number, end: number): void {
  let previous = 0;
  let signs = 0;
  const isLongEnough = offsets.length > length;
  for (let i = 0; isLongEnough && i <= length; i++) {
    const offset = offsets[i] as number;
    // If two non-negative numbers descend, their difference is negative: one check at the end suffices.
    signs |= offset | (offset - previous);
    previous = offset;
  }
  if (!isLongEnough || signs < 0 || previous > end) {
    throw invalidArgument(`invalid offsets of ${length} rows (must ascend within 0..${end})`, {
      field: "offsets",
    });
  }
}

function checkCodes(codes: Int32Array, length: number, words: number): void {
  // Without words every row must be null, and the code of a null is 0.
  const highest = Math.max(words - 1, 0);
  const isLongEnough = codes.length >= length;
  let signs = 0;
  for (let i = 0; isLongEnough && i < length; i++) {
    const code = codes[i] as number;
    signs |= code | (highest - code);
  }
  if (!isLongEnough || signs < 0) {
    const code = codes.subarray(0, length).find((one) => one < 0 || one > highest);
    throw invalidArgument(`invalid code ${code} for a dictionary of ${words} words`, { field: "codes" });
  }
}
