/** Reads the pages of a chunk that have rows in given ranges: those listed in the offset index, or all pages without one. */
import { type CFileError, corrupt } from "@cfile/bytes";
import type { ByteSource } from "@cfile/io";
import type { DataPage } from "../pages/data-page.js";
import { loadPageExpander } from "../pages/page-codec.js";
import type { PageLocation } from "../pages/page-locations.js";
import { rowsOf, slicePage } from "../pages/page-parts.js";
import type { RowRange } from "../prune/row-ranges.js";
import type { Leaf } from "../schema/leaf-schema.js";
import { type ChunkInfo, chunkStart, PageDecoder } from "./page-decoder.js";
import { type ChunkOptions, PageReader } from "./page-reader.js";

/** Consecutive rows of a chunk. */
export interface PlacedPage {
  readonly data: DataPage;
  /** First row in the row group. */
  readonly firstRow: number;
}

/**
 * Pages with rows in the ranges, as listed in the offset index.
 * @param chunk with locations
 * @throws {CFileError} `E_CHECKSUM`, `E_CORRUPT`, `E_TRUNCATED` for damage
 */
export async function* listedPages(
  source: ByteSource,
  chunk: ChunkInfo & { readonly locations: readonly PageLocation[] },
  ranges: readonly RowRange[],
  options: ChunkOptions,
): AsyncGenerator<PlacedPage, void, void> {
  const { meta, limit, locations, rows, cipher } = chunk;
  const decoder = new PageDecoder(source, chunk, await loadPageExpander(meta.codec, options.decompressors));
  let next = 0;
  const wanted = locations.flatMap(({ offset, size, firstRow }, page) => {
    next = firstAfter(ranges, firstRow, next);
    const to = locations[page + 1]?.firstRow ?? rows;
    const isWanted = (ranges[next]?.from ?? to) < to;
    return isWanted ? [{ page, offset, end: Math.min(limit, offset + size), firstRow }] : [];
  });
  const start = chunkStart(meta);
  const first = locations[0]?.offset ?? start;
  if (start < first && wanted.length > 0) {
    const reader = new PageReader(source, first, options, cipher);
    const found = await reader.page(start, Number(meta.num_values), 0);
    requireRead(decoder.visit(found, 0, start, options.verifyChecksums));
  }
  let reader: PageReader | undefined;
  let before = 0;
  for (const [i, { page, offset, end, firstRow }] of wanted.entries()) {
    if (reader === undefined || before !== offset) {
      reader = new PageReader(source, endOfRun(wanted, i + 1, end), options, cipher);
    }
    before = end;
    const found = await reader.page(offset, Number(meta.num_values), page);
    const data = requireRead(decoder.visit(found, page, offset, options.verifyChecksums));
    if (data === undefined || (data.repetitions?.[0] ?? 0) !== 0) {
      throw corrupt("a listed page does not start a row", {
        path: source.name,
        offset,
        field: "offset index",
      });
    }
    yield { data, firstRow };
  }
}

function requireRead({ data, error }: { data: DataPage | undefined; error: CFileError | undefined }) {
  if (error !== undefined) {
    throw error;
  }
  return data;
}

/** The end of adjacent pages, which are read together. @param end of the page before `next` */
function endOfRun(
  pages: readonly { readonly offset: number; readonly end: number }[],
  next: number,
  end: number,
): number {
  let last = end;
  for (let i = next, page = pages[i]; page?.offset === last; page = pages[++i]) {
    last = page.end;
  }
  return last;
}

/** The rows of the ranges, each part within one range and one page. @param ranges ascending */
export async function* cutToRanges(
  pages: AsyncIterable<PlacedPage>,
  leaf: Leaf,
  ranges: readonly RowRange[],
): AsyncGenerator<PlacedPage, void, void> {
  let next = 0;
  for await (const { data, firstRow } of pages) {
    const end = firstRow + rowsOf(data);
    next = firstAfter(ranges, firstRow, next);
    for (let i = next; (ranges[i]?.from ?? end) < end; i++) {
      const range = ranges[i] as RowRange;
      const [from, to] = [Math.max(range.from, firstRow), Math.min(range.to, end)];
      const [first, last] = [levelOfRow(data, from - firstRow), levelOfRow(data, to - firstRow)];
      yield { data: slicePage(data, leaf, first, last), firstRow: from };
    }
  }
}

/** The index of the first range, from `index` on, that ends after a row. */
function firstAfter(ranges: readonly RowRange[], row: number, index: number): number {
  let next = index;
  while ((ranges[next]?.to ?? row + 1) <= row) {
    next++;
  }
  return next;
}

/** Position of the first level of a row; the number of levels if `row` is the number of rows. */
function levelOfRow({ repetitions, length }: DataPage, row: number): number {
  if (repetitions === undefined) {
    return row;
  }
  let at = -1;
  for (let i = 0; i <= row; i++) {
    at = repetitions.indexOf(0, at + 1);
    if (at < 0) {
      return length;
    }
  }
  return at;
}
