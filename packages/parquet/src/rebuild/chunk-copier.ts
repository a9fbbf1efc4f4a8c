/** Writes chunks of the new file: copies whole pages as stored, and writes parts of pages as new pages. */

import { type ByteSource, readExactly } from "@cfile/io";
import type { ColumnMetaData, Encoding } from "hyparquet";
import { Encodings } from "hyparquet/src/constants.js";
import type { PageStore } from "../layout/page-store.js";
import type { DataPage } from "../pages/data-page.js";
import { joinPages } from "../pages/page-parts.js";
import type { RowRange } from "../prune/row-ranges.js";
import type { PagePart } from "../walk/file-part.js";
import { type ParquetOutput, put, takeEarly } from "../write/parquet-output.js";
import type { ChunkPages, PlacedPage } from "./chunk-pages.js";

import { nullPage, type SlicedPage, sliceRows, writtenPage } from "./sliced-page.js";

/** Bytes copied at a time; the next bytes are read while these are written. */
const COPY_BYTES = 4 * 1024 * 1024;
/** Rows of a page of nulls. */
const NULL_ROWS = 65536;

/** At least one page. */
type PlacedPages = readonly [PlacedPage, ...PlacedPage[]];

/** A part of a new chunk: a whole page, some rows of pages, or nulls. */
type Piece =
  | { readonly kind: "page"; readonly page: PlacedPage }
  | { readonly kind: "rows"; readonly pages: PlacedPages; readonly rows: RowRange }
  | { readonly kind: "nulls"; readonly count: number };

/** How pages ended up in the new file. */
export interface CopyCounts {
  pagesKept: number;
  /** New pages. */
  pagesRewritten: number;
  /** Pages of the source that keep some of their rows. */
  pagesCut: number;
}

export class ChunkCopier {
  private readonly source: ByteSource;
  private readonly store: PageStore;
  private readonly out: ParquetOutput;
  private readonly counts: CopyCounts;
  private readonly signal: AbortSignal | undefined;
  private readonly memory: Uint8Array[] = [];
  private writing: Promise<void> = Promise.resolve();

  constructor(
    source: ByteSource,
    store: PageStore,
    out: ParquetOutput,
    counts: CopyCounts,
    signal: AbortSignal | undefined,
  ) {
    this.source = source;
    this.store = store;
    this.out = out;
    this.counts = counts;
    this.signal = signal;
  }

  /**
   * @param path names from the root to the column
   * @param rows rows of the row group to write
   * @param added 1 if the column becomes nullable: rows that are not covered become null
   */
  async copy(
    chunk: ChunkPages,
    path: readonly string[],
    rows: readonly RowRange[],
    added: 0 | 1,
  ): Promise<ColumnMetaData> {
    const { leaf, codec } = chunk;
    const pieces = piecesOf(chunk, rows, added);
    const start = this.out.offset;
    const encodings = new Set<string>(["RLE"]);
    let uncompressed = 0;
    const coded = pieces.some(({ kind }) => kind === "page");
    const { dictionary } = chunk;
    const words = coded && dictionary !== undefined ? dictionary : undefined;
    let values = 0;
    let waiting: PagePart[] = words === undefined ? [] : [words];
    let lastCut: PlacedPage | undefined;
    const flush = async (): Promise<void> => {
      await this.copyBytes(waiting);
      waiting = [];
    };
    if (words !== undefined) {
      uncompressed += words.headerSize + words.header.uncompressedSize;
      encodings.add("PLAIN");
    }
    for (const piece of pieces) {
      if (piece.kind === "page") {
        const { part } = piece.page;
        const last = waiting.at(-1);
        if (last !== undefined && last.offset + last.size !== part.offset) {
          await flush();
        }
        waiting.push(part);
        uncompressed += part.headerSize + part.header.uncompressedSize;
        values += part.header.valueCount;
        encodings.add(part.header.encoding);
        this.counts.pagesKept++;
        continue;
      }
      await flush();
      const cut = piece.kind === "rows" ? piece.pages : [];
      this.counts.pagesCut += cut.filter((page) => page !== lastCut).length;
      lastCut = cut.at(-1) ?? lastCut;
      for await (const { page, encoding, valueCount } of this.written(
        piece,
        chunk,
        added,
        words !== undefined,
      )) {
        encodings.add(encoding);
        for (const part of page.parts) {
          await put(this.out, part, true);
        }
        uncompressed += page.uncompressedSize;
        values += valueCount;
        this.counts.pagesRewritten++;
      }
    }
    await flush();
    return {
      type: leaf.type,
      encodings: Encodings.filter((name): name is Encoding => encodings.has(name)),
      path_in_schema: [...path],
      codec,
      num_values: BigInt(values),
      total_uncompressed_size: BigInt(uncompressed),
      total_compressed_size: BigInt(this.out.offset - start),
      data_page_offset: BigInt(start + (words?.size ?? 0)),
      ...(words === undefined ? {} : { dictionary_page_offset: BigInt(start) }),
    };
  }

