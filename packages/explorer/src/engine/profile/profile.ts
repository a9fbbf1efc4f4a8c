/** The profile of a column in one pass: minimum, maximum, nulls, distinct and frequent values, histogram. */
import { CFileError, compareBytes, getBit } from "@cfile/bytes";
import { plainCells } from "@cfile/cell-text";
import type { BinaryVector, ColumnBatch, DataType, InputCell, ScalarBatch } from "@cfile/encodings";
import { batchFromValues, bytesOf } from "@cfile/encodings/batches";
import type { HistogramView, ProfileView } from "../../protocol.js";
import type { Work } from "../docs/doc.js";
import { DistinctCount } from "./distinct.js";
import { FrequentValues } from "./frequent-values.js";
import { GrowingHistogram } from "./growing-histogram.js";

const PROGRESS_MILLISECONDS = 60;

/** @throws {CFileError} `E_NOT_FOUND` for an unknown column */
export function columnAt<T>(columns: readonly T[], index: number): T {
  const column = columns[index];
  if (column === undefined) {
    throw new CFileError("E_NOT_FOUND", `no column ${index}`);
  }
  return column;
}

export async function profileBatches(
  batches: AsyncIterable<ColumnBatch>,
  type: DataType,
  total: number,
  { signal, progress }: Work,
): Promise<ProfileView> {
  const started = performance.now();
  let lastProgress = started;
  const profiler = new Profiler(type);
  for await (const batch of batches) {
    signal.throwIfAborted();
    profiler.add(batch);
    if (performance.now() - lastProgress > PROGRESS_MILLISECONDS) {
      lastProgress = performance.now();
      progress({ done: profiler.rows, total });
      // Allows a cancellation to arrive.
      await new Promise((resolve) => setTimeout(resolve));
    }
  }
  return profiler.view((performance.now() - started) / 1000);
}

class Profiler {
  rows = 0;
  private nulls = 0;
  private isArray = false;
  private readonly type: DataType;
  private readonly distinct = new DistinctCount();
  private readonly histogram = new GrowingHistogram();
  private readonly frequent = new FrequentValues();
  private min: number | bigint | undefined;
  private max: number | bigint | undefined;
  private minBytes: Uint8Array | undefined;
  private maxBytes: Uint8Array | undefined;
  /** The dictionary that batches share; `wordCounts` has the count of each word. */
  private words: BinaryVector | undefined;
  private wordCounts = new Float64Array(0);

  constructor(type: DataType) {
    this.type = type;
  }

  add(batch: ColumnBatch): void {
    this.rows += batch.length;
    this.nulls += batch.nullCount;
    if (batch.kind === "array") {
      this.isArray = true;
      for (let i = 0; i < batch.length; i++) {
        if (!batch.isNull(i)) {
          this.histogram.add((batch.offsets[i + 1] ?? 0) - (batch.offsets[i] ?? 0));
        }
      }
    } else if (batch.kind === "fixed") {
      if (batch.values instanceof BigInt64Array || batch.values instanceof BigUint64Array) {
        this.addWide(batch.values, batch);
      } else if (batch.physical !== "INT128") {
        this.addNumbers(batch.values, batch);
      } else {
        this.addEach(batch);
      }
    } else {
      this.addEach(batch);
    }
  }

  private addEach(batch: ScalarBatch): void {
    if (batch.kind === "dictionary" && batch.dictionary !== this.words) {
      this.addWords();
      this.words = batch.dictionary;
      this.wordCounts = new Float64Array(batch.dictionary.length);
    }
    for (let i = 0; i < batch.length; i++) {
      if (!isPresent(batch, i)) {
        continue;
      }
      switch (batch.kind) {
        case "fixed":
          this.int128(batch.get(i) as bigint, bytesOf(batch.values), 16 * i);
          break;
        case "bool":
          this.number(getBit(batch.values, i) ? 1 : 0, 1);
          break;
        case "binary":
          this.bytes(batch.data, batch.offsets[i] ?? 0, batch.offsets[i + 1] ?? 0, 1);
          break;
        case "dictionary": {
          const code = batch.codes[i] ?? 0;
          this.wordCounts[code] = (this.wordCounts[code] ?? 0) + 1;
        }
      }
    }
  }

  private addWords(): void {
    const { data, offsets, length } = this.words ?? { data: NO_BYTES, offsets: [], length: 0 };
    for (let word = 0; word < length; word++) {
      const times = this.wordCounts[word] ?? 0;
      if (times > 0) {
        this.bytes(data, offsets[word] ?? 0, offsets[word + 1] ?? 0, times);
      }
    }
    this.words = undefined;
  }

