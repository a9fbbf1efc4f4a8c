/**
 * Base data of one column, range after range. A column that is read whole is scanned, which reads ahead; one of which only some
 * rows are wanted is read block by block, so that blocks without such rows are never touched.
 */
import { CFileError, type MemoryArena, withErrorContext } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import {
  type BatchRange,
  batchFromValues,
  concatBatches,
  sliceRows,
  takeRows,
} from "@cfile/encodings/batches";
import type { CFileReader, DataBlock } from "@cfile/format";
import type { RowSetColumn } from "../schema/schema.js";
import type { RowSetParts } from "./row-set-parts.js";

export interface BaseColumnOptions {
  /** Rows that will be asked for, at most. */
  readonly from: number;
  readonly to: number;
  /** Whether all of them will be. */
  readonly isWhole: boolean;
  /** With it, what is given out is valid only until the next is asked for. */
  readonly arena?: MemoryArena | undefined;
  readonly signal: AbortSignal | undefined;
}

export interface BaseColumn {
  /** Rows `from` to `to`, none of them before those of the call before; at least one. */
  read(from: number, to: number): Promise<ColumnBatch>;
  /** Where the block ends that row `from` is in; `undefined` when that is not known without reading on. */
  blockEnd(from: number): Promise<number | undefined>;
  close(): Promise<void>;
}

/** @throws CFileError as `RowSetParts.column`; `E_CORRUPT` for a column without data that must not be null and has no default */
export async function openBaseColumn(
  parts: RowSetParts,
  column: RowSetColumn,
  options: BaseColumnOptions,
): Promise<BaseColumn> {
  if (!parts.hasColumn(column)) {
    return new ConstantColumn(missingCell(column));
  }
  const file = await parts.column(column);
  return options.isWhole ? scanColumn(file, options) : new SparseColumn(file, options);
}

/** The rows of a file that are read whole. */
export function scanColumn(file: CFileReader, options: BaseColumnOptions): BaseColumn {
  return new ScannedColumn(file, options);
}

/** What rows have in a column that came after them: its default, or a null. */
export function missingCell(column: RowSetColumn): ColumnBatch {
  if (column.readDefault === undefined && !column.nullable) {
    throw new CFileError(
      "E_CORRUPT",
      `the row set has no data of column ${JSON.stringify(column.name)}, which has no default and is not nullable`,
      { field: `column ${column.id}` },
    );
  }
  return batchFromValues(column, [column.readDefault ?? null]);
}

class ConstantColumn implements BaseColumn {
  private readonly cell: ColumnBatch;
  private cells: ColumnBatch;

  constructor(cell: ColumnBatch) {
    this.cell = cell;
    this.cells = cell;
  }

  async read(from: number, to: number): Promise<ColumnBatch> {
    if (this.cells.length < to - from) {
      this.cells = takeRows(this.cell, new Uint32Array(to - from));
    }
    return sliceRows(this.cells, 0, to - from);
  }

  async blockEnd(): Promise<undefined> {}

  async close(): Promise<void> {}
}

class ScannedColumn implements BaseColumn {
  private readonly batches: AsyncGenerator<ColumnBatch, void, void>;
  private readonly isReused: boolean;
  private batch: ColumnBatch | undefined;

  constructor(file: CFileReader, { from, to, arena, signal }: BaseColumnOptions) {
    this.batches = file.scan({
      rows: { from, to },
      batchRows: Number.POSITIVE_INFINITY,
      arena,
      signal,
    });
    this.isReused = arena !== undefined;
  }

  async read(from: number, to: number): Promise<ColumnBatch> {
    const pieces: ColumnBatch[] = [];
    for (let row = from; row < to; ) {
      const batch = await this.batchWith(row);
      const end = Math.min(to, batch.firstRow + batch.length);
      const piece = sliceRows(batch, row - batch.firstRow, end - batch.firstRow);
      // What follows from the next block would take the memory of this one.
      pieces.push(this.isReused && end < to ? concatBatches([whole(piece)]) : piece);
      row = end;
    }
    return joined(pieces);
  }

  async blockEnd(from: number): Promise<number> {
    const { firstRow, length } = await this.batchWith(from);
    return firstRow + length;
  }

  async close(): Promise<void> {
    await this.batches.return();
  }

  private async batchWith(row: number): Promise<ColumnBatch> {
    let { batch } = this;
    while (batch === undefined || batch.firstRow + batch.length <= row) {
      const next = await this.batches.next();
      if (next.done === true) {
        throw new CFileError("E_INVALID_ARGUMENT", `row ${row} is not in the rows of the scan`, {
          field: "row",
        });
      }
      batch = next.value;
    }
    this.batch = batch;
    return batch;
  }
}

class SparseColumn implements BaseColumn {
  private readonly file: CFileReader;
  private readonly signal: AbortSignal | undefined;
  private block: DataBlock | undefined;

  constructor(file: CFileReader, { signal }: BaseColumnOptions) {
    this.file = file;
    this.signal = signal;
  }

  async read(from: number, to: number): Promise<ColumnBatch> {
    const { path } = this.file;
    const pieces: ColumnBatch[] = [];
    for (let row = from; row < to; ) {
      const block = await this.blockWith(row);
      const { firstRow, rows } = block;
      const end = Math.min(to, firstRow + rows);
      const start = row;
      pieces.push(withErrorContext({ path }, () => block.decode(start - firstRow, end - firstRow)));
      row = end;
    }
    return joined(pieces);
  }

  async blockEnd(): Promise<undefined> {}

  async close(): Promise<void> {}

  private async blockWith(row: number): Promise<DataBlock> {
    let { block } = this;
    if (block === undefined || row < block.firstRow || row >= block.firstRow + block.rows) {
      this.signal?.throwIfAborted();
      block = await this.file.dataBlockOf(row, { signal: this.signal });
      this.block = block;
    }
    return block;
  }
}

function whole(batch: ColumnBatch): BatchRange {
  return { batch, from: 0, to: batch.length };
}

/** @param pieces at least one */
function joined(pieces: readonly ColumnBatch[]): ColumnBatch {
  const [first, ...rest] = pieces.map(whole);
  if (first === undefined) {
    throw new CFileError("E_INVALID_ARGUMENT", "no rows to read", { field: "rows" });
  }
  return rest.length === 0 ? first.batch : concatBatches([first, ...rest]);
}
