/** The columns that several libraries scan and write: data and encoding. */
import { BinaryBatch, BoolBatch, FixedBatch, type ScalarBatch } from "@cfile/encodings";
import type { WriterOptions } from "cfile";
import {
  asciiStrings,
  bitmapWhere,
  hashedWalk,
  integerRuns,
  keyText,
  sortedIntegers,
  stridedDoubles,
  stridedIntegers,
  valueText,
} from "./data.js";

type ColumnUnit = "MB/s" | "M rows/s";

export interface BenchColumn {
  readonly name: string;
  readonly options: WriterOptions;
  readonly rows: number;
  readonly unit: ColumnUnit;
  readonly make: (rows: number) => ScalarBatch;
}

const NUMBERS = 10_000_000;
const STRINGS = 2_000_000;
/** Rows per batch for the writer; a multiple of 8, so that bitmaps can be sliced. */
const BATCH_ROWS = 1024;

const rowsOf = (type: WriterOptions["type"], length: number) => ({
  type,
  length,
  firstRow: 0,
  validity: undefined,
  nullCount: 0,
});

const int32 = (values: Int32Array): FixedBatch =>
  new FixedBatch(rowsOf("INT32", values.length), "INT32", values);
const int64 = (values: BigInt64Array): FixedBatch =>
  new FixedBatch(rowsOf("INT64", values.length), "INT64", values);
const strings = (length: number, textOf: (row: number) => string): BinaryBatch => {
  const { offsets, data } = asciiStrings(length, textOf);
  return new BinaryBatch(rowsOf("STRING", length), offsets, data);
};

/** Every tenth row is null; values under nulls are zero. */
function nullable(values: Int32Array): FixedBatch {
  const { length } = values;
  const isPresent = (row: number): boolean => row % 10 !== 3;
  let nullCount = 0;
  for (let i = 0; i < length; i++) {
    if (!isPresent(i)) {
      values[i] = 0;
      nullCount++;
    }
  }
  return new FixedBatch(
    { ...rowsOf("INT32", length), validity: bitmapWhere(length, isPresent), nullCount },
    "INT32",
    values,
  );
}

const int32Column: BenchColumn = {
  name: "int32 bitshuffle",
  options: { type: "INT32", encoding: "BIT_SHUFFLE" },
  rows: NUMBERS,
  unit: "MB/s",
  make: (rows) => int32(stridedIntegers(rows)),
};

export const benchColumns: readonly BenchColumn[] = [
  int32Column,
  {
    name: "int64 walk bitshuffle",
    options: { type: "INT64", encoding: "BIT_SHUFFLE" },
    rows: NUMBERS,
    unit: "MB/s",
    make: (rows) => int64(hashedWalk(rows)),
  },
  {
    name: "float64 bitshuffle",
    options: { type: "DOUBLE", encoding: "BIT_SHUFFLE" },
    rows: NUMBERS,
    unit: "MB/s",
    make: (rows) => new FixedBatch(rowsOf("DOUBLE", rows), "DOUBLE", stridedDoubles(rows)),
  },
  {
    name: "int32 10 % null, bitshuffle",
    options: { type: "INT32", encoding: "BIT_SHUFFLE", nullable: true },
    rows: NUMBERS,
    unit: "MB/s",
    make: (rows) => nullable(stridedIntegers(rows)),
  },
  {
    name: "int64 runs RLE",
    options: { type: "INT64", encoding: "RLE" },
    rows: NUMBERS,
    unit: "MB/s",
    make: (rows) => int64(integerRuns(rows)),
  },
  {
    name: "bool RLE",
    options: { type: "BOOL", encoding: "RLE" },
    rows: NUMBERS,
    unit: "M rows/s",
    make: (rows) =>
      new BoolBatch(
        rowsOf("BOOL", rows),
        bitmapWhere(rows, (row) => Math.floor(row / 50) % 3 === 0),
      ),
  },
  {
    name: "strings, dictionary",
    options: { type: "STRING", encoding: "DICT_ENCODING" },
    rows: STRINGS,
    unit: "M rows/s",
    make: (rows) => strings(rows, (row) => valueText(row, 1000)),
  },
  {
    name: "strings, plain",
    options: { type: "STRING", encoding: "PLAIN_ENCODING" },
    rows: STRINGS,
    unit: "M rows/s",
    make: (rows) => strings(rows, (row) => valueText(row, 1000003)),
  },
  {
    name: "sorted keys, prefix",
    options: { type: "STRING", encoding: "PREFIX_ENCODING" },
    rows: STRINGS,
    unit: "M rows/s",
    make: (rows) => strings(rows, keyText),
  },
  {
    name: "int32 plain",
    options: { type: "INT32", encoding: "PLAIN_ENCODING" },
    rows: NUMBERS,
    unit: "MB/s",
    make: (rows) => int32(stridedIntegers(rows)),
  },
  {
    name: "sorted int32 bitshuffle",
    options: { type: "INT32", encoding: "BIT_SHUFFLE" },
    rows: NUMBERS,
    unit: "MB/s",
    make: (rows) => int32(sortedIntegers(rows)),
  },
];

/** Millions of units in the whole column: bytes of values, or rows. */
export function millionsIn(column: BenchColumn, batch: ScalarBatch): number {
  const bytes = batch.kind === "fixed" ? batch.values.byteLength : 0;
  return (column.unit === "MB/s" ? bytes : batch.length) / 1e6;
}

/** The rows in the batches for the writer; they share memory with `batch`. */
export function writerBatches(batch: ScalarBatch): ScalarBatch[] {
  const batches: ScalarBatch[] = [];
  for (let from = 0; from < batch.length; from += BATCH_ROWS) {
    batches.push(cut(batch, from, Math.min(batch.length, from + BATCH_ROWS)));
  }
  return batches;
}

function cut(batch: ScalarBatch, from: number, to: number): ScalarBatch {
  const bits = (bitmap: Uint8Array): Uint8Array => bitmap.subarray(from >> 3, Math.ceil(to / 8));
  const validity = batch.validity && bits(batch.validity);
  let nullCount = 0;
  for (let i = from; validity !== undefined && i < to; i++) {
    nullCount += batch.isNull(i) ? 1 : 0;
  }
  const rows = { type: batch.type, length: to - from, firstRow: from, validity, nullCount };
  switch (batch.kind) {
    case "fixed":
      return new FixedBatch(rows, batch.physical, batch.values.subarray(from, to));
    case "bool":
      return new BoolBatch(rows, bits(batch.values));
    case "binary":
      return new BinaryBatch(rows, batch.offsets.subarray(from, to + 1), batch.data);
    case "dictionary":
      throw new TypeError("columns are built without dictionaries");
  }
}

/** Writer options of a column. The encoder gets rows in the batches that the writer gets. */
export const writerOptions = (
  column: BenchColumn,
  compression: "LZ4" | "NO_COMPRESSION" = "NO_COMPRESSION",
): WriterOptions => ({ ...column.options, compression, batchRows: BATCH_ROWS });

/** The cells as JavaScript values; a typed array if there are no nulls. */
export function cellsOf(batch: ScalarBatch): ArrayLike<unknown> {
  return batch.kind === "fixed" && batch.nullCount === 0 ? batch.values : batch.toArray();
}