  /** Equal neighbors are counted at once: large columns consist of runs. */
  private addNumbers(values: ArrayLike<number>, batch: ColumnBatch): void {
    const isWhole = !(values instanceof Float32Array || values instanceof Float64Array);
    for (let i = 0, next = 0; i < batch.length; i = next) {
      const value = values[i] ?? 0;
      for (next = i + 1; isWhole && next < batch.length && values[next] === value; ) {
        next++;
      }
      const present = presentIn(batch, i, next);
      if (present > 0) {
        this.number(value, present);
      }
    }
  }

  private addWide(values: BigInt64Array | BigUint64Array, batch: ColumnBatch): void {
    const words = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
    const isSigned = values instanceof BigInt64Array;
    for (let i = 0, next = 0; i < batch.length; i = next) {
      const low = words[2 * i] ?? 0;
      const high = words[2 * i + 1] ?? 0;
      for (next = i + 1; next < batch.length && words[2 * next] === low && words[2 * next + 1] === high; ) {
        next++;
      }
      const present = presentIn(batch, i, next);
      if (present > 0) {
        const value = values[i] ?? 0n;
        this.bound(value);
        this.distinct.addWords(low, high);
        this.frequent.add(value, present);
        this.histogram.add((isSigned ? high | 0 : high) * 2 ** 32 + low, present);
      }
    }
  }

  private number(value: number, times: number): void {
    this.bound(value);
    FLOAT[0] = value;
    this.distinct.addWords(FLOAT_WORDS[0] ?? 0, FLOAT_WORDS[1] ?? 0);
    this.frequent.add(value, times);
    this.histogram.add(value, times);
  }

  private int128(value: bigint, bytes: Uint8Array, at: number): void {
    this.bound(value);
    this.distinct.addBytes(bytes, at, at + 16);
    this.frequent.add(value, 1);
    this.histogram.add(Number(value));
  }

  private bound(value: number | bigint): void {
    this.min = this.min === undefined || value < this.min ? value : this.min;
    this.max = this.max === undefined || value > this.max ? value : this.max;
  }

  private bytes(data: Uint8Array, start: number, end: number, times: number): void {
    this.distinct.addBytes(data, start, end);
    this.histogram.add(end - start, times);
    const value = data.subarray(start, end);
    if (this.minBytes === undefined || compareBytes(value, this.minBytes) < 0) {
      this.minBytes = value.slice();
    }
    if (this.maxBytes === undefined || compareBytes(value, this.maxBytes) > 0) {
      this.maxBytes = value.slice();
    }
    this.frequent.addBytes(value, times);
  }

  view(seconds: number): ProfileView {
    this.addWords();
    const text = (cell: InputCell): string => {
      const batch = batchFromValues({ type: this.type, nullable: false, array: false }, [cell]);
      return plainCells(batch, { decode: true })[0] ?? "";
    };
    const min = this.min ?? this.minBytes;
    const max = this.max ?? this.maxBytes;
    return {
      rows: this.rows,
      nulls: this.nulls,
      min: min === undefined ? undefined : text(min),
      max: max === undefined ? undefined : text(max),
      distinct: this.distinct.count(),
      distinctExact: this.distinct.isExact,
      histogram: this.histogramView(),
      top: this.frequent.top(10).map(({ value, count }) => ({ value: text(value), count })),
      seconds,
    };
  }

  private histogramView(): HistogramView | undefined {
    const { bounds, counts } = this.histogram.bins();
    const isText = ["STRING", "VARCHAR", "BINARY"].includes(this.type);
    const title = this.isArray ? "Elements per row" : isText ? "Length in bytes" : "Values";
    const axis = this.type === "DATE" ? "date" : this.type === "UNIXTIME_MICROS" ? "time" : "number";
    return bounds.length === 0 ? undefined : { title, bounds, counts, axis };
  }
}

const NO_BYTES = new Uint8Array(0);
const FLOAT = new Float64Array(1);
const FLOAT_WORDS = new Uint32Array(bytesOf(FLOAT).buffer);

function isPresent({ nullCount, validity }: ColumnBatch, index: number): boolean {
  return nullCount === 0 || validity === undefined || getBit(validity, index);
}

function presentIn(batch: ColumnBatch, from: number, to: number): number {
  if (batch.nullCount === 0) {
    return to - from;
  }
  let present = 0;
  for (let i = from; i < to; i++) {
    present += isPresent(batch, i) ? 1 : 0;
  }
  return present;
}
