/** A dataset: one column, or several with the same rows, split over many files and read as one. */
import { CFileError, invalidArgument, type Progress } from "@cfile/bytes";
import type { CellOptions, CellValue } from "@cfile/encodings";
import type { TableBatch } from "@cfile/encodings/batches";
import type { BlockReadOptions, OpenCFileOptions, Range } from "@cfile/format";
import type { SourceInput } from "@cfile/io";
import { type DatasetFiles, type DatasetInput, datasetFiles } from "./dataset-parts.js";
import { isLocation, OpenParts } from "./open-parts.js";
import { type PartScanOptions, planScan, scanPart } from "./scan-part.js";
import { type DatasetSlice, type SlicesOptions, slicesOfPart, targetOf } from "./slices.js";

/** Selects the rows and columns of a dataset to scan. */
export interface DatasetScanOptions extends PartScanOptions {
  /** Rows `from` (inclusive) to `to` (exclusive) of the dataset. Default: all. */
  readonly rows?: Range<number> | undefined;
  /** Called after each batch and each part with the number of rows scanned so far. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Number of parts opened at the same time. */
const PARALLEL_OPENS = 8;

/**
 * Opens a dataset. The input is a list in row order, of files of one column or of objects with one file per column. It can also be a
 * directory, whose `.cfile` files form one column in numeric order of their names, or the path or URL of a manifest (`….json`). Every
 * file is opened once for its row count, unless a manifest states it.
 *
 * @throws {CFileError} as `openCFile`; `E_INVALID_ARGUMENT` for parts with different columns; `E_CORRUPT`, `E_UNSUPPORTED` for an
 *   invalid manifest
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

/** Many files read as one column, or as the columns of one table. Files are opened when first needed. */
export class Dataset {
  /** Names of the columns. */
  readonly columns: readonly string[];
  readonly partCount: number;
  private readonly files: DatasetFiles;
  private readonly openParts: OpenParts;
  /** First row of each part, and the total row count at the end. */
  private readonly starts: number[] = [0];

  /** @internal Datasets are opened by {@link openDataset}. */
  constructor(files: DatasetFiles, options: OpenCFileOptions) {
    this.files = files;
    this.columns = files.columns;
    this.partCount = files.parts.length;
    this.openParts = new OpenParts(files.parts, options);
  }

  get rowCount(): number {
    return this.starts.at(-1) ?? 0;
  }

  /**
   * One row, as one cell per column.
   *
   * @throws {CFileError} `E_NOT_FOUND` for a row outside the dataset; as `CFileReader.get`
   */
  async get(row: number, options: CellOptions & BlockReadOptions = {}): Promise<CellValue[]> {
    const { rowCount } = this;
    if (!(Number.isInteger(row) && row >= 0 && row < rowCount)) {
      throw new CFileError("E_NOT_FOUND", `no row ${row} in a dataset of ${rowCount} rows`, { field: "row" });
    }
    const part = this.partOf(row);
    const position = row - this.startOf(part);
    return this.openParts.with(part, (readers) =>
      Promise.all(readers.map((reader) => reader.get(position, options))),
    );
  }

  /**
   * Yields rows in order: all, or those selected by `rows` and `where`. Breaking out of the loop stops reading.
   *
   * @throws {CFileError} as `CFileReader.scan`; `E_INVALID_ARGUMENT` for unknown columns and invalid `rows` or `limit`
   */
  async *scan(options: DatasetScanOptions = {}): AsyncGenerator<TableBatch, void, void> {
    const { rows, limit = Number.POSITIVE_INFINITY, onProgress, ...partOptions } = options;
    planScan(this.columns, options);
    const from = rows?.from ?? 0;
    const to = Math.min(this.rowCount, rows?.to ?? this.rowCount);
    if (!(from >= 0 && to >= 0)) {
      throw invalidArgument(`invalid rows: ${from} to ${to} (must be numbers >= 0)`, { field: "rows" });
    }
    const total = Math.max(0, to - from);
    let left = limit;
    for (let part = 0; part < this.partCount && this.startOf(part) < to && left > 0; part++) {
      const start = this.startOf(part);
      const end = this.startOf(part + 1);
      if (end <= from || end === start) {
        continue;
      }
      const { readers, release } = await this.openParts.use(part);
      try {
        const open = { readers, columns: this.columns, firstRow: start };
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
        release();
      }
    }
  }

  /**
   * Independent slices that together contain all rows, in row order; `scanSlice` reads one anywhere. Indexes are read only of parts
   * larger than a slice.
   *
   * @throws {CFileError} `E_INVALID_ARGUMENT` for an invalid `targetBytes`; `E_UNSUPPORTED` for files without path or URL
   */
  async slices(options: SlicesOptions = {}): Promise<DatasetSlice[]> {
    targetOf(options);
    const slices: DatasetSlice[] = [];
    for (const [part, { files }] of this.files.parts.entries()) {
      const common = { files: files.map(locationOf), columns: this.columns, firstRow: this.startOf(part) };
      slices.push(...(await this.openParts.with(part, (readers) => slicesOfPart(readers, common, options))));
    }
    return slices;
  }

  /** Closes all open files. */
  close(): Promise<void> {
    return this.openParts.close();
  }

  /** Calls {@link close} at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @internal Determines the row count of each part. */
  async countRows(): Promise<void> {
    const { parts } = this.files;
    const countOf = (part: number): Promise<number> =>
      this.openParts.with(part, async ([reader]) => reader?.rowCount ?? 0);
    for (let first = 0; first < parts.length; first += PARALLEL_OPENS) {
      const group = parts.slice(first, first + PARALLEL_OPENS);
      for (const count of await Promise.all(group.map(({ rows }, i) => rows ?? countOf(first + i)))) {
        this.starts.push(this.rowCount + count);
      }
    }
  }

  private startOf(part: number): number {
    return this.starts[part] ?? this.rowCount;
  }

  /** The part that contains a row of the dataset. */
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
}

function locationOf(file: SourceInput): string {
  if (isLocation(file)) {
    return String(file);
  }
  throw new CFileError("E_UNSUPPORTED", "slices require files with a path or URL", { field: "files" });
}
