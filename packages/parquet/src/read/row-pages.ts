/** Turns pages into pages of whole rows. Arrays that span pages are joined; an array with a lost part is lost. */
import { CFileError } from "@cfile/bytes";
import { MAX_ARRAY_ELEMENTS } from "@cfile/encodings/batches";
import type { DataPage } from "../pages/data-page.js";
import { joinPages, slicePage } from "../pages/page-parts.js";
import type { Leaf } from "../schema/leaf-schema.js";
import type { PageVisit } from "./page-decoder.js";

export interface RowPage {
  /** Rows; `undefined` if they are lost. */
  readonly data: DataPage | undefined;
  /** First row in the row group; `undefined` if the rows follow the previous ones. */
  readonly firstRow: number | undefined;
  /** Number of lost rows; `"rest"`: all remaining rows of the row group. */
  readonly lostRows: number | "rest";
}

/**
 * The data pages of a chunk as rows.
 * @param maxElements of a row that spans pages
 */
export async function* rowPages(
  visits: AsyncIterable<PageVisit>,
  leaf: Leaf,
  maxElements: number = MAX_ARRAY_ELEMENTS,
): AsyncGenerator<RowPage, void, void> {
  let open: DataPage | undefined;
  /** Pages after `open` that continue its last row. */
  let continued: DataPage[] = [];
  let openRow: number | undefined;
  let elements = 0;
  let isBehindLoss = false;
  for await (const visit of visits) {
    if (visit.kind === "dictionary") {
      continue;
    }
    const { data, firstRow, rowCount } = visit;
    if (data !== undefined && leaf.maxRepetition === 0) {
      yield { data, firstRow, lostRows: 0 };
    } else if (data !== undefined) {
      const start = rowStart(data);
      if (start > 0 && open !== undefined) {
        const last = lastRowStart(open);
        if (last > 0) {
          yield { data: slicePage(open, leaf, 0, last), firstRow: openRow, lostRows: 0 };
          openRow = undefined;
          open = slicePage(open, leaf, last, open.length);
        }
        continued.push(data);
        elements = (continued.length === 1 ? open.length : elements) + start;
        requireElements(elements, maxElements);
        if (start < data.length) {
          open = joinAll(open, continued);
          continued = [];
        }
      } else {
        if (open !== undefined) {
          yield { data: joinAll(open, continued), firstRow: openRow, lostRows: 0 };
          continued = [];
        }
        // After a loss, the continued row is lost.
        if (isBehindLoss && start === data.length) {
          open = undefined;
          continue;
        }
        open = start > 0 && isBehindLoss ? slicePage(data, leaf, start, data.length) : data;
        openRow = firstRow;
      }
      isBehindLoss = false;
    } else {
      if (open !== undefined) {
        open = joinAll(open, continued);
        continued = [];
        // Without the row count of the lost page, the last row may continue on it.
        const end = rowCount === undefined ? lastRowStart(open) : open.length;
        yield { data: slicePage(open, leaf, 0, end), firstRow: openRow, lostRows: 0 };
        open = undefined;
      }
      const flat = leaf.maxRepetition === 0 ? visit.valueCount : undefined;
      const lostRows = visit.kind === "rest" ? "rest" : (flat ?? rowCount ?? "rest");
      yield { data: undefined, firstRow, lostRows };
      isBehindLoss = true;
    }
  }
  if (open !== undefined) {
    yield { data: joinAll(open, continued), firstRow: openRow, lostRows: 0 };
  }
}

/** Joins halves, so that many small pages do not take quadratic time. */
function joinAll(first: DataPage, others: readonly DataPage[]): DataPage {
  const middle = others.length >>> 1;
  const next = others[middle];
  return next === undefined
    ? first
    : joinPages(joinAll(first, others.slice(0, middle)), joinAll(next, others.slice(middle + 1)));
}

/** The first level that starts a row; the end if no level does. */
function rowStart(data: DataPage): number {
  const start = levelsOf(data).indexOf(0);
  return start < 0 ? data.length : start;
}

function lastRowStart(data: DataPage): number {
  return Math.max(0, levelsOf(data).lastIndexOf(0));
}

const NONE = /* @__PURE__ */ new Uint8Array(0);
const levelsOf = ({ repetitions }: DataPage): Uint8Array => repetitions ?? NONE;

/** Limits the joining of pages: a malformed array might never end. */
function requireElements(elements: number, maximum: number): void {
  if (elements > maximum) {
    const reason = `array has more than ${maximum} elements`;
    throw new CFileError("E_LIMIT", reason, { field: "array" });
  }
}
