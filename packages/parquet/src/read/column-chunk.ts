/**
 * Reads the pages of a column chunk (docs/spec/parquet.md#10-column-chunk-traversal): headers and pages in order, until the chunk's
 * number of values is reached. The chunk's stated size is not trusted: some writers do not count the dictionary's header.
 */
import type { ByteSource } from "@cfile/io";
import { loadPageExpander } from "../pages/page-codec.js";
import type { PageLocation } from "../pages/page-locations.js";
import type { Leaf } from "../schema/leaf-schema.js";
import { asError, type ChunkInfo, chunkStart, PageDecoder, type PageVisit } from "./page-decoder.js";
import { type ChunkOptions, PageReader } from "./page-reader.js";
import { pagesAfterLoss, restOfChunk } from "./rest-of-chunk.js";

/** Bytes by which some writers understate the size of a chunk. */
const SLACK = 100;

/**
 * Visits the pages in order. Damage is reported, not thrown: a lost page is skipped. A lost header loses its page if the offset index lists
 * the next one, else all pages up to the next one found by its bytes, else the rest of the chunk.
 */
export async function* readChunk(
  source: ByteSource,
  chunk: ChunkInfo,
  options: ChunkOptions,
): AsyncGenerator<PageVisit, void, void> {
  const { meta, leaf, limit, locations = [] } = chunk;
  const decoder = new PageDecoder(source, chunk, await loadPageExpander(meta.codec, options.decompressors));
  const total = Number(meta.num_values);
  let offset = chunkStart(meta);
  const end = Math.min(limit, offset + Number(meta.total_compressed_size) + SLACK);
  const reader = new PageReader(source, end, options, chunk.cipher);
  let page = 0;
  /** Values read; `undefined` after a lost page of arrays, whose values cannot be counted. */
  let read: number | undefined = 0;
  /** First rows of pages of arrays after a lost page that does not state its rows, by offset. */
  let placed: ReadonlyMap<number, number> | undefined;
  while (read === undefined ? page < locations.length : read < total) {
    const at = offset;
    const left = total - (read ?? 0);
    let visit: PageVisit;
    try {
      const found = await reader.page(at, left, page);
      offset = found.end;
      if (found.header.kind === "other") {
        continue;
      }
      visit = decoder.visit(found, page, at, options.verifyChecksums);
    } catch (thrown) {
      const error = asError(thrown, source, at);
      const known = jumpOver(locations, page, at, leaf, left);
      if (known === undefined) {
        const rows = page === 0 || leaf.maxRepetition === 0 ? read : undefined;
        const place = { page, offset: at, rows, valueCount: read && left, error };
        yield* restOfChunk(source, { chunk, reader, decoder }, place, options);
        return;
      }
      visit = { kind: "data", page, offset: at, ...known, crc: "unchecked", data: undefined, error };
    }
    const firstRow = visit.firstRow ?? placed?.get(at);
    yield firstRow === visit.firstRow ? visit : { ...visit, firstRow };
    if (visit.kind === "data") {
      if (visit.error !== undefined && visit.rowCount === undefined && leaf.maxRepetition > 0) {
        const after = await pagesAfterLoss(source, { chunk, reader, decoder }, offset, options);
        placed = new Map(after.map((next) => [next.offset, next.firstRow]));
      }
      const next = locations[page + 1];
      if (visit.error !== undefined && visit.firstRow !== undefined && next !== undefined) {
        offset = next.offset;
      }
      read = read === undefined || visit.valueCount === undefined ? undefined : read + visit.valueCount;
      page++;
    }
  }
}

/** The offset index entry of a page whose header is lost; `undefined` without one, or without a next page. */
function jumpOver(
  locations: readonly PageLocation[],
  page: number,
  offset: number,
  leaf: Leaf,
  left: number,
) {
  const [own, next] = [locations[page], locations[page + 1]];
  if (own?.offset !== offset || next === undefined) {
    return undefined;
  }
  const rowCount = next.firstRow - own.firstRow;
  const valueCount = leaf.maxRepetition === 0 ? rowCount : undefined;
  return rowCount >= left ? undefined : { firstRow: own.firstRow, rowCount, valueCount };
}
