/**
 * Single lookups by row and by value from a warm cache, in sorted columns of every encoding. The peer has all values in an array
 * in memory. It reads an element by row, or searches the array by value, also with an asynchronous call.
 */
import { BinaryBatch, FixedBatch, type ScalarBatch } from "@cfile/encodings";
import {
  type CellValue,
  type CFileReader,
  type EncodingType,
  type FoundRow,
  openCFile,
  type SearchValue,
} from "cfile";
import { atLeast, type BenchCase, type BenchGoal, type BenchRow } from "../../bench-case.js";
import { asciiStrings, keyText, randomNumbers, sortedIntegers } from "../../data/data.js";
import { contender, measure } from "../../measure.js";
import { effortAt, writeBatches } from "./column-table.js";

const INTEGERS = 10_000_000;
const STRINGS = 2_000_000;
const WORDS = 1000;
const LOOKUPS = 100_000;
const CACHE_BYTES = 1 << 30;
/** Goals, times the array. */
const GOAL_BY_ROW = 0.1;
const GOAL_BY_VALUE = 0.1;
const BY_ROW = "by row";
const BY_VALUE = "by value";
const PEER = "array in memory";

interface SeekColumn {
  readonly name: string;
  readonly encoding: EncodingType;
  readonly batch: ScalarBatch;
  /** The value of a row, as text for strings. */
  readonly valueAt: (row: number) => number | string;
  /** First row with the same value. */
  readonly firstOf: (row: number) => number;
}

function seekColumns(scale: number): SeekColumn[] {
  const rowsOf = (type: "INT32" | "STRING", length: number) => ({
    type,
    length,
    firstRow: 0,
    validity: undefined,
    nullCount: 0,
  });
  const integers = sortedIntegers(Math.floor(INTEGERS * scale));
  const ofIntegers = {
    batch: new FixedBatch(rowsOf("INT32", integers.length), "INT32", integers),
    valueAt: (row: number) => integers[row] as number,
    firstOf: (row: number) => row,
  };
  const count = Math.floor(STRINGS * scale);
  const ofStrings = (textOf: (row: number) => string) => {
    const { offsets, data } = asciiStrings(count, textOf);
    return { batch: new BinaryBatch(rowsOf("STRING", count), offsets, data), valueAt: textOf };
  };
  const keys = { ...ofStrings(keyText), firstOf: (row: number) => row };
  const wordOf = (row: number): number => Math.floor((row * WORDS) / count);
  const words = {
    ...ofStrings((row) => `value-${String(wordOf(row)).padStart(3, "0")}`),
    firstOf: (row: number) => Math.ceil((wordOf(row) * count) / WORDS),
  };
  return [
    { name: "int32 bitshuffle", encoding: "BIT_SHUFFLE", ...ofIntegers },
    { name: "int32 plain", encoding: "PLAIN_ENCODING", ...ofIntegers },
    { name: "int32 RLE", encoding: "RLE", ...ofIntegers },
    { name: "keys, prefix", encoding: "PREFIX_ENCODING", ...keys },
    { name: "keys, plain", encoding: "PLAIN_ENCODING", ...keys },
    { name: "words, dictionary", encoding: "DICT_ENCODING", ...words },
  ];
}

/** Lookups in sequence. */
async function lookUp<K, T>(keys: readonly K[], find: (key: K) => Promise<T>): Promise<T[]> {
  const found = new Array<T>(keys.length);
  for (let i = 0; i < keys.length; i++) {
    found[i] = await find(keys[i] as K);
  }
  return found;
}

/** The index of the first element that is at least `value`. */
function firstAtLeast<T extends number | string>(values: ArrayLike<T>, value: T): number {
  let from = 0;
  let to = values.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((values[middle] as T) < value) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}

