/** Reads every page of a Parquet file, verifies its CRC, and reports losses (docs/spec/parquet.md#11-error-recovery). */
import { type CFileError, corrupt, type WorkOptions } from "@cfile/bytes";
import type { FileMetaData } from "hyparquet";
import { rowsOf } from "../pages/page-parts.js";
import type { PageVisit } from "../read/page-decoder.js";
import type { Leaf } from "../schema/leaf-schema.js";

/** Data lost to damage. */
export interface ParquetLoss {
  /** The leaf's path. */
  readonly column: string;
  readonly rowGroup: number;
  /**
   * `"dictionary"`: loses no rows by itself; the losses of pages that use it follow. `"rest"`: from a page header to the end of the chunk.
   * `"rows"`: the chunk has no pages for them. `"values"`: values of an intact page that a CFile cannot store.
   */
  readonly part: "page" | "dictionary" | "rest" | "rows" | "values";
  /** Index of the data page in its chunk; `undefined` for `"rows"` and `"values"`. */
  readonly page: number | undefined;
  /** File offset of the page header. */
  readonly offset: number | undefined;
  /** Number of lost values and nulls; `undefined` for pages of arrays whose header is lost. */
  readonly values: number | undefined;
  /** Lost rows of the file; `undefined` after pages of arrays whose header is lost. */
  readonly rows: { readonly from: number; readonly to: number } | undefined;
  readonly error: CFileError;
}

/** Losses, and counts of the verified pages. */
export interface ParquetReport {
  readonly ok: boolean;
  readonly rows: number;
  readonly rowGroups: number;
  /** Pages found, including dictionaries. */
  readonly pages: number;
  /** Pages with a matching CRC. */
  readonly checkedPages: number;
  /** Pages without a CRC, or whose CRC was not verified. */
  readonly uncheckedPages: number;
  /** Number of readable values and nulls. */
  readonly readableValues: number;
  readonly losses: readonly ParquetLoss[];
}

/** The part of a Parquet file that verification needs. */
export interface VerifiedParquet {
  readonly metadata: FileMetaData;
  readonly leaves: readonly Leaf[];
  readonly rowCount: number;
  rowsOfGroup(group: number): number;
  pages(leaf: Leaf, group: number, careful: boolean): AsyncIterable<PageVisit>;
}

export async function verifyPages(
  file: VerifiedParquet,
  { signal, onProgress }: WorkOptions = {},
): Promise<ParquetReport> {
  const losses: ParquetLoss[] = [];
  const counts = { pages: 0, checkedPages: 0, uncheckedPages: 0, readableValues: 0 };
  const { row_groups: groups } = file.metadata;
  const total = groups.length * file.leaves.length;
  let done = 0;
  let groupStart = 0;
  for (let rowGroup = 0; rowGroup < groups.length; rowGroup++) {
    const groupEnd = groupStart + file.rowsOfGroup(rowGroup);
    for (const leaf of file.leaves) {
      signal?.throwIfAborted();
      let row: number | undefined = groupStart;
      for await (const visit of file.pages(leaf, rowGroup, true)) {
        const { page, offset } = visit;
        const values = visit.kind === "dictionary" ? 0 : visit.valueCount;
        let { error } = visit;
        let to: number | undefined;
        if (visit.kind === "rest") {
          to = groupEnd;
        } else {
          counts.pages++;
          row = visit.firstRow === undefined ? row : groupStart + visit.firstRow;
          counts.checkedPages += visit.crc === "right" ? 1 : 0;
          counts.uncheckedPages += visit.crc === "absent" || visit.crc === "unchecked" ? 1 : 0;
          const counted = visit.data === undefined ? visit.rowCount : rowsOf(visit.data);
          const known = leaf.maxRepetition === 0 ? visit.valueCount : counted;
          const end: number | undefined = row === undefined || known === undefined ? undefined : row + known;
          to = visit.kind === "dictionary" ? row : end;
        }
        if (to !== undefined && to > groupEnd) {
          error ??= otherRows(to - groupStart, groupEnd - groupStart, "at most ");
          to = groupEnd;
        }
        if (error === undefined) {
          counts.readableValues += values ?? 0;
        } else {
          const part = visit.kind === "data" ? "page" : visit.kind;
          const rows = row === undefined || to === undefined ? undefined : { from: row, to };
          losses.push({ column: leaf.path, rowGroup, part, page, offset, values, rows, error });
        }
        row = to;
      }
      if (row !== undefined && row < groupEnd) {
        const error = otherRows(row - groupStart, groupEnd - groupStart);
        const place = { page: undefined, offset: undefined, values: undefined };
        losses.push({
          column: leaf.path,
          rowGroup,
          part: "rows",
          ...place,
          rows: { from: row, to: groupEnd },
          error,
        });
      }
      onProgress?.({ done: ++done, total });
    }
    groupStart = groupEnd;
  }
  return { ok: losses.length === 0, rows: file.rowCount, rowGroups: groups.length, ...counts, losses };
}

function otherRows(actual: number, expected: number, limit = ""): CFileError {
  const reason = `the pages of the row group have ${actual} rows (expected ${limit}${expected})`;
  return corrupt(reason, { field: "num_rows", actual, expected });
}
