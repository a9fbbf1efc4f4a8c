/**
 * Finds the pages of a chunk after a header that cannot be read: the next bytes that are a page, and all pages from there to the end of
 * the chunk. Their rows are counted backwards from that end.
 *
 * Pages of arrays in version 1 do not state their rows, so they are decoded to count them.
 */
import { type ByteSource, sizeOf } from "@cfile/io";
import type { PageLocation } from "../pages/page-locations.js";
import type { Leaf } from "../schema/leaf-schema.js";
import { isGap, type PagePart } from "../walk/file-part.js";
import { type WalkOptions, walkFile } from "../walk/walk-file.js";

/** The range that is searched for pages. */
export interface ChunkRest {
  readonly leaf: Leaf;
  /** Rows of the row group. */
  readonly rows: number;
  /** File offset from which a page may start. */
  readonly from: number;
  /** Exclusive end of the chunk as stated by its metadata; some writers understate it. */
  readonly end: number;
  /** Start of the next chunk, or of the footer. */
  readonly limit: number;
}

/** The number of rows that start in a page of arrays; `undefined` for a damaged page. */
export type RowCounter = (page: PagePart, offset: number) => Promise<number | undefined>;

/**
 * The last data pages of the chunk: those after the last gap and after the last page whose rows are unknown. Empty if the end of the chunk
 * is unknown.
 * @throws {CFileError} `E_IO` when the source fails
 */
export async function pagesAfter(
  source: ByteSource,
  { leaf, rows, from, end, limit }: ChunkRest,
  options: WalkOptions,
  rowsIn: RowCounter,
): Promise<readonly PageLocation[]> {
  const size = Math.min(limit, await sizeOf(source)) - from;
  const rest: ByteSource = {
    name: source.name,
    size: async () => size,
    read: (at, length, readOptions) => source.read(from + at, length, readOptions),
  };
  let pages: PagePart[] = [];
  let isOpen = false;
  for await (const part of size > 0 ? walkFile(rest, options) : []) {
    if (part.kind === "page") {
      pages = isOpen || part.header.kind === "dictionary" ? [] : pages;
      pages.push(part);
      isOpen = false;
    } else {
      isOpen ||= isGap(part);
    }
  }
  const last = pages.at(-1);
  if (last === undefined || (isOpen && from + last.offset + last.size !== end)) {
    return [];
  }
  let firstRow = rows;
  const found: PageLocation[] = [];
  for (const page of pages.reverse()) {
    const { offset, size: bytes, header } = page;
    if (header.kind === "dictionary") {
      return [];
    }
    const stated = leaf.maxRepetition === 0 ? header.valueCount : header.rowCount;
    const own = stated ?? (await rowsIn(page, from + offset));
    if (own === undefined) {
      break;
    }
    if (own > firstRow) {
      return [];
    }
    firstRow -= own;
    found.push({ offset: from + offset, size: bytes, firstRow });
  }
  return found.reverse();
}
