/** Column batches from plain JavaScript values, each checked against the type; typed arrays of the right kind are not copied. */
import { bitmapByteLength, clearBit, invalidArgument, onesBitmap, setBit } from "@cfile/bytes";
import { writeInt128 } from "../types/cell-value.js";
import { DATA_TYPES, type DataType, type FixedPhysicalType } from "../types/data-type.js";
import { allocateFixed, elementsPerValue, type FixedValues, type Vector } from "../types/vector.js";
import { ArrayBatch, batchOfVector, type ColumnBatch, FixedBatch, type ScalarBatch } from "./column-batch.js";
import { type InputCell, type Label, misfit, stringsFromValues } from "./strings-from-values.js";

/** The column that JavaScript values must fit. */
export interface InputColumn {
  readonly type: DataType;
  /** Default `false`. */
  readonly nullable?: boolean | undefined;
  /** Whether each cell is an array. Default `false`. */
  readonly array?: boolean | undefined;
}

/** Maximum number of elements of one array cell: element counts are 16 bits wide. */
export const MAX_ARRAY_ELEMENTS = 65535;

const INTEGER_RANGES: Partial<Record<FixedPhysicalType, readonly [bigint, bigint]>> = {
  UINT8: [0n, 255n],
  INT8: [-128n, 127n],
  UINT16: [0n, 65535n],
  INT16: [-32768n, 32767n],
  UINT32: [0n, 4294967295n],
  INT32: [-2147483648n, 2147483647n],
  UINT64: [0n, 18446744073709551615n],
  INT64: [-9223372036854775808n, 9223372036854775807n],
  INT128: [-(2n ** 127n), 2n ** 127n - 1n],
};

/**
 * A batch of `values`; the first is row `firstRow`.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT`, naming the row and the reason, for a value that does not fit the type,
 *   a null in a column that is not nullable, or an array of more than 65535 elements
 */
export function batchFromValues(
  column: InputColumn,
  values: readonly InputCell[] | FixedValues,
  firstRow = 0,
): ColumnBatch {
  if (ArrayBuffer.isView(values)) {
    if (column.array) {
      throw invalidArgument("an array column requires an array of arrays", { field: "values" });
    }
    return batchFromTypedArray(column.type, values, firstRow);
  }
  return column.array
    ? arrayBatch(column, values, firstRow)
    : scalarBatch(column, values, firstRow, (index) => `row ${firstRow + index}`);
}

function batchFromTypedArray(type: DataType, values: FixedValues, firstRow: number): FixedBatch {
  const { physical } = DATA_TYPES[type];
  if (
    physical === "BOOL" ||
    physical === "BINARY" ||
    values.length % elementsPerValue(physical) !== 0 ||
    allocateFixed(physical, 0).constructor !== values.constructor
  ) {
    throw invalidArgument(`${values.constructor.name} does not hold ${type} values`, { field: "values" });
  }
  const length = values.length / elementsPerValue(physical);
  return new FixedBatch({ type, length, firstRow, validity: undefined, nullCount: 0 }, physical, values);
}

/** {@link batchFromValues} for a column without arrays; `label` names a value in errors. */
export function scalarBatch(
  { type, nullable }: InputColumn,
  values: readonly InputCell[],
  firstRow: number,
  label: Label,
): ScalarBatch {
  const { length } = values;
  let validity: Uint8Array | undefined;
  let nullCount = 0;
  for (let i = 0; i < length; i++) {
    const value = values[i];
    if (value === null || value === undefined) {
      requireNullable(nullable, type, value, label(i));
      validity ??= onesBitmap(length);
      clearBit(validity, i);
      nullCount++;
    }
  }
  return batchOfVector({ type, length, firstRow, validity, nullCount }, vectorOf(type, values, label));
}

function requireNullable(nullable: boolean | undefined, type: DataType, value: unknown, where: string): void {
  if (nullable !== true) {
    throw misfit(where, type, value, "the column is not nullable");
  }
}

function vectorOf(type: DataType, values: readonly InputCell[], label: Label): Vector {
  const { physical } = DATA_TYPES[type];
  const { length } = values;
  switch (physical) {
    case "BINARY":
      return stringsFromValues(type, values, label);
    case "BOOL":
      return { kind: "bool", length, values: boolValues(type, values, label) };
    default:
      return { kind: "fixed", physical, length, values: fixedValues(type, physical, values, label) };
  }
}

function boolValues(type: DataType, values: readonly InputCell[], label: Label): Uint8Array {
  const bits = new Uint8Array(bitmapByteLength(values.length));
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value === true) {
      setBit(bits, i);
    } else if (value !== false && value !== null && value !== undefined) {
      throw misfit(label(i), type, value, "true or false is expected");
    }
  }
  return bits;
}

function fixedValues(
  type: DataType,
  physical: FixedPhysicalType,
  values: readonly InputCell[],
  label: Label,
): FixedValues {
  const target = allocateFixed(physical, values.length);
  const range = INTEGER_RANGES[physical];
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value === null || value === undefined) {
      continue;
    }
    if (range === undefined) {
      if (typeof value !== "number") {
        throw misfit(label(i), type, value, "a number is expected");
      }
      target[i] = value;
      continue;
    }
    const isInteger = typeof value === "bigint" || (typeof value === "number" && Number.isInteger(value));
    if (!isInteger) {
      throw misfit(label(i), type, value, "an integer is expected");
    }
    if (typeof value === "number" && !Number.isSafeInteger(value)) {
      throw misfit(label(i), type, value, "a number this large is not exact; pass a bigint");
    }
    if (value < range[0] || value > range[1]) {
      throw misfit(label(i), type, value, `the range is ${range[0]} to ${range[1]}`);
    }
    if (target instanceof BigInt64Array || target instanceof BigUint64Array) {
      target[i] = BigInt(value);
    } else if (physical === "INT128" && target instanceof Uint8Array) {
      writeInt128(target, 16 * i, BigInt(value));
    } else {
      target[i] = Number(value);
    }
  }
  return target;
}

function arrayBatch(column: InputColumn, values: readonly InputCell[], firstRow: number): ArrayBatch {
  const { type, nullable } = column;
  const { length } = values;
  const validity = new Uint8Array(bitmapByteLength(length));
  const offsets = new Int32Array(length + 1);
  const elements: InputCell[] = [];
  let nullCount = 0;
  for (let i = 0; i < length; i++) {
    const cell = values[i];
    const where = `row ${firstRow + i}`;
    if (cell === null || cell === undefined) {
      requireNullable(nullable, type, cell, where);
      nullCount++;
    } else if (!Array.isArray(cell)) {
      throw misfit(where, type, cell, "an array column takes an array per row");
    } else if (cell.length > MAX_ARRAY_ELEMENTS) {
      const reason = `an array holds at most ${MAX_ARRAY_ELEMENTS} elements`;
      throw misfit(where, type, `array of ${cell.length}`, reason);
    } else {
      setBit(validity, i);
      for (const element of cell) {
        elements.push(element);
      }
    }
    offsets[i + 1] = elements.length;
  }
  const label: Label = (index) => {
    const row = offsets.findIndex((end, i) => i > 0 && index < end) - 1;
    return `row ${firstRow + row}, element ${index - (offsets[row] as number)}`;
  };
  const child = scalarBatch({ type, nullable: true }, elements, 0, label);
  return new ArrayBatch({ type, length, firstRow, validity, nullCount }, offsets, child);
}
