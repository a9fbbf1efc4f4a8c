/** Known sizes of row groups and pages, which decide between several ways to divide pages into row groups. */
import type { FileMetaData } from "hyparquet";
import type { PagePart } from "../walk/file-part.js";
import type { PageRun, ParsedGroup } from "./parsed-group.js";
import { endsChunk, type PageHabit } from "./sibling-pages.js";

/** Sizes of row groups. */
export interface LayoutHints {
  /** Rows of each row group, from the file's own metadata. */
  readonly exact?: readonly number[] | undefined;
  /** Rows per row group as stated by the caller; the last row group may have fewer. */
  readonly rowGroupRows?: number | undefined;
  /** Metadata of another file of the same writer. */
  readonly like?: FileMetaData | undefined;
  /** What the pages of each leaf in that file have in common. */
  readonly likePages?: readonly (PageHabit | undefined)[] | undefined;
  /** Whether the values of a row group are unlike those of that file. */
  readonly isUnlike?: ((group: ParsedGroup, pages: readonly PagePart[]) => Promise<boolean>) | undefined;
  /** Whether values of the row groups, in order, are more likely those of another column in that file. */
  readonly isRefuted?:
    | ((groups: readonly ParsedGroup[], pages: readonly PagePart[]) => Promise<boolean>)
    | undefined;
}

const CONTRADICTION = 100;
/** The cost of a row group unlike those of the other file. */
export const UNLIKE = 20;

/** The cost of a row group that contradicts the hints. @param isLast whether it may be the last one of the file */
export function hintCost(
  { rows, chunks }: ParsedGroup,
  isLast: boolean,
  pages: readonly PagePart[],
  hints: LayoutHints,
): number {
  const seen = Math.max(0, ...chunks.map(({ runs }) => runs.reduce((sum, run) => sum + run.rows, 0)));
  const { exact, rowGroupRows, like, likePages = [] } = hints;
  let cost = 0;
  if (exact !== undefined) {
    cost += (rows === undefined ? exact.some((own) => own >= seen) : exact.includes(rows))
      ? 0
      : CONTRADICTION;
  }
  if (rowGroupRows !== undefined) {
    const isFit = rows === undefined || isLast ? (rows ?? seen) <= rowGroupRows : rows === rowGroupRows;
    cost += isFit ? 0 : CONTRADICTION;
  }
  if (like !== undefined) {
    const { least, most } = rowsLike(like);
    const isFit = (rows ?? seen) <= most && (rows === undefined || isLast || rows >= least);
    cost += isFit ? 0 : UNLIKE;
  }
  for (const { column, runs } of chunks) {
    const habit = likePages[column];
    cost += habit !== undefined && runs.some((run) => isContinued(run, pages, habit)) ? UNLIKE : 0;
  }
  return cost;
}

/** Whether the run continues after a page that must be the last one of its chunk. */
function isContinued({ from, to, reaches }: PageRun, pages: readonly PagePart[], habit: PageHabit): boolean {
  let values = reaches === "start" ? 0 : Number.POSITIVE_INFINITY;
  return pages.slice(from, to - 1).some((page) => {
    values += page.header.valueCount;
    return endsChunk(page, habit, values);
  });
}

/** Limits of row groups that agree with the hints; all others have a cost of at least {@link UNLIKE}. */
export interface LayoutLimits {
  readonly maxRows: number;
  /** Whether a row group other than the last one can have this number of rows. */
  mayHave(rows: number): boolean;
  /** Whether the page must be the last one of its chunk. @param values number of values of the chunk up to the end of the page */
  endsChunk(page: PagePart, column: number, values: number): boolean;
}

export function limitsOf({ exact, rowGroupRows, like, likePages = [] }: LayoutHints): LayoutLimits {
  const { least, most } = like === undefined ? { least: 0, most: Number.POSITIVE_INFINITY } : rowsLike(like);
  const largest = exact === undefined ? Number.POSITIVE_INFINITY : Math.max(0, ...exact);
  return {
    maxRows: Math.min(most, largest, rowGroupRows ?? Number.POSITIVE_INFINITY),
    mayHave: (rows) =>
      rows >= least &&
      (exact === undefined || exact.includes(rows)) &&
      (rowGroupRows === undefined || rows === rowGroupRows),
    endsChunk: (page, column, values) => endsChunk(page, likePages[column], values),
  };
}

/** Whether the other file has a row group of this size; if that file has only one row group, this must also be the only one. */
export function hasSizeLike({ rows }: ParsedGroup, isOnly: boolean, like: FileMetaData): boolean {
  const sizes = like.row_groups.map((group) => Number(group.num_rows));
  return rows !== undefined && sizes.includes(rows) && (sizes.length > 1 || isOnly);
}

/**
 * Bounds from the row groups of another file: their common size, or a factor of two around their sizes; a single row group gives a minimum.
 */
function rowsLike({ row_groups: groups }: FileMetaData): { readonly least: number; readonly most: number } {
  const rows = groups.map((group) => Number(group.num_rows));
  const full = rows.slice(0, -1);
  const most = Math.max(0, ...rows);
  if (full.length === 0) {
    return { least: most, most: Number.POSITIVE_INFINITY };
  }
  const least = Math.min(...full);
  return least === Math.max(...full) ? { least, most } : { least: least / 2, most: 2 * most };
}
