/** Statistics, column index and offset index of a chunk. */
import type { ColumnChunk, SchemaElement, Statistics } from "hyparquet";
import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { writeIndexes } from "hyparquet-writer/src/indexes.js";
import { unconvertMinMax } from "hyparquet-writer/src/unconvert.js";
import type { ListedPage, WrittenChunk } from "./chunk-writer.js";
import { type Bounds, compareBounds, joinBounds } from "./value-bounds.js";

type Indexes = Parameters<typeof writeIndexes>[1][number];

/** Nulls and bounds of all pages; without bounds if those of a page with values are unknown. */
export function chunkTotals({ pages }: WrittenChunk): { nulls: number; bounds: Bounds | undefined } {
  const nulls = pages.reduce((sum, { nullCount }) => sum + nullCount, 0);
  const bounds = pages.reduce<Bounds | undefined>((sum, page) => joinBounds(sum, page.bounds), undefined);
  const isKnown = pages.every(({ isEmpty, bounds: own }) => isEmpty || own !== undefined);
  return { nulls, bounds: isKnown ? bounds : undefined };
}

/** As {@link chunkTotals}, for the footer; long strings are truncated. */
export function chunkStatistics(chunk: WrittenChunk): Statistics {
  const { nulls, bounds } = chunkTotals(chunk);
  return {
    null_count: BigInt(nulls),
    ...(bounds === undefined ? {} : { min_value: bounds.min, max_value: bounds.max }),
  };
}

/** The indexes of a chunk; long strings are truncated. @param offset file offset of the first data page */
export function chunkIndexes(
  chunk: ColumnChunk,
  element: SchemaElement,
  pages: readonly ListedPage[],
  offset: number,
  hasBounds: boolean,
): Indexes {
  const bounds = hasBounds ? columnIndex(pages, element) : undefined;
  return { chunk, offsetIndex: offsetIndex(pages, offset), ...(bounds && { columnIndex: bounds }) };
}

/** Encodes the indexes of all chunks, which are written at `offset`, and sets their offsets in the chunks. */
export function writtenIndexes(indexes: Indexes[], offset: number): Uint8Array {
  const writer = new ByteWriter();
  writeIndexes(writer, indexes);
  for (const { chunk } of indexes) {
    for (const key of ["column_index_offset", "offset_index_offset"] as const) {
      const at = chunk[key];
      if (at !== undefined) {
        chunk[key] = at + BigInt(offset);
      }
    }
  }
  return writer.getBytes();
}

function offsetIndex(pages: readonly ListedPage[], offset: number) {
  let at = offset;
  const locations = pages.map(({ size, firstRow }) => {
    const location = { offset: BigInt(at), compressed_page_size: size, first_row_index: BigInt(firstRow) };
    at += size;
    return location;
  });
  return { page_locations: locations };
}

const EMPTY = /* @__PURE__ */ new Uint8Array(0);

/** `undefined` when a page with values has no bounds. */
function columnIndex(pages: readonly ListedPage[], element: SchemaElement) {
  const bounded = pages.flatMap(({ bounds }) => (bounds === undefined ? [] : [bounds]));
  if (bounded.length < pages.filter(({ isEmpty }) => !isEmpty).length) {
    return undefined;
  }
  const bytesOf = (value: Bounds["min"] | undefined, isMax: boolean): Uint8Array | undefined =>
    value === undefined ? EMPTY : unconvertMinMax(value, element, isMax);
  const mins = pages.map(({ bounds }) => bytesOf(bounds?.min, false));
  const maxs = pages.map(({ bounds }) => bytesOf(bounds?.max, true));
  const isDefined = (bytes: Uint8Array | undefined): bytes is Uint8Array => bytes !== undefined;
  if (!mins.every(isDefined) || !maxs.every(isDefined)) {
    return undefined;
  }
  return {
    null_pages: pages.map(({ isEmpty }) => isEmpty),
    min_values: mins,
    max_values: maxs,
    boundary_order: orderOf(bounded),
    null_counts: pages.map(({ nullCount }) => BigInt(nullCount)),
  };
}

function orderOf(bounds: readonly Bounds[]): "ASCENDING" | "DESCENDING" | "UNORDERED" {
  const isSorted = (sign: 1 | -1): boolean =>
    bounds.every(({ min, max }, i) => {
      const before = bounds[i - 1];
      const isInOrder = (a: Bounds["min"], b: Bounds["min"]): boolean => sign * compareBounds(a, b) <= 0;
      return before === undefined || (isInOrder(before.min, min) && isInOrder(before.max, max));
    });
  return isSorted(1) ? "ASCENDING" : isSorted(-1) ? "DESCENDING" : "UNORDERED";
}
