/** A table of six columns, sorted by its key: the data of the row set benchmark. */
import { BoolBatch, type ColumnBatch, type DataType, DictionaryBatch, FixedBatch } from "@cfile/encodings";
import type { RowSetSchema } from "@cfile/rowset";
import { asciiStrings } from "./data.js";

const WORDS = 1000;

export const rowSetSchema: RowSetSchema = {
  columns: (
    [
      ["id", "INT64", true],
      ["n", "INT32", false],
      ["d", "DOUBLE", false],
      ["word", "STRING", false],
      ["flag", "BOOL", false],
      ["at", "UNIXTIME_MICROS", false],
    ] as const
  ).map(([name, type, isKey], i) => ({ id: i + 1, name, type, isKey, nullable: false, array: false })),
};

const words = (() => {
  const { offsets, data } = asciiStrings(WORDS, (i) => `word-${i}`);
  return { kind: "binary", length: WORDS, offsets, data } as const;
})();

export const keyOf = (row: number): bigint => BigInt(2 * row);
export const numberOf = (row: number): number => (row * 7919) % 1000003;
export const doubleOf = (row: number): number => numberOf(row) * 0.25;
export const wordOf = (row: number): string => `word-${(row * 31) % WORDS}`;
export const flagOf = (row: number): boolean => row % 3 === 0;
export const microsecondsOf = (row: number): bigint => 1_700_000_000_000_000n + BigInt(row) * 1000n;

/** Rows `from` to `to`, or the rows that `rowAt` maps them to, as one batch per column. */
export function rowSetBatches(from: number, to: number, rowAt = (i: number): number => i): ColumnBatch[] {
  const length = to - from;
  const rows = (type: DataType) => ({ type, length, firstRow: from, validity: undefined, nullCount: 0 });
  const ids = new BigInt64Array(length);
  const numbers = new Int32Array(length);
  const doubles = new Float64Array(length);
  const codes = new Int32Array(length);
  const flags = new Uint8Array(Math.ceil(length / 8));
  const times = new BigInt64Array(length);
  for (let i = 0; i < length; i++) {
    const row = rowAt(from + i);
    ids[i] = keyOf(row);
    numbers[i] = numberOf(row);
    doubles[i] = doubleOf(row);
    codes[i] = (row * 31) % WORDS;
    times[i] = microsecondsOf(row);
    if (flagOf(row)) {
      flags[i >> 3] = (flags[i >> 3] as number) | (1 << (i & 7));
    }
  }
  return [
    new FixedBatch(rows("INT64"), "INT64", ids),
    new FixedBatch(rows("INT32"), "INT32", numbers),
    new FixedBatch(rows("DOUBLE"), "DOUBLE", doubles),
    new DictionaryBatch(rows("STRING"), codes, words),
    new BoolBatch(rows("BOOL"), flags),
    new FixedBatch(rows("UNIXTIME_MICROS"), "INT64", times),
  ];
}

/** Sum of `n` and `d` of batches of these two columns. */
export function sumOf(columns: readonly ColumnBatch[]): number {
  let sum = 0;
  for (const column of columns) {
    if (column.kind === "fixed") {
      const { values } = column;
      for (let i = 0; i < column.length; i++) {
        sum += Number(values[i]);
      }
    }
  }
  return sum;
}
