/**
 * Reads base data of one column, range by range. A column that is read as a whole is scanned with read-ahead. If only some rows are
 * needed, only their blocks are read.
 */
import { corrupt, invalidArgument, type MemoryArena, withErrorContext } from "@cfile/bytes";
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
  /** The range of rows that may be read, `to` exclusive. */
  readonly from: number;
  readonly to: number;
  /** Whether all rows of the range will be read. */
  readonly isWhole: boolean;
  /** If given, a batch is valid only until the next read. */
  readonly arena?: MemoryArena | undefined;
  /** As for a scan; default `false`. */
  readonly cacheBlocks?: boolean | undefined;
  readonly signal: AbortSignal | undefined;
}

export interface BaseColumn {
  /** The block read last, for callers that need no other block: awaiting `read` costs more than most slices. */
  readonly current?: ColumnBatch | undefined;
  /** Rows `from` to `to` (exclusive), at least one; ranges must ascend from call to call. */
  read(from: number, to: number): Promise<ColumnBatch>;
  /** End of the block that contains row `from`; `undefined` when that is not known without reading. */
  blockEnd(from: number): Promise<number | undefined>;
  close(): Promise<void>;
}

/** @throws {CFileError} as `RowSetParts.column`; `E_CORRUPT` for a missing column without default that is not nullable */
export async function openBaseColumn(
  parts: RowSetParts,
  column: RowSetColumn,
  options: BaseColumnOptions,
): Promise<BaseColumn> {
  if (!parts.hasColumn(column)) {
    return constantColumn(missingCell(column));
  }
  const file = await parts.column(column);
  return options.isWhole ? scanColumn(file, options) : sparseColumn(file, options);
}

/** The cell of rows written before the column was added, as a batch of one row: its default, or null. */
export function missingCell(column: RowSetColumn): ColumnBatch {
  const { id, name, nullable, readDefault } = column;
  if (readDefault === undefined && !nullable) {
    const reason = `no data of column ${JSON.stringify(name)}, which has no default and is not nullable`;
    throw corrupt(reason, { field: `column ${id}` });
  }
  return batchFromValues(column, [readDefault ?? null]);
}

function constantColumn(cell: ColumnBatch): BaseColumn {
  let cells = cell;
  return {
    read: async (from, to) => {
      if (cells.length < to - from) {
        cells = takeRows(cell, new Uint32Array(to - from));
      }
      return sliceRows(cells, 0, to - from);
    },
    blockEnd: async () => undefined,
    close: async () => undefined,
  };
}

/** A file that is read as a whole. */
export function scanColumn(file: CFileReader, options: BaseColumnOptions): BaseColumn {
  return new ScannedColumn(file, options);
}

class ScannedColumn implements BaseColumn {
  current: ColumnBatch | undefined;
  private readonly batches: AsyncGenerator<ColumnBatch, void, void>;
  /** Whether the next block reuses the memory of the current one. */
  private readonly isReused: boolean;

  constructor(file: CFileReader, { from, to, arena, cacheBlocks, signal }: BaseColumnOptions) {
    const rows = { from, to };
    this.batches = file.scan({ rows, batchRows: Number.POSITIVE_INFINITY, arena, cacheBlocks, signal });
    this.isReused = arena !== undefined;
  }

  async read(from: number, to: number): Promise<ColumnBatch> {
    const pieces: ColumnBatch[] = [];
    for (let row = from; row < to; ) {
      const batch = await this.batchWith(row);
      const stop = Math.min(to, batch.firstRow + batch.length);
      const piece = sliceRows(batch, row - batch.firstRow, stop - batch.firstRow);
      pieces.push(this.isReused && stop < to ? concatBatches([whole(piece)]) : piece);
      row = stop;
    }
    return joinBatches(pieces);
  }

  async blockEnd(row: number): Promise<number> {
    const { firstRow, length } = await this.batchWith(row);
    return firstRow + length;
  }

  async close(): Promise<void> {
    await this.batches.return();
  }

  private async batchWith(row: number): Promise<ColumnBatch> {
    while (this.current === undefined || this.current.firstRow + this.current.length <= row) {
      const next = await this.batches.next();
      if (next.done === true) {
        throw invalidArgument(`row ${row} is outside the scanned rows`, { field: "row" });
      }
      this.current = next.value;
    }
    return this.current;
  }
}

/** Where the current block of a column ends; `undefined` unless it contains the row. */
export function currentEnd({ current }: BaseColumn, row: number): number | undefined {
  const end = current === undefined ? row : current.firstRow + current.length;
  return row < end ? end : undefined;
}

/** A file whose blocks are read when needed. */
function sparseColumn(file: CFileReader, { signal }: BaseColumnOptions): BaseColumn {
  let current: DataBlock | undefined;
  const blockWith = async (row: number): Promise<DataBlock> => {
    if (current === undefined || row < current.firstRow || row >= current.firstRow + current.rows) {
      signal?.throwIfAborted();
      current = await file.dataBlockOf(row, { signal });
    }
    return current;
  };
  return {
    read: async (from, to) => {
      const pieces: ColumnBatch[] = [];
      for (let row = from; row < to; ) {
        const block = await blockWith(row);
        const { firstRow, rows } = block;
        const start = row;
        const end = Math.min(to, firstRow + rows);
        pieces.push(
          withErrorContext({ path: file.path }, () => block.decode(start - firstRow, end - firstRow)),
        );
        row = end;
      }
      return joinBatches(pieces);
    },
    blockEnd: async () => undefined,
    close: async () => undefined,
  };
}

function whole(batch: ColumnBatch): BatchRange {
  return { batch, from: 0, to: batch.length };
}

/** All rows of the batches as one; a single batch is not copied. @throws {CFileError} `E_INVALID_ARGUMENT` without batches */
export function joinBatches(batches: readonly ColumnBatch[]): ColumnBatch {
  const [first] = batches;
  return first !== undefined && batches.length === 1 ? first : concatBatches(batches.map(whole));
}