/** The same lookups in an array of all values of the column, which are numbers or text. */
function peersOf({ batch, firstOf, name, valueAt }: SeekColumn, targets: readonly number[]) {
  const texts = targets.map(valueAt);
  const values = (batch.kind === "fixed" ? batch.values : batch.toArray()) as ArrayLike<number | string>;
  const byRow = `${PEER} ${BY_ROW}: ${name}`;
  const byValue = `${PEER} ${BY_VALUE}: ${name}`;
  const contenders = [
    contender(
      byRow,
      () => lookUp(targets, async (row) => values[row]),
      (found: unknown[]) => found.every((value, i) => value === texts[i]),
    ),
    contender(
      byValue,
      () => lookUp(texts, async (value) => firstAtLeast(values, value)),
      (found: number[]) => found.every((row, i) => row === firstOf(targets[i] as number)),
    ),
  ];
  return { byRow, byValue, contenders };
}

function contendersOf(column: SeekColumn, file: CFileReader, targets: readonly number[]) {
  const { batch, firstOf, name, valueAt } = column;
  const texts = targets.map(valueAt);
  const isText = batch.kind === "binary";
  const values = texts.map(
    (value): SearchValue => (typeof value === "string" ? new TextEncoder().encode(value) : value),
  );
  const decoder = new TextDecoder();
  const areValues = (cells: readonly CellValue[]): boolean =>
    cells.every((cell, i) => (cell instanceof Uint8Array ? decoder.decode(cell) : cell) === texts[i]);
  const areRows = (found: readonly (FoundRow | undefined)[]): boolean =>
    found.every((row, i) => row?.exact === true && row.row === firstOf(targets[i] as number));
  const label = (how: string, as: string): string => `cfile ${how}: ${name}${isText ? as : ""}`;
  const byRow = label(BY_ROW, ", as bytes");
  const byValue = label(BY_VALUE, ", as bytes");
  const contenders = [
    contender(byRow, () => lookUp(targets, (row) => file.get(row, { strings: "bytes" })), areValues),
    contender(byValue, () => lookUp(values, (value) => file.find(value)), areRows),
  ];
  if (isText) {
    contenders.push(
      contender(label(BY_ROW, ", as text"), () => lookUp(targets, (row) => file.get(row)), areValues),
      contender(label(BY_VALUE, ", as text"), () => lookUp(texts, (value) => file.find(value)), areRows),
    );
  }
  return { byRow, byValue, contenders };
}

export const seeks: BenchCase = {
  name: "seeks",
  title: "Look up single values of 10 million int32 or 2 million strings, from a warm cache",
  async run(scale) {
    const lookups = Math.ceil(LOOKUPS * Math.min(1, scale * 10));
    const rows: BenchRow[] = [];
    const goals: BenchGoal[] = [];
    for (const column of seekColumns(scale)) {
      const { batch, encoding } = column;
      const bytes = await writeBatches({ type: batch.type, encoding, validx: true, batchRows: 1024 }, [
        batch,
      ]);
      const file = await openCFile(bytes, { cacheBytes: CACHE_BYTES });
      const next = randomNumbers(99);
      const targets = Array.from({ length: lookups }, () => next() % batch.length);
      const { byRow, byValue, contenders } = contendersOf(column, file, targets);
      const peers = peersOf(column, targets);
      const timings = await measure([...peers.contenders, ...contenders], true, effortAt(scale));
      const rates = new Map(timings.map((t) => [t.contender, (1000 * lookups) / t.milliseconds] as const));
      const rateOf = (name: string): number => rates.get(name) ?? Number.NaN;
      for (const { contender: name, milliseconds, fastest } of timings) {
        const peer = name.includes(BY_ROW) ? peers.byRow : peers.byValue;
        rows.push({
          contender: name,
          milliseconds: milliseconds / lookups,
          fastest: fastest / lookups,
          rate: rateOf(name),
          ratio: rateOf(name) / rateOf(peer),
        });
      }
      goals.push(
        atLeast(
          `${byRow}, at the rate of an ${PEER}, times`,
          GOAL_BY_ROW,
          rateOf(byRow) / rateOf(peers.byRow),
        ),
        atLeast(
          `${byValue}, at the rate of an ${PEER}, times`,
          GOAL_BY_VALUE,
          rateOf(byValue) / rateOf(peers.byValue),
        ),
      );
      await file.close();
    }
    return { unit: "lookups/s", peer: PEER, rows, goals };
  },
};
