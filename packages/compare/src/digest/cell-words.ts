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
import type { CellWords } from "@cfile/kernels/rows";
import { foldHigh, foldLow } from "./mix.js";
import { hashStrings } from "./string-hashes.js";

type Dictionary = Extract<ColumnBatch, { kind: "dictionary" }>["dictionary"];
type FixedBatch = Extract<ColumnBatch, { kind: "fixed" }>;

/** Makes the words of the batches of one column. The next batch reuses its memory. */
export class CellWordMaker {
  private memory = new Int32Array(0);
  /** Hashes of the dictionary of the last batch: batches of a file share it. */
  private known: { readonly dictionary: Dictionary; readonly hashes: Int32Array } | undefined;
  private elements: CellWordMaker | undefined;

  of(batch: ColumnBatch): CellWords {
    const { length } = batch;
    switch (batch.kind) {
      case "fixed":
        return this.fixed(batch);
      case "bool":
        return { words: bits(batch.values, this.room(length)), form: "unsigned" };
      case "binary": {
        const hashes = this.room(2 * length);
        hashStrings(batch, length, hashes);
        return { words: hashes, form: "pairs" };
      }
      case "dictionary":
        return { words: this.coded(batch.codes, batch.dictionary, this.room(2 * length)), form: "pairs" };
      case "array":
        return { words: this.arrays(batch), form: "pairs" };
    }
  }

  private room(words: number): Int32Array {
    if (this.memory.length < words) {
      this.memory = new Int32Array(words);
    }
    return this.memory.subarray(0, words);
  }

  private fixed({ values, physical, length }: FixedBatch): CellWords {
    switch (physical) {
      case "INT64":
      case "UINT64":
      case "DOUBLE":
        return { words: wordsOf(values), form: "pairs" };
      case "INT128":
        return { words: foldWide(wordsOf(values), this.room(2 * length)), form: "pairs" };
      case "FLOAT":
      case "UINT32":
        return { words: wordsOf(values), form: "unsigned" };
      case "INT32":
        return { words: wordsOf(values), form: "signed" };
      default: {
        const words = this.room(length);
        for (let i = 0; i < length; i++) {
          words[i] = values[i] as number;
        }
        return { words, form: "signed" };
      }
    }
  }

  private coded(codes: Int32Array, dictionary: Dictionary, words: Int32Array): Int32Array {
    if (this.known?.dictionary !== dictionary) {
      const hashes = new Int32Array(2 * dictionary.length);
      hashStrings(dictionary, dictionary.length, hashes);
      this.known = { dictionary, hashes };
    }
    const { hashes } = this.known;
    for (let i = 0; 2 * i < words.length; i++) {
      const code = codes[i] as number;
      words[2 * i] = hashes[2 * code] as number;
      words[2 * i + 1] = hashes[2 * code + 1] as number;
    }
    return words;
  }

  private arrays({ child, offsets, length }: Extract<ColumnBatch, { kind: "array" }>): Int32Array {
    this.elements ??= new CellWordMaker();
    const elements = this.elements.of(child);
    const stride = elements.form === "pairs" ? 2 : 1;
    const words = this.room(2 * length);
    for (let i = 0; i < length; i++) {
      const [from, to] = [offsets[i] as number, offsets[i + 1] as number];
      let [a, b] = [to - from, 0];
      for (let at = from; at < to; at++) {
        const isNull = child.isNull(at);
        const x = isNull ? 1 : (elements.words[stride * at] as number);
        const y = isNull ? -1 : highWord(elements, at);
        a = foldLow(a ^ x, b ^ y);
        b = foldHigh(a, b ^ y) + (isNull ? 1 : 0);
      }
      words[2 * i] = a;
      words[2 * i + 1] = b;
    }
    return words;
  }
}

function bits(bitmap: Uint8Array, words: Int32Array): Int32Array {
  for (let i = 0; i < words.length; i++) {
    words[i] = getBit(bitmap, i) ? 1 : 0;
  }
  return words;
}

function wordsOf(values: ArrayBufferView): Int32Array {
  const { buffer, byteOffset, byteLength } = values;
  return byteOffset % 4 === 0
    ? new Int32Array(buffer, byteOffset, byteLength >> 2)
    : new Int32Array(bytesOf(values).slice().buffer);
}

/** 128-bit integers; one that fits in 64 bits has the words of the 64-bit integer. */
function foldWide(values: Int32Array, words: Int32Array): Int32Array {
  for (let i = 0; 2 * i < words.length; i++) {
    const [a, b] = [values[4 * i] as number, values[4 * i + 1] as number];
    const [c, d] = [values[4 * i + 2] as number, values[4 * i + 3] as number];
    const isShort = c === b >> 31 && d === c;
    words[2 * i] = isShort ? a : foldLow(a ^ c, b ^ d);
    words[2 * i + 1] = isShort ? b : foldHigh(a ^ d, b ^ c);
  }
  return words;
}

function highWord({ words, form }: CellWords, i: number): number {
  return form === "pairs" ? (words[2 * i + 1] as number) : form === "signed" ? (words[i] as number) >> 31 : 0;
}
