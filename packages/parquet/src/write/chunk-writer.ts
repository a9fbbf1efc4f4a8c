/** Writes column chunks. Encodes pages as rows arrive and does not retain rows. */
import { ArenaBuilder, ByteBuilder, corrupt, type MemoryArena } from "@cfile/bytes";
import type { BinaryVector, ColumnBatch, ScalarBatch } from "@cfile/encodings";
import { DATA_TYPES } from "@cfile/encodings";
import { sliceRows } from "@cfile/encodings/batches";
import { areUtf8 } from "../read/utf8-strings.js";
import type { ParquetColumn } from "../schema/readable-leaf.js";
import { BloomBuilder } from "./bloom-builder.js";
import { LevelWriter, writtenCodes } from "./level-writer.js";
import type { PageCompressor } from "./page-compressor.js";
import { dataPageV1, dataPageV2, dictionaryPage, type WrittenPage } from "./page-writer.js";
import { appendPlain, appendStrings, BitBuilder, presentValues } from "./plain-writer.js";
import { StoredBytes } from "./stored-bytes.js";
import { type Bounds, ValueBounds } from "./value-bounds.js";

const PAGE_BYTES = 1 << 20;
/** Strings of larger dictionaries are written in plain pages. */
const MAX_DICTIONARY_BYTES = 1 << 20;

/** A column whose dictionary ends within the first page keeps it only if it has at least this many values per word. */
const MIN_ROWS_PER_WORD = 2;

export interface PageForm {
  readonly compress: PageCompressor;
  readonly version: 1 | 2;
  /** Maximum rows per page. */
  readonly rows: number;
  /** Memory for one page at a time. */
  readonly scratch: ByteBuilder;
  /** Memory for the finished pages of a row group. */
  readonly arena: MemoryArena;
  /** Names of the columns with Bloom filters. */
  readonly bloomFilters?: readonly string[] | undefined;
}

/** A data page's entry in indexes and statistics. */
export interface ListedPage extends Pick<WrittenPage, "size" | "uncompressedSize"> {
  /** Counted from the start of the row group. */
  readonly firstRow: number;
  readonly nullCount: number;
  /** Whether all values are null. */
  readonly isEmpty: boolean;
  /** `undefined` if all values are NaN, or the type has no order. */
  readonly bounds: Bounds | undefined;
}

export interface WrittenChunk {
  readonly pages: readonly ListedPage[];
  readonly dictionary: WrittenPage | undefined;
  readonly valueCount: number;
  readonly hasPlain: boolean;
  /** Bytes of the Bloom filter, with its header. */
  readonly bloomSize: number | undefined;
}

export class ChunkWriter {
  /** Finished pages. */
  readonly stored: StoredBytes;
  /** Whether all strings so far are UTF-8. */
  isText = true;
  private readonly form: PageForm;
  private readonly body: ByteBuilder;
  private readonly bits = new BitBuilder();
  private readonly levels: LevelWriter;
  private readonly bounds: ValueBounds;
  private readonly bloom: BloomBuilder | undefined;
  private codes: Int32Array[] = [];
  private isCoded = false;
  private dictionary: BinaryVector | undefined;
  private pages: ListedPage[] = [];
  private firstRow = 0;
  private pageRows = 0;
  private valueCount = 0;
  private hasPlain = false;
  private lastChecked: BinaryVector | undefined;

  constructor(column: ParquetColumn, form: PageForm) {
    this.form = form;
    this.body = new ArenaBuilder(1 << 16, form.arena);
    this.stored = new StoredBytes(form.arena);
    this.levels = new LevelWriter(column);
    this.bounds = new ValueBounds(column.type);
    this.bloom = form.bloomFilters?.includes(column.name) ? new BloomBuilder(form.arena) : undefined;
  }

  append(batch: ColumnBatch): void {
    for (let from = 0; from < batch.length; ) {
      const to = Math.min(batch.length, from + this.form.rows - this.pageRows);
      this.take(sliceRows(batch, from, to));
      from = to;
      if (this.pageRows >= this.form.rows || this.body.length >= PAGE_BYTES) {
        this.endPage();
      }
    }
  }

  /**
   * Ends the chunk, whose pages are in {@link stored}, and prepares for the next one.
   *
   * @param filters receives the Bloom filter
   */
  finish(filters: StoredBytes): WrittenChunk {
    this.endPage();
    const { pages, valueCount, hasPlain } = this;
    const dictionary = this.dictionary && writtenWords(this.dictionary, this.form.compress);
    this.pages = [];
    this.dictionary = undefined;
    this.valueCount = 0;
    this.hasPlain = false;
    this.firstRow = 0;
    return { pages, dictionary, valueCount, hasPlain, bloomSize: this.bloom?.finish(filters) };
  }

