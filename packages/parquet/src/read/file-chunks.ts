/** The column chunks of a file: their offsets, pages and rows. */
import { CFileError, corrupt, findingOf } from "@cfile/bytes";
import type { ByteSource } from "@cfile/io";
import type { FileMetaData } from "hyparquet";
import type { ChunkCiphers } from "../crypto/file-cipher.js";
import type { ChunkCipher } from "../crypto/module-cipher.js";
import { type PageLocation, readPageLocations } from "../pages/page-locations.js";
import { rowsOf } from "../pages/page-parts.js";
import type { RowRange } from "../prune/row-ranges.js";
import { type Leaf, LOCKED } from "../schema/leaf-schema.js";
import { readChunk } from "./column-chunk.js";
import { type ChunkInfo, chunkStart, type PageVisit } from "./page-decoder.js";
import type { ChunkOptions } from "./page-reader.js";
import type { ParquetFooter } from "./parquet-footer.js";
import { cutToRanges, listedPages, type PlacedPage } from "./range-pages.js";
import { lostRest } from "./rest-of-chunk.js";
import { rowPages } from "./row-pages.js";

export class FileChunks {
  private readonly source: ByteSource;
  private readonly metadata: FileMetaData;
  private readonly ciphers: ChunkCiphers | undefined;
  private readonly options: ChunkOptions;
  /** File offsets where chunks start and the last one ends, ascending. */
  private readonly starts: readonly number[];
  private readonly footerStart: number;

  constructor(source: ByteSource, { metadata, start, ciphers }: ParquetFooter, options: ChunkOptions) {
    this.source = source;
    this.metadata = metadata;
    this.ciphers = ciphers;
    this.options = options;
    const starts = metadata.row_groups.flatMap(({ columns }) =>
      columns.flatMap(({ meta_data: meta }) => (meta === undefined ? [] : [chunkStart(meta)])),
    );
    this.starts = [...starts.sort((a, b) => a - b), start];
    this.footerStart = start;
  }

  /** A chunk, without its offset index. @throws {CFileError} `E_CORRUPT` for invalid metadata */
  chunk(leaf: Leaf, group: number): ChunkInfo {
    const cipher = this.cipherOf(leaf, group);
    const meta = this.metadata.row_groups[group]?.columns[leaf.index]?.meta_data;
    const broken = (reason: string) => {
      const details = { path: this.source.name, field: "column chunk" };
      return corrupt(`${leaf.path} in row group ${group}: ${reason}`, details);
    };
    if (meta === undefined || meta.type !== leaf.type || meta.codec === undefined) {
      throw broken("no metadata of this column");
    }
    const start = chunkStart(meta);
    const limit = this.starts.find((other) => other > start);
    const isValid = start >= 4 && limit !== undefined && Number.isSafeInteger(start);
    // A chunk without values may have no offset.
    const isEmpty = Number(meta.num_values) === 0;
    if (!(isValid || isEmpty) || !(Number(meta.num_values) >= 0 && Number(meta.total_compressed_size) >= 0)) {
      throw broken(`invalid offset ${start}`);
    }
    const rows = this.rowsOfGroup(group);
    return { leaf, meta, limit: limit ?? 0, rows, locations: undefined, cipher };
  }

  /** @throws {CFileError} `E_UNSUPPORTED` for an encrypted chunk without its key */
  cipherOf(leaf: Leaf, group: number): ChunkCipher | undefined {
    const cipher = this.ciphers?.[group]?.[leaf.index];
    if (cipher === "locked") {
      const details = { path: this.source.name, field: "column key" };
      throw new CFileError("E_UNSUPPORTED", `${leaf.path} is ${LOCKED.refused}`, details);
    }
    return cipher === "plain" ? undefined : cipher;
  }

  /** The data pages of a chunk; empty without a valid offset index, or if the file's options disable it. */
  async locations(leaf: Leaf, group: number): Promise<readonly PageLocation[]> {
    const chunk = this.metadata.row_groups[group]?.columns[leaf.index];
    const { signal, useOffsetIndex = true } = this.options;
    if (!useOffsetIndex || chunk === undefined) {
      return [];
    }
    const cipher = this.cipherOf(leaf, group);
    const locations = await readPageLocations(this.source, chunk, this.footerStart, { signal, cipher });
    const rows = this.rowsOfGroup(group);
    return locations.every(({ firstRow }) => firstRow < rows) ? locations : [];
  }

  /** The pages of a chunk. @param careful as in `ParquetFile.pages` */
  async *pages(leaf: Leaf, group: number, careful: boolean): AsyncGenerator<PageVisit, void, void> {
    let chunk: ChunkInfo;
    try {
      chunk = this.chunk(leaf, group);
    } catch (error) {
      const valueCount = leaf.maxRepetition === 0 ? this.rowsOfGroup(group) : undefined;
      yield lostRest({ page: 0, offset: 0, valueCount, error: findingOf(error) });
      return;
    }
    if (Number(chunk.meta.num_values) === 0) {
      return;
    }
    const locations = careful ? await this.locations(leaf, group) : undefined;
    yield* readChunk(this.source, { ...chunk, locations }, this.options);
  }

  /**
   * Rows of a chunk, each part within a page.
   * @param ranges counted from the start of the row group; default: all rows
   * @param maxElements of a row that spans pages
   * @throws {CFileError} `E_CHECKSUM`, `E_CORRUPT`, `E_TRUNCATED`, `E_LIMIT` with path and offset for damage
   */
  async *rows(
    leaf: Leaf,
    group: number,
    ranges?: readonly RowRange[],
    maxElements?: number,
  ): AsyncGenerator<PlacedPage, void, void> {
    const [first] = ranges ?? [];
    if (ranges === undefined || (first?.from === 0 && first.to === this.rowsOfGroup(group))) {
      yield* this.allRows(leaf, group, maxElements);
    } else if (first !== undefined) {
      const locations = await this.locations(leaf, group);
      const pages =
        locations.length > 0
          ? listedPages(this.source, { ...this.chunk(leaf, group), locations }, ranges, this.options)
          : this.allRows(leaf, group, maxElements);
      yield* cutToRanges(pages, leaf, ranges);
    }
  }

  private async *allRows(
    leaf: Leaf,
    group: number,
    maxElements?: number,
  ): AsyncGenerator<PlacedPage, void, void> {
    let rows = 0;
    for await (const { data } of rowPages(this.undamaged(leaf, group), leaf, maxElements)) {
      if (data !== undefined && data.length > 0) {
        yield { data, firstRow: rows };
        rows += rowsOf(data);
      }
    }
    const expected = this.rowsOfGroup(group);
    if (rows !== expected) {
      const reason = `row group ${group} of ${leaf.path} has ${rows} rows (expected ${expected})`;
      throw corrupt(reason, { path: this.source.name, field: "num_rows" });
    }
  }

  private async *undamaged(leaf: Leaf, group: number): AsyncGenerator<PageVisit, void, void> {
    for await (const visit of this.pages(leaf, group, false)) {
      if (visit.error !== undefined) {
        throw visit.error;
      }
      yield visit;
    }
  }

  rowsOfGroup(group: number): number {
    return Number(this.metadata.row_groups[group]?.num_rows ?? 0);
  }
}
