/** One column, or some with the same rows, split over many files and presented as one. */

import { CFileError, invalidArgument, type Progress } from "@cfile/bytes";
import type { CellOptions, CellValue, DataType } from "@cfile/encodings";
import type { TableBatch } from "@cfile/encodings/batches";
import type { CFileReader, Range } from "@cfile/format";
import { type OpenCFileOptions, openCFile } from "@cfile/format";
import type { SourceInput } from "@cfile/io";
import { type DatasetFiles, type DatasetInput, datasetFiles } from "./dataset-parts.js";
import { type PartScanOptions, planScan, scanPart } from "./scan-part.js";
import { type DatasetSlice, type SlicesOptions, slicesOfPart, targetOf } from "./slices.js";

/** Which rows and columns of a dataset are scanned. */
export interface DatasetScanOptions extends PartScanOptions {
  /** Rows `from` (inclusive) to `to` (exclusive) of the dataset. Default: all. */
  readonly rows?: Range<number> | undefined;
  /** Called after each batch and each part, with the rows of the dataset that were passed. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Parts of which the files are kept open for look-ups. */
const OPEN_PARTS = 32;
/** Parts that are opened at the same time. */
const PARALLEL_OPENS = 8;

/**
 * Opens a dataset: a list in row order, of files of one column or of objects with a file for each column; a directory, of which all `.cfile` files are one column, in the
 * order of their names with numbers as numbers; or the path or URL of a manifest (`….json`) that names the files of each part.
 * All files are opened once for their rows, unless a manifest tells them.
 *
 * @throws CFileError as `openCFile` does; `E_CORRUPT`, `E_UNSUPPORTED` for a manifest that is none
 *
 * @example
 * ```js
 * import { createCFile, memorySink } from "cfile";
 * import { openDataset } from "cfile/dataset";
 *
 * const parts = await Promise.all([[1, 2], [3, 4, 5]].map(async (values) => {
 *   const sink = memorySink();
 *   const file = await createCFile(sink, { type: "INT32" });
 *   await file.append(values);
 *   await file.finish();
 *   return sink.bytes();
 * }));
 * const dataset = await openDataset(parts);
 * for await (const { firstRow, columns: [column] } of dataset.scan()) {
 *   console.log(firstRow, column.toArray());
 * }
 * await dataset.close();
 * ```
 *
 * ```text
 * 0 [ 1, 2 ]
 * 2 [ 3, 4, 5 ]
 * ```
 */
export async function openDataset(input: DatasetInput, options: OpenCFileOptions = {}): Promise<Dataset> {
  const dataset = new Dataset(await datasetFiles(input, options), options);
  try {
    await dataset.countRows();
    return dataset;
  } catch (error) {
    await dataset.close();
    throw error;
  }
}

/** Many files as one column, or as the columns of one table. Files are opened when a row of them is needed. */
export class Dataset {
  /** Names of the columns. */
  readonly columns: readonly string[];
  private readonly files: DatasetFiles;
  private readonly options: OpenCFileOptions;
  /** First row of each part, and the rows of all at the end. */
  private readonly starts: number[] = [0];
  /** By part, in the order of their last use. */
  private readonly open = new Map<number, Promise<readonly CFileReader[]>>();
  /** How many reads there are of a part. */
  private readonly held = new Map<number, number>();
  private types: readonly DataType[] | undefined;

  /** @internal Datasets come from {@link openDataset}. */
  constructor(files: DatasetFiles, options: OpenCFileOptions) {
    this.files = files;
    this.columns = files.columns;
    this.options = options;
  }

  get rowCount(): number {
    return this.starts.at(-1) ?? 0;
  }

  get partCount(): number {
    return this.files.parts.length;
  }