  private take(batch: ColumnBatch): void {
    const values = batch.kind === "array" ? batch.child : batch;
    const isCoded = values.kind === "dictionary" && this.keeps(values.dictionary);
    if (this.pageRows > 0 && isCoded !== this.isCoded && !this.spellOut()) {
      this.endPage();
    }
    this.isCoded = isCoded;
    this.checkText(values);
    this.levels.take(batch);
    this.pageRows += batch.length;
    const present = presentValues(values);
    this.bloom?.take(present);
    if (isCoded && present.kind === "dictionary") {
      this.codes.push(present.codes.slice(0, present.length));
      this.bounds.takeCodes(present.codes, present.length, present.dictionary);
    } else {
      this.bounds.take(present);
      appendPlain(this.body, this.bits, present);
    }
  }

  /**
   * Whether codes of this dictionary can be written. A chunk has one dictionary, and no codes after a plain page: Spark 4.0 reads the
   * plain strings of such a chunk as words of its dictionary.
   */
  private keeps(dictionary: BinaryVector): boolean {
    if (this.hasPlain || (this.pageRows > 0 && !this.isCoded)) {
      return false;
    }
    if (dictionary.data.length <= MAX_DICTIONARY_BYTES && dictionary.length > 0) {
      this.dictionary ??= dictionary;
    }
    return this.dictionary === dictionary;
  }

  /**
   * Replaces the codes of the first page with values if plain values follow so soon that the dictionary would take more bytes than it
   * saves.
   */
  private spellOut(): boolean {
    const { dictionary, codes, pages } = this;
    if (!this.isCoded || dictionary === undefined || pages.length > 0) {
      return false;
    }
    const count = codes.reduce((sum, { length }) => sum + length, 0);
    if (count >= MIN_ROWS_PER_WORD * dictionary.length) {
      return false;
    }
    for (const some of codes) {
      appendPlain(this.body, this.bits, { kind: "dictionary", length: some.length, codes: some, dictionary });
    }
    this.codes = [];
    this.dictionary = undefined;
    return true;
  }

  private checkText(values: ScalarBatch): void {
    if (!this.isText || DATA_TYPES[values.type].physical !== "BINARY" || values.type === "BINARY") {
      return;
    }
    if (values.kind === "binary") {
      this.isText = areUtf8(values);
    } else if (values.kind === "dictionary" && values.dictionary !== this.lastChecked) {
      this.lastChecked = values.dictionary;
      this.isText = areUtf8(values.dictionary);
    }
  }

  private endPage(): void {
    if (this.pageRows === 0) {
      return;
    }
    const { firstRow, pageRows: rowCount, form } = this;
    const levels = this.levels.finish();
    const values = this.takeValues();
    const encoding = this.isCoded ? "RLE_DICTIONARY" : "PLAIN";
    const content = { levels, rowCount, values, encoding } as const;
    const page =
      form.version === 2
        ? dataPageV2(content, form.compress)
        : dataPageV1(content, form.compress, form.scratch);
    if (page.uncompressedSize > 0x7fffffff) {
      throw corrupt("page exceeds 2 GiB", { field: "page" });
    }
    const { nullCount, valueCount } = levels;
    const isEmpty = nullCount === valueCount;
    const { size, uncompressedSize } = page;
    this.pages.push({
      ...{ size, uncompressedSize, firstRow, nullCount, isEmpty },
      bounds: this.bounds.finish(),
    });
    for (const part of page.parts) {
      this.stored.append(part);
    }
    this.valueCount += valueCount;
    this.firstRow += rowCount;
    this.pageRows = 0;
  }

  private takeValues(): Uint8Array {
    if (this.isCoded) {
      const codes = writtenCodes(this.codes, this.dictionary?.length ?? 0);
      this.codes = [];
      return codes;
    }
    this.hasPlain = true;
    // Valid until the next value is appended, which is after the page is built.
    return this.bits.length > 0 ? this.bits.take() : this.body.take(true);
  }
}

function writtenWords(dictionary: BinaryVector, compress: PageCompressor): WrittenPage {
  const words = new ByteBuilder(dictionary.data.length + 4 * dictionary.length);
  appendStrings(words, dictionary);
  return dictionaryPage(words.finish(), dictionary.length, compress);
}
