/**
 * Reads columns at the rows that conditions on another column select: ranges of rows, in ascending order. While ranges follow each
 * other, one scan reads many of them, so that a block with rows of several ranges is decoded once.
 */
import { corrupt } from "@cfile/bytes";
import { sliceTable, type TableBatch } from "@cfile/encodings/batches";

type Batches = AsyncGenerator<TableBatch, void, void>;

/** Rows between two ranges that are read in vain rather than skipped: they are probably in the same block. */
const SMALL_GAP = 1000;

export class RangeReader {
  private readonly scan: (rows: { readonly from: number; readonly to: number }) => Batches;
  /** No row from here on is needed. */
  private readonly end: number;
  private batches: Batches | undefined;
  private current: TableBatch | undefined;
  /** Rows of the current scan. Each scan has twice as many as the one before, and reads no more than these in vain. */
  private scannedRows = 0;
  /** The row after the last range. */
  private next = Number.NaN;

  /** @param scan starts a scan of all columns */
  constructor(scan: RangeReader["scan"], end: number) {
    this.scan = scan;
    this.end = end;
  }

  /**
   * Rows `from` to `to` (exclusive), after those of the last call, in batches.
   *
   * @throws {CFileError} as the scan; `E_CORRUPT` if it lacks a row
   */
  async *read(from: number, to: number): Batches {
    const isNear = from - this.next <= Math.max(to - from, SMALL_GAP);
    if (!isNear) {
      await this.close();
    }
    for (let row = from; row < to; ) {
      const batch = await this.batchWith(row, to);
      const start = row - batch.firstRow;
      const stop = Math.min(batch.length, to - batch.firstRow);
      yield sliceTable(batch, start, stop);
      row = batch.firstRow + stop;
    }
    this.next = to;
  }

  async close(): Promise<void> {
    const { batches } = this;
    this.batches = undefined;
    this.current = undefined;
    this.scannedRows = 0;
    await batches?.return();
  }

  private async batchWith(row: number, to: number): Promise<TableBatch> {
    while (this.current === undefined || this.current.firstRow + this.current.length <= row) {
      const next = await this.batches?.next();
      this.current = next?.value ?? (await this.restart(row, to));
    }
    return this.current;
  }

  /** Starts the next scan at a row, and returns its first batch. */
  private async restart(row: number, to: number): Promise<TableBatch> {
    this.scannedRows = Math.max(to - row, 2 * this.scannedRows);
    this.batches = this.scan({ from: row, to: Math.min(this.end, row + this.scannedRows) });
    const { value } = await this.batches.next();
    if (value === undefined) {
      throw corrupt("a column ends before others", { field: "rows", actual: row });
    }
    return value;
  }
}
