/** All rows of a damaged column; lost ones are null. */
import { CFileError } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import type { DataPage } from "../pages/data-page.js";
import { rowsOf } from "../pages/page-parts.js";
import { batchOfPage } from "../read/leaf-batch.js";
import type { ParquetFile, ReadableLeaf } from "../read/parquet-file.js";
import { rowPages } from "../read/row-pages.js";

export interface SavedRows {
  readonly batch: ColumnBatch;
  /** Whether the batch is nulls for lost rows. */
  readonly isLost: boolean;
}

/** Maximum rows of a batch of nulls. */
const NULL_BATCH_ROWS = 65536;

/** @param onError receives errors in the values of an intact page */
export async function* savedRows(
  file: ParquetFile,
  column: ReadableLeaf,
  onError: (error: CFileError, group: number, firstRow: number, rows: number) => void = () => undefined,
): AsyncGenerator<SavedRows, void, void> {
  const { leaf } = column;
  let start = 0;
  for (let group = 0; group < file.metadata.row_groups.length; group++) {
    const end = start + file.rowsOfGroup(group);
    let at = start;
    let isPlaced = true;
    for await (const { data, firstRow, lostRows } of rowPages(file.pages(leaf, group, true), leaf)) {
      const from: number = firstRow === undefined ? at : start + firstRow;
      isPlaced ||= firstRow !== undefined;
      if (!isPlaced || from < at || from > end) {
        continue;
      }
      yield* nulls(column, at, from);
      at = from;
      if (data === undefined) {
        const to = lostRows === "rest" ? at : Math.min(end, at + lostRows);
        isPlaced = lostRows !== "rest";
        yield* nulls(column, at, to);
        at = to;
        continue;
      }
      const count = rowsOf(data);
      const to = Math.min(end, at + count);
      const batch = count > end - at ? undefined : batchOrError(column, data, at);
      if (batch !== undefined && !(batch instanceof CFileError)) {
        yield { batch, isLost: false };
      } else {
        if (batch !== undefined) {
          onError(batch, group, at, count);
        }
        yield* nulls(column, at, to);
      }
      at = to;
    }
    yield* nulls(column, at, end);
    start = end;
  }
}

function batchOrError(
  { leaf, kind }: ReadableLeaf,
  page: DataPage,
  firstRow: number,
): ColumnBatch | CFileError {
  try {
    return batchOfPage(page, leaf, kind, firstRow);
  } catch (error) {
    if (error instanceof CFileError) {
      return error;
    }
    throw error;
  }
}

function* nulls({ leaf, kind }: ReadableLeaf, from: number, to: number): Generator<SavedRows, void, void> {
  const { array } = leaf;
  for (let at = from; at < to; at += NULL_BATCH_ROWS) {
    const cells = new Array<null>(Math.min(NULL_BATCH_ROWS, to - at)).fill(null);
    yield { batch: batchFromValues({ type: kind.type, nullable: true, array }, cells, at), isLost: true };
  }
}