  /**
   * One row: a cell for each column.
   *
   * @throws CFileError `E_NOT_FOUND` when the dataset has no such row
   */
  async get(
    row: number,
    options: CellOptions & { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<CellValue[]> {
    if (!(Number.isInteger(row) && row >= 0 && row < this.rowCount)) {
      throw new CFileError("E_NOT_FOUND", `row ${row} is not in a dataset of ${this.rowCount} rows`, {
        field: "row",
      });
    }
    const part = this.partOf(row);
    const position = row - this.startOf(part);
    this.hold(part, 1);
    try {
      return await Promise.all((await this.readers(part)).map((reader) => reader.get(position, options)));
    } finally {
      this.hold(part, -1);
    }
  }

  /**
   * The rows in order: all, or those that `rows` and `where` leave. Stopping the iteration stops the reading.
   *
   * @throws CFileError as `CFileReader.scan` does, and `E_INVALID_ARGUMENT` for a column that is not there
   */
  async *scan(options: DatasetScanOptions = {}): AsyncGenerator<TableBatch, void, void> {
    const { rows, limit = Number.POSITIVE_INFINITY, onProgress, ...partOptions } = options;
    planScan(this.columns, options);
    const from = rows?.from ?? 0;
    const to = Math.min(this.rowCount, rows?.to ?? this.rowCount);
    if (!(from >= 0 && to >= 0)) {
      throw invalidArgument(`no rows: ${from} to ${to}`, { field: "rows" });
    }
    const total = Math.max(0, to - from);
    let left = limit;
    for (let part = 0; part < this.partCount && this.startOf(part) < to && left > 0; part++) {
      const start = this.startOf(part);
      const end = this.startOf(part + 1);
      if (end <= from || end === start) {
        continue;
      }
      this.hold(part, 1);
      try {
        const open = { readers: await this.readers(part), columns: this.columns, firstRow: start };
        const range = { from: Math.max(from, start) - start, to: Math.min(to, end) - start };
        for await (const batch of scanPart(open, range, { ...partOptions, limit: left })) {
          left -= batch.length;
          yield batch;
          const last = batch.rows?.at(-1) ?? batch.firstRow + batch.length - 1;
          onProgress?.({ done: last + 1 - from, total });
        }
        if (left > 0) {
          onProgress?.({ done: start + range.to - from, total });
        }
      } finally {
        this.hold(part, -1);
      }
    }
  }

  /**
   * Independent pieces of work that together are all rows, in row order: each is read by `scanSlice`, anywhere. Indexes are read
   * only of parts that are larger than a slice.
   *
   * @throws CFileError `E_UNSUPPORTED` for files that are no paths or URLs
   */
  async slices(options: SlicesOptions = {}): Promise<DatasetSlice[]> {
    targetOf(options);
    const slices: DatasetSlice[] = [];
    for (const [part, { files }] of this.files.parts.entries()) {
      const firstRow = this.startOf(part);
      const place = { files: files.map(locationOf), columns: this.columns, firstRow };
      this.hold(part, 1);
      try {
        slices.push(...(await slicesOfPart(await this.readers(part), place, options)));
      } finally {
        this.hold(part, -1);
      }
    }
    return slices;
  }

  /** Closes all files that are open. */
  async close(): Promise<void> {
    const open = [...this.open.values()];
    this.open.clear();
    await Promise.all(open.map(closeAll));
  }

  /** Closes it at the end of an `await using` block, as `close` does. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @internal Learns how many rows each part has. */
  async countRows(): Promise<void> {
    const { parts } = this.files;
    for (let first = 0; first < parts.length; first += PARALLEL_OPENS) {
      const rows = await Promise.all(
        parts
          .slice(first, first + PARALLEL_OPENS)
          .map(async (part, i) => part.rows ?? (await this.readers(first + i))[0]?.rowCount ?? 0),
      );
      for (const count of rows) {
        this.starts.push(this.rowCount + count);
      }
    }
  }

  private startOf(part: number): number {
    return this.starts[part] ?? this.rowCount;
  }

  /** The part that holds a row that the dataset has. */
  private partOf(row: number): number {
    let low = 0;
    let high = this.partCount;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (this.startOf(middle) <= row) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The open files of a part; others are closed when there are too many. */
  private readers(part: number): Promise<readonly CFileReader[]> {
    const held = this.open.get(part);
    const opening = held ?? this.openPart(part);
    this.open.delete(part);
    this.open.set(part, opening);
    if (held === undefined) {
      opening.catch(() => this.open.delete(part));
    }
    this.closeSurplus(part);
    return opening;
  }

  private closeSurplus(part: number): void {
    for (const [oldest, readers] of this.open) {
      if (this.open.size <= OPEN_PARTS) {
        break;
      }
      const files = this.files.parts[oldest]?.files ?? [];
      // What the caller opened could not be opened again.
      if (oldest !== part && !this.held.has(oldest) && files.every(isLocation)) {
        this.open.delete(oldest);
        void closeAll(readers);
      }
    }
  }

  /** A part that is read from stays open. */
  private hold(part: number, by: 1 | -1): void {
    const readers = (this.held.get(part) ?? 0) + by;
    if (readers === 0) {
      this.held.delete(part);
    } else {
      this.held.set(part, readers);
    }
  }

  private async openPart(part: number): Promise<readonly CFileReader[]> {
    const { files = [], rows } = this.files.parts[part] ?? {};
    const opened = await Promise.allSettled(files.map((file) => openCFile(file, this.options)));
    const readers = opened.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    try {
      for (const result of opened) {
        if (result.status === "rejected") {
          throw result.reason;
        }
      }
      this.check(readers, rows ?? readers[0]?.rowCount ?? 0);
      return readers;
    } catch (error) {
      await Promise.all(readers.map((reader) => reader.close()));
      throw error;
    }
  }

  private check(readers: readonly CFileReader[], rows: number): void {
    this.types ??= readers.map(({ type }) => type);
    for (const [i, { path, rowCount, type }] of readers.entries()) {
      if (rowCount !== rows) {
        throw new CFileError("E_CORRUPT", `the file has ${rowCount} rows, its part has ${rows}`, {
          path,
          field: "rows",
          expected: rows,
          actual: rowCount,
        });
      }
      if (type !== this.types[i]) {
        throw new CFileError("E_CORRUPT", `the file is of ${type}, the column of ${this.types[i]}`, {
          path,
          field: "data_type",
          expected: this.types[i],
          actual: type,
        });
      }
    }
  }
}

async function closeAll(opening: Promise<readonly CFileReader[]>): Promise<void> {
  const readers = await opening.catch(() => []);
  await Promise.all(readers.map((reader) => reader.close()));
}

function isLocation(file: SourceInput): file is string | URL {
  return typeof file === "string" || file instanceof URL;
}

function locationOf(file: SourceInput): string {
  if (isLocation(file)) {
    return String(file);
  }
  throw new CFileError("E_UNSUPPORTED", "only files with a path or URL can be opened elsewhere", {
    field: "files",
  });
}
