/** Reads the undamaged pages of a Parquet file (docs/spec/parquet.md#11-error-recovery) and accounts for lost rows. */
import { CFileError, type Progress } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import { alignBatches, batchFromValues, sliceTable, type TableBatch } from "@cfile/encodings/batches";
import type { SourceInput } from "@cfile/io";
import type { DataPage } from "../pages/data-page.js";
import { rowsOf } from "../pages/page-parts.js";
import { batchOfPage } from "../read/leaf-batch.js";
import type { ChunkOptions } from "../read/page-reader.js";
import { openParquet, type ParquetFile } from "../read/parquet-file.js";
import { rowPages } from "../read/row-pages.js";
import type { ParquetColumn, ReadableLeaf } from "../schema/readable-leaf.js";
import { type ParquetLoss, type ParquetReport, verifyPages } from "../verify/verify-pages.js";
import type { ParquetTable } from "../write/export-parquet.js";

/** Rows from `from`, inclusive, to `to`, exclusive. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

/** A column and its losses. */
export interface RecoveredColumn extends ParquetColumn {
  readonly rowsKept: number;
  readonly rowsLost: number;
  /** Ascending, not adjacent. */
  readonly lost: readonly RowRange[];
}

/** How a damaged file is read. */
export interface RecoverParquetOptions extends ChunkOptions {
  /** Called before each column; counts columns. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/**
 * Opens a damaged file and reads all columns once to find the losses. A corrupt page loses that page. A corrupt page header loses its page;
 * the pages after it are found in the offset index or by their bytes. In encrypted chunks, it loses the rest of the chunk. Pages of arrays
 * between two corrupt pages are lost if neither their headers nor an offset index state their rows. A corrupt chunk is lost completely.
 * @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED` when the footer cannot be read; `E_IO` when the source fails
 */
export async function recoverParquet(
  input: SourceInput,
  options: RecoverParquetOptions = {},
): Promise<RecoveredParquet> {
  const file = await openParquet(input, options);
  try {
    const report = await verifyPages(file);
    const losses: ParquetLoss[] = [...report.losses];
    const columns: RecoveredColumn[] = [];
    for (const column of file.columns) {
      options.onProgress?.({ done: columns.length, total: file.columns.length });
      columns.push(await accountOf(file, column, losses));
    }
    return new RecoveredParquet(file, { ...report, ok: losses.length === 0, losses }, columns);
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function accountOf(
  file: ParquetFile,
  column: ParquetColumn,
  losses: ParquetLoss[],
): Promise<RecoveredColumn> {
  const { name } = column;
  const readable = file.readable(name);
  const lost: RowRange[] = [];
  const saved = savedRows(file, readable, (error, rowGroup, from, rows) =>
    losses.push({
      ...{ column: readable.leaf.path, rowGroup, part: "values", rows: { from, to: from + rows }, error },
      ...{ page: undefined, offset: undefined, values: undefined },
    }),
  );
  let rowsLost = 0;
  for await (const { batch, isLost } of saved) {
    if (isLost) {
      lost.push({ from: batch.firstRow, to: batch.firstRow + batch.length });
      rowsLost += batch.length;
    }
  }
  return { ...column, rowsKept: file.rowCount - rowsLost, rowsLost, lost: union(lost) };
}

/** The undamaged data of a file. */
export class RecoveredParquet {
  readonly report: ParquetReport;
  readonly columns: readonly RecoveredColumn[];
  /** Rows lost in at least one column; ascending, not adjacent. */
  readonly lostRows: readonly RowRange[];
  private readonly file: ParquetFile;

  /** @internal */
  constructor(file: ParquetFile, report: ParquetReport, columns: readonly RecoveredColumn[]) {
    this.file = file;
    this.report = report;
    this.columns = columns;
    this.lostRows = union(columns.flatMap(({ lost }) => lost));
  }

  /** Columns that are not recovered because a CFile cannot store them, with the reasons. */
  get refused(): ParquetFile["refused"] {
    return this.file.refused;
  }

  /** Key-value metadata. */
  get keyValues(): ReadonlyMap<string, string> {
    return this.file.keyValues;
  }

  /** All rows of a column; lost ones are null. @throws {CFileError} `E_IO` when the source fails */
  async *column(name: string): AsyncGenerator<ColumnBatch, void, void> {
    for await (const { batch } of savedRows(this.file, this.file.readable(name))) {
      yield batch;
    }
  }

  /**
   * All columns as a table.
   * @param lost `"null"`: lost cells are null, and rows keep their numbers; `"drop"`: rows with lost cells are left out
   */
  table(lost: "null" | "drop"): ParquetTable {
    const columns = this.columns.map(({ rowsLost, rowsKept: _, lost: __, nullable, ...column }) => ({
      ...column,
      nullable: nullable || (lost === "null" && rowsLost > 0),
    }));
    return { columns, rows: this.rows(lost) };
  }

  private async *rows(lost: "null" | "drop"): AsyncGenerator<TableBatch, void, void> {
    const names = this.columns.map(({ name }) => name);
    const gaps = lost === "drop" ? [...this.lostRows] : [];
    let first = 0;
    let gap = gaps.shift();
    for await (const rows of alignBatches(
      Object.fromEntries(names.map((name) => [name, this.column(name)])),
    )) {
      const end = first + rows.length;
      for (let at = first; at < end; ) {
        const to = Math.min(end, gap?.from ?? end);
        if (at < to) {
          yield sliceTable(rows, at - first, to - first);
        }
        at = Math.max(to, Math.min(end, gap?.to ?? end));
        gap = gap !== undefined && at >= gap.to ? gaps.shift() : gap;
      }
      first = end;
    }
  }

  /** Closes the damaged file. */
  close(): Promise<void> {
    return this.file.close();
  }

  /** Calls `close` at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function union(ranges: readonly RowRange[]): RowRange[] {
  const merged: { from: number; to: number }[] = [];
  for (const { from, to } of [...ranges].sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to) {
      last.to = Math.max(last.to, to);
    } else {
      merged.push({ from, to });
    }
  }
  return merged;
}

interface SavedRows {
  readonly batch: ColumnBatch;
  /** Whether the batch consists of nulls for lost rows. */
  readonly isLost: boolean;
}

/** Maximum rows of a batch of nulls. */
const NULL_BATCH_ROWS = 65536;

/** All rows of a column; lost ones are null. @param onError receives errors in the values of an intact page */
async function* savedRows(
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
      if (batch instanceof CFileError) {
        onError(batch, group, at, count);
      }
      if (batch === undefined || batch instanceof CFileError) {
        yield* nulls(column, at, to);
      } else {
        yield { batch, isLost: false };
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
