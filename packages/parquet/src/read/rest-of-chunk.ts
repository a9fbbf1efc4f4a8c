/** The rest of a chunk after a page header that cannot be read: the pages after it, if they are found by their bytes. */
import { type CFileError, findingOf } from "@cfile/bytes";
import type { ByteSource } from "@cfile/io";
import type { PageLocation } from "../pages/page-locations.js";
import { rowsOf } from "../pages/page-parts.js";
import { asError, type ChunkInfo, chunkStart, type PageDecoder, type PageVisit } from "./page-decoder.js";
import type { ChunkOptions, PageReader } from "./page-reader.js";

/** A header that cannot be read. */
export interface LostHeader extends Pick<PageVisit, "page" | "offset" | "valueCount"> {
  /** Number of rows before it, if known. */
  readonly rows: number | undefined;
  readonly error: CFileError;
}

/** The reader of a chunk. */
export interface ChunkReaders {
  readonly chunk: ChunkInfo;
  readonly reader: PageReader;
  readonly decoder: PageDecoder;
}

const LOST = { crc: "unchecked", data: undefined } as const;

/** The rest of a chunk after a header that cannot be read. */
export function lostRest({
  page,
  offset,
  valueCount,
  error,
}: Pick<LostHeader, "page" | "offset" | "valueCount" | "error">): PageVisit {
  return { kind: "rest", page, offset, valueCount, rowCount: undefined, firstRow: undefined, ...LOST, error };
}

/** The lost rows, then the pages after them. */
export async function* restOfChunk(
  source: ByteSource,
  { chunk, reader, decoder }: ChunkReaders,
  lost: LostHeader,
  options: ChunkOptions,
): AsyncGenerator<PageVisit, void, void> {
  const found = await pagesAfterLoss(source, { chunk, reader, decoder }, lost.offset + 1, options);
  const gap = lostUpTo(found[0]?.firstRow, chunk, lost);
  if (gap === undefined) {
    yield lostRest(lost);
    return;
  }
  yield gap;
  let { page } = lost;
  page += gap.kind === "data" ? 1 : 0;
  for (const { offset, firstRow } of found) {
    try {
      const next = await reader.page(offset, Number(chunk.meta.num_values), page);
      yield { ...decoder.visit(next, page++, offset, options.verifyChecksums), firstRow };
    } catch (error) {
      yield lostRest({ page, offset, valueCount: undefined, error: asError(error, source, offset) });
      return;
    }
  }
}

/**
 * The pages from `from` on, up to the end of the chunk. Empty in encrypted chunks, and for callers that require all pages.
 */
export async function pagesAfterLoss(
  source: ByteSource,
  { chunk: { leaf, meta, limit, rows, cipher, locations }, reader, decoder }: ChunkReaders,
  from: number,
  options: ChunkOptions,
): Promise<readonly PageLocation[]> {
  if (cipher !== undefined || locations === undefined) {
    return [];
  }
  const { pagesAfter } = await import("./pages-after.js");
  const end = chunkStart(meta) + Number(meta.total_compressed_size);
  return pagesAfter(source, { leaf, rows, from, end, limit }, options, async (_, offset) => {
    try {
      const page = await reader.page(offset, Number(meta.num_values), 1);
      const { data } = decoder.visit(page, 1, offset, options.verifyChecksums);
      return data && rowsOf(data);
    } catch (error) {
      findingOf(error);
      return undefined;
    }
  });
}

/** The loss before the next page that was found; `undefined` without such a page. @param to first row of that page */
function lostUpTo(
  to: number | undefined,
  { leaf }: ChunkInfo,
  { page, offset, rows, error }: LostHeader,
): PageVisit | undefined {
  if (to === undefined || to < (rows ?? 0)) {
    return undefined;
  }
  const rowCount = rows === undefined ? undefined : to - rows;
  const valueCount = leaf.maxRepetition === 0 ? rowCount : undefined;
  // A chunk that starts with its first row has lost its dictionary.
  const kind = page === 0 && rowCount === 0 ? "dictionary" : "data";
  return { kind, page, offset, rowCount, valueCount, firstRow: rows, ...LOST, error };
}
