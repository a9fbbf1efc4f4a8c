/** A column chunk as it is written: pages are made as rows come, so that no row is kept. */
import { ByteBuilder, corrupt } from "@cfile/bytes";
import {
  type BinaryVector,
  type ColumnBatch,
  DATA_TYPES,
  type ScalarBatch,
  sliceRows,
} from "@cfile/encodings";
import { PLAIN, RLE_DICTIONARY } from "./page-header.js";
import {
  appendCodes,
  appendLevels,
  dataPage,
  dictionaryPage,
  type WrittenCodec,
  type WrittenPage,
} from "./page-writer.js";
import type { ParquetColumn } from "./parquet-file.js";
import { appendPlain, appendStrings, BitPile, presentValues } from "./plain-writer.js";

const PAGE_BYTES = 1 << 20;
const PAGE_ROWS = 20_000;
/** Dictionaries of more bytes are not kept. */
const MAX_DICTIONARY_BYTES = 1 << 20;

export interface WrittenChunk {
  readonly pages: readonly WrittenPage[];
  readonly dictionary: WrittenPage | undefined;
  readonly valueCount: number;
  readonly hasPlain: boolean;
}

export class ChunkWriter {
  /** Whether all strings so far are UTF-8. */
  isText = true;
  /** Bytes of finished pages. */
  storedBytes = 0;
  private readonly column: ParquetColumn;
  private readonly codec: WrittenCodec;
  private readonly body = new ByteBuilder(1 << 16);
  private readonly bits = new BitPile();
  private readonly definitions = new ByteBuilder(1 << 12);
  private readonly repetitions = new ByteBuilder(1 << 12);
  private codes: Int32Array[] = [];
  private isCoded = false;
  private dictionary: BinaryVector | undefined;
  private pages: WrittenPage[] = [];
  private pageRows = 0;
  private pageValues = 0;
  private valueCount = 0;
  private hasPlain = false;
  private lastChecked: BinaryVector | undefined;

  constructor(column: ParquetColumn, codec: WrittenCodec) {
    this.column = column;
    this.codec = codec;
  }

  append(batch: ColumnBatch): void {
    for (let from = 0; from < batch.length; ) {
      const to = Math.min(batch.length, from + PAGE_ROWS - this.pageRows);
      this.take(sliceRows(batch, from, to));
      from = to;
      if (this.pageRows >= PAGE_ROWS || this.body.length >= PAGE_BYTES) {
        this.endPage();
      }
    }
  }

  /** The chunk; the writer is then ready for the next. */
  finish(): WrittenChunk {
    this.endPage();
    const { pages, valueCount, hasPlain } = this;
    let dictionary: WrittenPage | undefined;
    if (this.dictionary !== undefined) {
      const words = new ByteBuilder(this.dictionary.data.length + 4 * this.dictionary.length);
      appendStrings(words, this.dictionary);
      dictionary = dictionaryPage(words.finish(), this.dictionary.length, this.codec);
    }
    this.pages = [];
    this.dictionary = undefined;
    this.valueCount = 0;
    this.hasPlain = false;
    this.storedBytes = 0;
    return { pages, dictionary, valueCount, hasPlain };
  }

  private take(batch: ColumnBatch): void {
    const values = batch.kind === "array" ? batch.child : batch;
    const isCoded = values.kind === "dictionary" && this.keeps(values.dictionary);
    if (this.pageRows > 0 && isCoded !== this.isCoded) {
      this.endPage();
    }
    this.isCoded = isCoded;
    this.checkText(values);
    if (batch.kind === "array") {
      this.arrayLevels(batch, values);
    } else {
      this.pageValues += batch.length;
      if (this.column.nullable) {
        for (let i = 0; i < batch.length; i++) {
          this.definitions.u8(batch.isNull(i) ? 0 : 1);
        }
      }
    }
    this.pageRows += batch.length;
    const present = isCoded ? presentValues(values) : undefined;
    if (present?.kind === "dictionary") {
      this.codes.push(present.codes.slice(0, present.length));
    } else {
      appendPlain(this.body, this.bits, values);
    }
  }

  private arrayLevels(batch: Extract<ColumnBatch, { kind: "array" }>, values: ScalarBatch): void {
    const empty = this.column.nullable ? 1 : 0;
    for (let row = 0; row < batch.length; row++) {
      const from = batch.offsets[row] as number;
      const to = batch.offsets[row + 1] as number;
      if (from === to) {
        this.definitions.u8(batch.isNull(row) ? 0 : empty);
        this.repetitions.u8(0);
        this.pageValues++;
      }
      for (let i = from; i < to; i++) {
        this.definitions.u8(values.isNull(i) ? empty + 1 : empty + 2);
        this.repetitions.u8(i === from ? 0 : 1);
        this.pageValues++;
      }
    }
  }

  /** Whether codes of this dictionary can stay codes: a chunk has one dictionary. */
  private keeps(dictionary: BinaryVector): boolean {
    if (
      this.dictionary === undefined &&
      dictionary.data.length <= MAX_DICTIONARY_BYTES &&
      dictionary.length > 0
    ) {
      this.dictionary = dictionary;
    }
    return this.dictionary === dictionary;
  }

  private checkText(values: ScalarBatch): void {
    if (!this.isText || DATA_TYPES[values.type].physical !== "BINARY" || values.type === "BINARY") {
      return;
    }
    if (values.kind === "binary") {
      this.isText = isUtf8(values);
    } else if (values.kind === "dictionary" && values.dictionary !== this.lastChecked) {
      this.lastChecked = values.dictionary;
      this.isText = isUtf8(values.dictionary);
    }
  }

  private endPage(): void {
    if (this.pageRows === 0) {
      return;
    }
    const { nullable, array } = this.column;
    const out = new ByteBuilder(this.body.length + 1024);
    if (array) {
      appendLevels(out, this.repetitions.finish(), 1);
    }
    if (array || nullable) {
      appendLevels(out, this.definitions.finish(), array ? (nullable ? 3 : 2) : 1);
    }
    if (this.isCoded) {
      appendCodes(out, joined(this.codes), this.dictionary?.length ?? 0);
    } else {
      this.hasPlain = true;
      out.append(this.bits.length > 0 ? this.bits.take() : this.body.finish());
    }
    const page = dataPage(out.finish(), this.pageValues, this.isCoded ? RLE_DICTIONARY : PLAIN, this.codec);
    if (page.uncompressedSize > 0x7fffffff) {
      throw corrupt("a page of more than 2 GiB", { field: "page" });
    }
    this.pages.push(page);
    this.storedBytes += page.bytes.length;
    this.valueCount += this.pageValues;
    for (const builder of [this.body, this.definitions, this.repetitions]) {
      builder.length = 0;
    }
    this.codes = [];
    this.pageRows = 0;
    this.pageValues = 0;
  }
}

function joined(parts: readonly Int32Array[]): Int32Array {
  const whole = new Int32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

let decoder: TextDecoder | undefined;

function isUtf8({ offsets, data, length }: Pick<BinaryVector, "offsets" | "data" | "length">): boolean {
  const first = offsets[0] as number;
  const last = offsets[length] as number;
  let isAscii = true;
  for (let i = first; i < last && isAscii; i++) {
    isAscii = (data[i] as number) < 0x80;
  }
  decoder ??= new TextDecoder("utf-8", { fatal: true });
  try {
    for (let i = 0; i < length && !isAscii; i++) {
      decoder.decode(data.subarray(offsets[i], offsets[i + 1]));
    }
    return true;
  } catch {
    return false;
  }
}
