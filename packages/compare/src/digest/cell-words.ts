/**
 * Cells as two 32-bit words, from which their hashes are made.
 *
 * | cell | words |
 * | --- | --- |
 * | integer, date, time, decimal | low and high half of the 64-bit value, sign-extended; wider values are folded |
 * | FLOAT, DOUBLE | the bits of the value: `-0` and `0`, and two NaNs, differ when their bits do |
 * | BOOL | 0 or 1 |
 * | STRING, VARCHAR, BINARY | a hash of the bytes |
 * | array | a hash of its length and elements |
 */
import { getBit } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import { bytesOf } from "@cfile/encodings/batches";
import { foldHigh, foldLow, hashStrings } from "./mix.js";

/** Words of the cells of one column: `low[stride * i]` and `high[stride * i]` of row `i`. Words of nulls are undefined. */
export interface CellWords {
  readonly low: Int32Array;
  readonly high: Int32Array;
  /** Distance between the words of two rows. */
  readonly stride: number;
}

type Dictionary = Extract<ColumnBatch, { kind: "dictionary" }>["dictionary"];
type FixedBatch = Extract<ColumnBatch, { kind: "fixed" }>;

/** Makes the words of the batches of one column. Its memory is used again by the next batch. */
export class CellWordMaker {
  private low = new Int32Array(0);
  private high = new Int32Array(0);
  /** Words of the dictionary of the last batch: batches of a file share it. */
  private words:
    | { readonly dictionary: Dictionary; readonly low: Int32Array; readonly high: Int32Array }
    | undefined;
  private elements: CellWordMaker | undefined;

  of(batch: ColumnBatch): CellWords {
    switch (batch.kind) {
      case "fixed":
        return this.fixed(batch);
      case "bool":
        return this.filled(batch.length, (low, high) => {
          for (let i = 0; i < batch.length; i++) {
            low[i] = getBit(batch.values, i) ? 1 : 0;
            high[i] = 0;
          }
        });
      case "binary":
        return this.filled(batch.length, (low, high) => hashStrings(batch, low, high));
      case "dictionary":
        return this.coded(batch.codes, batch.length, batch.dictionary);
      case "array":
        return this.arrays(batch);
    }
  }

  private filled(length: number, fill: (low: Int32Array, high: Int32Array) => void): CellWords {
    if (this.low.length < length) {
      this.low = new Int32Array(length);
      this.high = new Int32Array(length);
    }
    fill(this.low, this.high);
    return { low: this.low, high: this.high, stride: 1 };
  }

  private fixed({ values, physical, length }: FixedBatch): CellWords {
    switch (physical) {
      case "INT64":
      case "UINT64":
      case "DOUBLE": {
        const words = wordsOf(values);
        return { low: words, high: words.subarray(1), stride: 2 };
      }
      case "INT128":
        return this.filled(length, (low, high) => foldWide(wordsOf(values), low, high));
      case "FLOAT":
        return this.filled(length, (low, high) => {
          low.set(wordsOf(values));
          high.fill(0, 0, length);
        });
      case "UINT32":
        return this.filled(length, (low, high) => {
          low.set(wordsOf(values));
          high.fill(0, 0, length);
        });
      default:
        return this.filled(length, (low, high) => {
          for (let i = 0; i < length; i++) {
            const value = values[i] as number;
            low[i] = value;
            high[i] = value >> 31;
          }
        });
    }
  }

  private coded(codes: Int32Array, length: number, dictionary: Dictionary): CellWords {
    if (this.words?.dictionary !== dictionary) {
      const words = {
        dictionary,
        low: new Int32Array(dictionary.length),
        high: new Int32Array(dictionary.length),
      };
      hashStrings(dictionary, words.low, words.high);
      this.words = words;
    }
    const { low: lowWords, high: highWords } = this.words;
    return this.filled(length, (low, high) => {
      for (let i = 0; i < length; i++) {
        const code = codes[i] as number;
        low[i] = lowWords[code] as number;
        high[i] = highWords[code] as number;
      }
    });
  }

  private arrays({ child, offsets, length }: Extract<ColumnBatch, { kind: "array" }>): CellWords {
    this.elements ??= new CellWordMaker();
    const words = this.elements.of(child);
    return this.filled(length, (low, high) => {
      for (let i = 0; i < length; i++) {
        const [from, to] = [offsets[i] as number, offsets[i + 1] as number];
        let [a, b] = [to - from, 0];
        for (let at = from; at < to; at++) {
          const isNull = child.isNull(at);
          const x = isNull ? 1 : (words.low[words.stride * at] as number);
          const y = isNull ? -1 : (words.high[words.stride * at] as number);
          a = foldLow(a ^ x, b ^ y);
          b = foldHigh(a, b ^ y) + (isNull ? 1 : 0);
        }
        low[i] = a;
        high[i] = b;
      }
    });
  }
}

function wordsOf(values: ArrayBufferView): Int32Array {
  const { buffer, byteOffset, byteLength } = values;
  return byteOffset % 4 === 0
    ? new Int32Array(buffer, byteOffset, byteLength >> 2)
    : new Int32Array(bytesOf(values).slice().buffer);
}

/** 128-bit integers; one that fits in 64 bits has the words of the 64-bit integer. */
function foldWide(words: Int32Array, low: Int32Array, high: Int32Array): void {
  for (let i = 0; i < words.length >> 2; i++) {
    const [a, b] = [words[4 * i] as number, words[4 * i + 1] as number];
    const [c, d] = [words[4 * i + 2] as number, words[4 * i + 3] as number];
    const isShort = c === b >> 31 && d === c;
    low[i] = isShort ? a : foldLow(a ^ c, b ^ d);
    high[i] = isShort ? b : foldHigh(a ^ d, b ^ c);
  }
}
