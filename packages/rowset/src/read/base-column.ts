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
  /** Whether all of them will be read. */
  readonly isWhole: boolean;
  /** If given, a batch is valid only until the next read. */
  readonly arena?: MemoryArena | undefined;
  readonly signal: AbortSignal | undefined;
}

export interface BaseColumn {
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
export function scanColumn(file: CFileReader, { from, to, arena, signal }: BaseColumnOptions): BaseColumn {
  const batches = file.scan({ rows: { from, to }, batchRows: Number.POSITIVE_INFINITY, arena, signal });
  let current: ColumnBatch | undefined;
  const batchWith = async (row: number): Promise<ColumnBatch> => {
    while (current === undefined || current.firstRow + current.length <= row) {
      const next = await batches.next();
      if (next.done === true) {
        throw invalidArgument(`row ${row} is outside the scanned rows`, { field: "row" });
      }
      current = next.value;
    }
    return current;
  };
  return {
    read: async (first, end) => {
      const pieces: ColumnBatch[] = [];
      for (let row = first; row < end; ) {
        const batch = await batchWith(row);
        const stop = Math.min(end, batch.firstRow + batch.length);
        const piece = sliceRows(batch, row - batch.firstRow, stop - batch.firstRow);
        // The next block reuses the memory of this one.
        pieces.push(arena !== undefined && stop < end ? concatBatches([whole(piece)]) : piece);
        row = stop;
      }
      return joinBatches(pieces);
    },
    blockEnd: async (row) => {
      const { firstRow, length } = await batchWith(row);
      return firstRow + length;
    },
    close: async () => {
      await batches.return();
    },
  };
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
