/** Single lookups by row and by value from a warm cache, in sorted columns of every encoding. */
import { BinaryBatch, FixedBatch, type ScalarBatch } from "@cfile/encodings";
import {
  type CellValue,
  type CFileReader,
  type EncodingType,
  type FoundRow,
  openCFile,
  type SearchValue,
} from "cfile";
import { atLeast, type BenchCase, type BenchGoal, type BenchRow } from "../bench-case.js";
import { asciiStrings, keyText, randomNumbers, sortedIntegers } from "../data.js";
import { contender, measure } from "../measure.js";
import { yardstick } from "../yardstick.js";
import { effortAt, writeBatches } from "./column-table.js";

const INTEGERS = 10_000_000;
const STRINGS = 2_000_000;
const WORDS = 1000;
const LOOKUPS = 100_000;
const CACHE_BYTES = 1 << 30;
const GOAL_BY_ROW = 1_000_000;
const GOAL_BY_VALUE = 500_000;
const BY_ROW = "by row";
const BY_VALUE = "by value";
const WANTED = "wanted";

interface SeekColumn {
  readonly name: string;
  readonly encoding: EncodingType;
  readonly batch: ScalarBatch;
  /** The value of a row, as text for strings. */
  readonly valueAt: (row: number) => number | string;
  /** First row with the same value. */
  readonly firstOf: (row: number) => number;
  /** Lookups per second of Kudu's C++ code on its reference machine. */
  readonly kudu: { readonly byRow?: number; readonly byValue?: number };
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
  const kudu = {};
  return [
    {
      name: "int32 bitshuffle",
      encoding: "BIT_SHUFFLE",
      ...ofIntegers,
      kudu: { byRow: 4000, byValue: 5000 },
    },
    {
      name: "int32 plain",
      encoding: "PLAIN_ENCODING",
      ...ofIntegers,
      kudu: { byRow: 1_900_000, byValue: 1_100_000 },
    },
    { name: "int32 RLE", encoding: "RLE", ...ofIntegers, kudu },
    { name: "keys, prefix", encoding: "PREFIX_ENCODING", ...keys, kudu: { byValue: 1_400_000 } },
    { name: "keys, plain", encoding: "PLAIN_ENCODING", ...keys, kudu },
    { name: "words, dictionary", encoding: "DICT_ENCODING", ...words, kudu },
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
    const machine = await yardstick();
    const lookups = Math.ceil(LOOKUPS * Math.min(1, scale * 10));
    const rows: BenchRow[] = [];
    const goals: BenchGoal[] = [];
    const line = (name: string, rate: number, fastest?: number): BenchRow => ({
      contender: name,
      milliseconds: 1000 / rate,
      ...(fastest !== undefined && { fastest }),
      rate,
      ratio: rate / (name.includes(BY_ROW) ? GOAL_BY_ROW : GOAL_BY_VALUE),
    });
    rows.push(line(`${WANTED} ${BY_ROW}`, GOAL_BY_ROW), line(`${WANTED} ${BY_VALUE}`, GOAL_BY_VALUE));
    for (const column of seekColumns(scale)) {
      const { batch, encoding, kudu, name } = column;
      const bytes = await writeBatches({ type: batch.type, encoding, validx: true, batchRows: 1024 }, [
        batch,
      ]);
      const file = await openCFile(bytes, { cacheBytes: CACHE_BYTES });
      const next = randomNumbers(99);
      const targets = Array.from({ length: lookups }, () => next() % batch.length);
      const { byRow, byValue, contenders } = contendersOf(column, file, targets);
      const timings = await measure(contenders, true, effortAt(scale));
      const rates = new Map(timings.map((t) => [t.contender, (1000 * lookups) / t.milliseconds] as const));
      for (const [how, rate] of [
        [BY_ROW, kudu.byRow],
        [BY_VALUE, kudu.byValue],
      ] as const) {
        if (rate !== undefined) {
          rows.push(line(`Kudu, scaled, ${how}: ${name}`, rate * machine.factor));
        }
      }
      for (const { contender: how, milliseconds, fastest } of timings) {
        rows.push(line(how, (1000 * lookups) / milliseconds, fastest / lookups));
      }
      goals.push(
        atLeast(`${byRow}, a second`, GOAL_BY_ROW, rates.get(byRow) ?? Number.NaN),
        atLeast(`${byValue}, a second`, GOAL_BY_VALUE, rates.get(byValue) ?? Number.NaN),
      );
      await file.close();
    }
    return { unit: "lookups/s", peer: WANTED, rows, goals, notes: [machine.note] };
  },
};