  private async *written(
    piece: Exclude<Piece, { kind: "page" }>,
    { leaf, dictionary, codec }: ChunkPages,
    added: 0 | 1,
    isCoded: boolean,
  ): AsyncGenerator<SlicedPage, void, void> {
    if (piece.kind === "nulls") {
      for (let left = piece.count; left > 0; left -= NULL_ROWS) {
        yield nullPage(Math.min(left, NULL_ROWS), leaf, added);
      }
      return;
    }
    const [first, ...others] = piece.pages;
    const dataOf = async ({ part }: PlacedPage): Promise<DataPage> =>
      (await this.store.page(part, leaf, dictionary, codec)).data;
    let joined = await dataOf(first);
    for (const page of others) {
      joined = joinPages(joined, await dataOf(page));
    }
    const { from, to } = piece.rows;
    // Starts at the first whole row; levels before it may continue a row of another page.
    const rows = sliceRows(joined, leaf, from - first.firstRow, to - first.firstRow);
    yield writtenPage(rows, leaf, added, isCoded);
  }

  private async copyBytes(parts: readonly PagePart[]): Promise<void> {
    const [first] = parts;
    const last = parts.at(-1);
    if (first === undefined || last === undefined) {
      return;
    }
    const { source, signal } = this;
    const end = last.offset + last.size;
    const isInPlace = first.offset === this.out.offset;
    const early = isInPlace ? takeEarly(this.out, end - first.offset) : 0;
    for (let at = first.offset + early; at < end; at += COPY_BYTES) {
      const length = Math.min(COPY_BYTES, end - at);
      const target = source.isMemory === true ? undefined : this.freeMemory().subarray(0, length);
      const bytes = await readExactly(source, at, length, { signal, target });
      await this.writing;
      this.writing = put(this.out, bytes);
      // The error is thrown when the next bytes are written.
      this.writing.catch(() => undefined);
    }
  }

  /** Memory that is not being written. */
  private freeMemory(): Uint8Array {
    const memory = (this.memory.length < 2 ? undefined : this.memory.shift()) ?? new Uint8Array(COPY_BYTES);
    this.memory.push(memory);
    return memory;
  }

  /** Waits until all bytes are written. @throws {CFileError} `E_IO` when the target fails */
  async finish(): Promise<void> {
    await this.writing;
  }
}

/** Pieces for the rows, in order. Pages that share a row are one piece unless all of them are written whole. */
function piecesOf({ pages, covered }: ChunkPages, rows: readonly RowRange[], added: 0 | 1): Piece[] {
  const pieces: Piece[] = [];
  for (const { from, to } of rows) {
    let at = from;
    for (const own of covered) {
      const [start, end] = [Math.max(from, own.from), Math.min(to, own.to)];
      if (start < end) {
        if (start > at) {
          pieces.push({ kind: "nulls", count: start - at });
        }
        pieces.push(...piecesOfRange(pages, { from: start, to: end }, added));
        at = end;
      }
    }
    if (at < to) {
      pieces.push({ kind: "nulls", count: to - at });
    }
  }
  return pieces;
}

function piecesOfRange(pages: readonly PlacedPage[], { from, to }: RowRange, added: 0 | 1): Piece[] {
  const pieces: Piece[] = [];
  for (const shared of sharedRows(pages)) {
    const inside = shared.filter(
      ({ firstRow, rows, continues }) => firstRow - (continues ? 1 : 0) < to && firstRow + rows > from,
    );
    const [first, ...others] = inside;
    if (first === undefined) {
      continue;
    }
    const last = others.at(-1) ?? first;
    const isWhole =
      added === 0 && first.firstRow >= from && !first.continues && last.firstRow + last.rows <= to;
    if (isWhole && inside.length === shared.length) {
      pieces.push(...inside.map((page): Piece => ({ kind: "page", page })));
    } else {
      const rows = { from: Math.max(first.firstRow, from), to: Math.min(last.firstRow + last.rows, to) };
      pieces.push({ kind: "rows", pages: [first, ...others], rows });
    }
  }
  return pieces;
}

/** Groups of consecutive pages with rows that span them; mostly single pages. */
function sharedRows(pages: readonly PlacedPage[]): PlacedPage[][] {
  const groups: PlacedPage[][] = [];
  for (const page of pages) {
    const last = groups.at(-1);
    if (page.continues && last !== undefined) {
      last.push(page);
    } else {
      groups.push([page]);
    }
  }
  return groups;
}
