/** Writes levels (docs/spec/parquet.md#5-levels): one definition bit per row, or the levels of arrays. */
import { ByteReader, concatBytes } from "@cfile/bytes";
import type { ArrayBatch, ColumnBatch } from "@cfile/encodings";
import { RleEncoder } from "@cfile/encodings/rle";
import { readVarint32 } from "@cfile/varint";
import type { ParquetColumn } from "../schema/readable-leaf.js";

export interface WrittenLevels {
  /** Runs without their length; `undefined` when the maximum level is 0. */
  readonly repetitions: Uint8Array | undefined;
  readonly definitions: Uint8Array | undefined;
  /** Values and nulls. */
  readonly valueCount: number;
  /** Nulls, including empty arrays. */
  readonly nullCount: number;
}

export class LevelWriter {
  private readonly column: ParquetColumn;
  private readonly definitions: RleEncoder;
  private readonly repetitions = new RleEncoder(1);
  private valueCount = 0;
  private nullCount = 0;

  constructor(column: ParquetColumn) {
    this.column = column;
    this.definitions = new RleEncoder(column.array ? 2 : 1);
  }

  take(batch: ColumnBatch): void {
    if (batch.kind === "array") {
      this.takeArrays(batch);
      return;
    }
    const { length, validity, nullCount } = batch;
    this.valueCount += length;
    this.nullCount += nullCount;
    if (this.column.nullable && validity !== undefined) {
      this.definitions.putBits(validity, 0, length);
    } else if (this.column.nullable) {
      this.definitions.putRun(1, length);
    }
  }

  finish(): WrittenLevels {
    const { valueCount, nullCount, column } = this;
    this.valueCount = 0;
    this.nullCount = 0;
    const runs = (encoder: RleEncoder) => wholeGroups(encoder.finish(), encoder.width);
    const repetitions = column.array ? runs(this.repetitions) : undefined;
    const definitions = column.array || column.nullable ? runs(this.definitions) : undefined;
    return { repetitions, definitions, valueCount, nullCount };
  }

  private takeArrays(batch: ArrayBatch): void {
    const { offsets, length, child: elements } = batch;
    const empty = this.column.nullable ? 1 : 0;
    const maxCount = (offsets[length] ?? 0) - (offsets[0] ?? 0) + length;
    const definitions = new Uint8Array(maxCount);
    const repetitions = new Uint8Array(maxCount);
    let count = 0;
    for (let row = 0; row < length; row++) {
      const from = offsets[row] as number;
      const to = offsets[row + 1] as number;
      if (from === to) {
        definitions[count++] = batch.isNull(row) ? 0 : empty;
        this.nullCount++;
      }
      for (let i = from; i < to; i++) {
        const isNull = elements.isNull(i);
        definitions[count] = isNull ? empty + 1 : empty + 2;
        repetitions[count++] = i === from ? 0 : 1;
        this.nullCount += isNull ? 1 : 0;
      }
    }
    putEach(this.definitions, definitions, count);
    putEach(this.repetitions, repetitions, count);
    this.valueCount += count;
  }
}

/** Codes of a dictionary: one byte with their width, then runs. */
export function writtenCodes(codes: readonly Int32Array[], entries: number): Uint8Array {
  const encoder = new RleEncoder(Math.max(1, 32 - Math.clz32(Math.max(0, entries - 1))));
  for (const part of codes) {
    putEach(encoder, part, part.length);
  }
  return concatBytes([Uint8Array.of(encoder.width), wholeGroups(encoder.finish(), encoder.width)]);
}

/** Levels from 0 to `maxLevel` as runs; `undefined` when all are 0. */
export function writtenLevels(levels: Uint8Array | undefined, maxLevel: number): Uint8Array | undefined {
  if (levels === undefined || maxLevel === 0) {
    return undefined;
  }
  const encoder = new RleEncoder(32 - Math.clz32(maxLevel));
  putEach(encoder, levels, levels.length);
  return wholeGroups(encoder.finish(), encoder.width);
}

function putEach(encoder: RleEncoder, values: ArrayLike<number>, count: number): void {
  for (let i = 0; i < count; i++) {
    encoder.put(values[i] as number);
  }
}

/** Pads the last literal group, which the encoder truncates, but Parquet requires in full. */
function wholeGroups(runs: Uint8Array, width: number): Uint8Array {
  const reader = new ByteReader(runs);
  let end = 0;
  while (end < runs.length) {
    reader.position = end;
    const header = readVarint32(reader, "run header");
    end = reader.position + ((header & 1) === 1 ? (header >>> 1) * width : (width + 7) >>> 3);
  }
  if (end === runs.length) {
    return runs;
  }
  const whole = new Uint8Array(end);
  whole.set(runs);
  return whole;
}
