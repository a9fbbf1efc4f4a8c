/** The profile of a column in one pass: least and greatest value, nulls, distinct values, frequent ones, histogram. */
import { compareBytes, getBit } from "@cfile/bytes";
import { plainCells } from "@cfile/cell-text";
import type { BinaryVector, ColumnBatch, DataType, InputCell, ScalarBatch } from "@cfile/encodings";
import { batchFromValues, bytesOf } from "@cfile/encodings/batches";
import type { HistogramView, ProfileView } from "../../protocol.js";
import type { Work } from "../docs/doc.js";
import { DistinctCount } from "./distinct.js";
import { FrequentValues } from "./frequent-values.js";
import { GrowingHistogram } from "./growing-histogram.js";

const TOLD_EVERY_MILLISECONDS = 60;

export async function profileBatches(
  batches: AsyncIterable<ColumnBatch>,
  type: DataType,
  rowsTotal: number,
  { signal, progress }: Work,
): Promise<ProfileView> {
  const started = performance.now();
  let told = started;
  const profiler = new Profiler(type);
  for await (const batch of batches) {
    signal.throwIfAborted();
    profiler.add(batch);
    if (performance.now() - told > TOLD_EVERY_MILLISECONDS) {
      told = performance.now();
      progress({ done: profiler.rows, total: rowsTotal });
      // A turn of the loop lets a cancellation in.
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
  private least: InputCell = null;
  private greatest: InputCell = null;
  /** Of the dictionary that batches share: how often each word came. */
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
          this.histogram.add((batch.offsets[i + 1] as number) - (batch.offsets[i] as number));
        }
      }
      return;
    }
    this.addScalars(batch);
  }

  private addScalars(batch: ScalarBatch): void {
    switch (batch.kind) {
      case "fixed":
        if (batch.values instanceof BigInt64Array || batch.values instanceof BigUint64Array) {
          this.addWide(batch.values, batch);
        } else if (batch.physical === "INT128") {
          this.addInt128(batch.values as Uint8Array, batch);
        } else {
          this.addNumbers(batch.values as Int32Array, batch);
        }
        break;
      case "bool":
        for (let i = 0; i < batch.length; i++) {
          if (isPresent(batch, i)) {
            this.number(getBit(batch.values, i) ? 1 : 0);
          }
        }
        break;
      case "binary":
        for (let i = 0; i < batch.length; i++) {
          if (isPresent(batch, i)) {
            this.bytes(batch.data, batch.offsets[i] as number, batch.offsets[i + 1] as number, 1);
          }
        }
        break;
      case "dictionary":
        if (batch.dictionary !== this.words) {
          this.addWords();
          this.words = batch.dictionary;
          this.wordCounts = new Float64Array(batch.dictionary.length);
        }
        for (let i = 0; i < batch.length; i++) {
          if (isPresent(batch, i)) {
            const code = batch.codes[i] as number;
            this.wordCounts[code] = (this.wordCounts[code] as number) + 1;
          }
        }
    }
  }

  private addWords(): void {
    if (this.words !== undefined) {
      const { data, offsets, length } = this.words;
      for (let word = 0; word < length; word++) {
        const times = this.wordCounts[word] as number;
        if (times > 0) {
          this.bytes(data, offsets[word] as number, offsets[word + 1] as number, times);
        }
      }
      this.words = undefined;
    }
  }

  private addNumbers(values: ArrayLike<number>, batch: ColumnBatch): void {
    const isWhole = !(values instanceof Float32Array || values instanceof Float64Array);
    for (let i = 0; i < batch.length; ) {
      // Runs are counted once: most of large columns are some.
      const value = values[i] as number;
      let next = i + 1;
      while (isWhole && next < batch.length && values[next] === value) {
        next++;
      }
      const present = batch.nullCount === 0 ? next - i : presentIn(batch, i, next);
      if (present > 0) {
        this.number(value, present);
      }
      i = next;
    }
  }

  private number(value: number, times = 1): void {
    const least = this.least as number | null;
    const greatest = this.greatest as number | null;
    if (least === null || value < least) {
      this.least = value;
    }
    if (greatest === null || value > greatest) {
      this.greatest = value;
    }
    FLOAT[0] = value;
    this.distinct.addWords(FLOAT_WORDS[0] as number, FLOAT_WORDS[1] as number);
    this.frequent.add(value, times);
    this.histogram.add(value, times);
  }

  private addWide(values: BigInt64Array | BigUint64Array, batch: ColumnBatch): void {
    const words = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
    const isSigned = values instanceof BigInt64Array;
    let least: bigint | undefined;
    let greatest: bigint | undefined;
    for (let i = 0; i < batch.length; ) {
      const low = words[2 * i] as number;
      const high = words[2 * i + 1] as number;
      let next = i + 1;
      while (next < batch.length && words[2 * next] === low && words[2 * next + 1] === high) {
        next++;
      }
      const present = batch.nullCount === 0 ? next - i : presentIn(batch, i, next);
      if (present > 0) {
        const value = values[i] as bigint;
        least = least === undefined || value < least ? value : least;
        greatest = greatest === undefined || value > greatest ? value : greatest;
        this.distinct.addWords(low, high);
        this.frequent.add(value, present);
        this.histogram.add((isSigned ? high | 0 : high) * 2 ** 32 + low, present);
      }
      i = next;
    }
    this.bound(least);
    this.bound(greatest);
  }

  private addInt128(values: Uint8Array, batch: ColumnBatch): void {
    for (let i = 0; i < batch.length; i++) {
      if (isPresent(batch, i)) {
        const value = batch.get(i) as bigint;
        this.distinct.addBytes(values, 16 * i, 16 * (i + 1));
        this.frequent.add(value, 1);
        this.histogram.add(Number(value));
        this.bound(value);
      }
    }
  }

  private bound(value: bigint | undefined): void {
    if (value !== undefined) {
      this.least = this.least === null || value < (this.least as bigint) ? value : this.least;
      this.greatest = this.greatest === null || value > (this.greatest as bigint) ? value : this.greatest;
    }
  }

  private bytes(data: Uint8Array, start: number, end: number, times: number): void {
    this.distinct.addBytes(data, start, end);
    this.histogram.add(end - start, times);
    const value = data.subarray(start, end);
    if (this.least === null || compareBytes(value, this.least as Uint8Array) < 0) {
      this.least = value.slice();
    }
    if (this.greatest === null || compareBytes(value, this.greatest as Uint8Array) > 0) {
      this.greatest = value.slice();
    }
    this.frequent.addBytes(value, times);
  }

  view(seconds: number): ProfileView {
    this.addWords();
    const text = (cell: InputCell): string | undefined => (cell === null ? undefined : this.textOf(cell));
    return {
      rows: this.rows,
      nulls: this.nulls,
      min: text(this.least),
      max: text(this.greatest),
      distinct: this.distinct.count(),
      distinctExact: this.distinct.isExact,
      histogram: this.histogramView(),
      top: this.frequent.top(10).map(({ value, count }) => ({ value: text(value) ?? "", count })),
      seconds,
    };
  }

  private textOf(cell: InputCell): string {
    const batch = batchFromValues({ type: this.type, nullable: false, array: false }, [cell]);
    return plainCells(batch, { decode: true })[0] ?? "";
  }

  private histogramView(): HistogramView | undefined {
    const { bounds, counts } = this.histogram.bins();
    const isText = ["STRING", "VARCHAR", "BINARY"].includes(this.type);
    if (bounds.length === 0) {
      return undefined;
    }
    return {
      title: this.isArray ? "Elements of a row" : isText ? "Length in bytes" : "Values",
      bounds,
      counts,
      axis: this.type === "DATE" ? "date" : this.type === "UNIXTIME_MICROS" ? "time" : "number",
    };
  }
}

const FLOAT = new Float64Array(1);
const FLOAT_WORDS = new Uint32Array(bytesOf(FLOAT).buffer);

function isPresent(batch: ColumnBatch, index: number): boolean {
  return batch.nullCount === 0 || batch.validity === undefined || getBit(batch.validity, index);
}

function presentIn(batch: ColumnBatch, from: number, to: number): number {
  let present = 0;
  for (let i = from; i < to; i++) {
    present += isPresent(batch, i) ? 1 : 0;
  }
  return present;
}
