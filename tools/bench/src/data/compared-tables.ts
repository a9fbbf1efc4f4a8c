/** Tables to compare, generated batch by batch. One has its batches in reverse order and may have a defect. */
import type { ComparedColumn, ComparedTable } from "@cfile/compare";
import { type ColumnBatch, DictionaryBatch, FixedBatch } from "@cfile/encodings";
import type { TableBatch } from "@cfile/encodings/batches";

export const DEFECTS = [
  "nothing",
  "a lost row",
  "a doubled row",
  "a changed cell",
  "-0.0 instead of 0.0",
  "other bits of a NaN",
  "milliseconds instead of microseconds in one row",
  "milliseconds instead of microseconds in all rows",
  "a decimal with one more digit",
  "another scale",
] as const;
export type Defect = (typeof DEFECTS)[number];

export function isDefect(text: string): text is Defect {
  return DEFECTS.some((defect) => defect === text);
}

const BATCH = 1 << 14;
const WORDS = 1000;
/** 2024-02-29, in microseconds. */
const DAY = 1_709_164_800_000_000;
/** Bits of a NaN, as an integer. */
const NAN = 0x7ff8 * 2 ** 48;

const COLUMNS: readonly ComparedColumn[] = [
  { name: "id", type: "INT64" },
  { name: "number", type: "INT32" },
  { name: "weight", type: "DOUBLE" },
  { name: "time", type: "UNIXTIME_MICROS" },
  { name: "price", type: "DECIMAL64", scale: 2 },
  { name: "word", type: "STRING" },
];

const words = dictionary();

/** @param defect if given, the batches are in reverse order, and one row or column has the defect */
export function generatedTable(rows: number, defect?: Defect): ComparedTable {
  const scale = defect === "another scale" ? 3 : 2;
  return {
    columns: COLUMNS.map((column) => (column.name === "price" ? { ...column, scale } : column)),
    keyNames: ["id"],
    partitions: [{ name: "all", rows: () => batches(rows, defect) }],
  };
}

async function* batches(rows: number, defect: Defect | undefined): AsyncGenerator<TableBatch, void, void> {
  const count = Math.ceil(rows / BATCH);
  const even = 2 * Math.floor(rows / 3);
  const wrong = defect === "other bits of a NaN" ? even + 1 : even;
  for (let i = 0; i < count; i++) {
    const first = (defect === undefined ? i : count - 1 - i) * BATCH;
    const length = Math.min(BATCH, rows - first);
    const columns = columnsOf(first, length);
    const at = wrong >= first && wrong < first + length ? wrong - first : undefined;
    yield* defective(
      { names: COLUMNS.map(({ name }) => name), columns, firstRow: first, length },
      at,
      defect,
    );
  }
}

function* defective(batch: TableBatch, at: number | undefined, defect: Defect | undefined) {
  const { length, firstRow } = batch;
  if (defect === "milliseconds instead of microseconds in all rows") {
    for (let row = 0; row < length; row++) {
      spoil(batch, row, defect);
    }
  }
  if (at === undefined) {
    yield batch;
  } else if (defect === "a lost row") {
    yield { ...batch, columns: columnsOf(firstRow, at), length: at };
    yield { ...batch, columns: columnsOf(firstRow + at + 1, length - at - 1), length: length - at - 1 };
  } else {
    spoil(batch, at, defect);
    yield batch;
    if (defect === "a doubled row") {
      yield { ...batch, columns: columnsOf(firstRow + at, 1), length: 1 };
    }
  }
}

function spoil(
  { columns: [, number, weight, time, price] }: TableBatch,
  row: number,
  defect: Defect | undefined,
) {
  if (defect === "a changed cell") {
    view(number).setInt32(4 * row, -1, true);
  } else if (defect === "-0.0 instead of 0.0") {
    view(weight).setFloat64(8 * row, -0, true);
  } else if (defect === "other bits of a NaN") {
    view(weight).setBigUint64(8 * row, BigInt(NAN) + 1n, true);
  } else if (defect?.startsWith("milliseconds")) {
    view(time).setBigInt64(8 * row, view(time).getBigInt64(8 * row, true) / 1000n, true);
  } else if (defect === "a decimal with one more digit") {
    view(price).setBigInt64(8 * row, 10n * view(price).getBigInt64(8 * row, true), true);
  }
}

function view(column: ColumnBatch | undefined): DataView {
  if (column?.kind !== "fixed") {
    throw new TypeError("no column of numbers");
  }
  const { buffer, byteOffset, byteLength } = column.values;
  return new DataView(buffer, byteOffset, byteLength);
}

/** Weights are 0 in even rows and NaN in odd ones. 64-bit values are written as two words, because many batches are generated. */
function columnsOf(first: number, length: number): ColumnBatch[] {
  const [ids, weights, times, prices] = Array.from({ length: 4 }, () => new Int32Array(2 * length));
  const numbers = new Int32Array(length);
  const codes = new Int32Array(length);
  for (let i = 0; i < length; i++) {
    const row = first + i;
    numbers[i] = Math.imul(row, 7919) & 0xffffff;
    codes[i] = row % WORDS;
    setWide(ids, i, row);
    setWide(times, i, DAY + row * 1000);
    setWide(prices, i, row + 1);
    setWide(weights, i, (row & 1) === 0 ? 0 : NAN);
  }
  const rows = { length, firstRow: first, validity: undefined, nullCount: 0 };
  const integers = (words: Int32Array | undefined) => new BigInt64Array(words?.buffer ?? new ArrayBuffer(0));
  return [
    new FixedBatch({ ...rows, type: "INT64" }, "INT64", integers(ids)),
    new FixedBatch({ ...rows, type: "INT32" }, "INT32", numbers),
    new FixedBatch({ ...rows, type: "DOUBLE" }, "DOUBLE", new Float64Array(integers(weights).buffer)),
    new FixedBatch({ ...rows, type: "UNIXTIME_MICROS" }, "INT64", integers(times)),
    new FixedBatch({ ...rows, type: "DECIMAL64" }, "INT64", integers(prices)),
    new DictionaryBatch({ ...rows, type: "STRING" }, codes, words),
  ];
}

function setWide(words: Int32Array | undefined, i: number, value: number): void {
  if (words !== undefined) {
    words[2 * i] = (value % 2 ** 32) | 0;
    words[2 * i + 1] = value / 2 ** 32;
  }
}

function dictionary() {
  const texts = Array.from({ length: WORDS }, (_, i) => `word ${i}`);
  const offsets = Int32Array.from({ length: WORDS + 1 }, (_, i) => texts.slice(0, i).join("").length);
  return { offsets, data: new TextEncoder().encode(texts.join("")), length: WORDS, kind: "binary" } as const;
}
