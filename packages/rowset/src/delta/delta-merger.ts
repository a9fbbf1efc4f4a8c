/**
 * The effect of delta files on base data in a snapshot (docs/spec/deltafile.md#7-snapshot-semantics): which rows are deleted, and
 * which cells change. UNDO files are applied first, newest first, then REDO files, oldest first; of each file the entries that
 * apply at the timestamp, in file order.
 */
import { type CFileError, type CFileErrorDetails, corrupt, type MemoryArena } from "@cfile/bytes";
import {
  appliedTimestamps,
  checkCell,
  DELETE,
  isNeededForSnapshot,
  MutationCursor,
  mayTouchColumn,
  REINSERT,
} from "@cfile/deltafile";
import type { DeltaBatch } from "@cfile/deltafile/read";
import type { DeltaStatistics } from "@cfile/deltafile/write";
import { type ColumnBatch, DATA_TYPES, physicalWidth } from "@cfile/encodings";
import type { DeltaPart, RowSetParts } from "../read/row-set-parts.js";
import type { RowSetColumn } from "../schema/schema.js";
import { CellPatches } from "./cell-patches.js";
import { DeltaCursor } from "./delta-cursor.js";
import { patchColumn } from "./patch-column.js";

export interface MergeOptions {
  readonly asOf: bigint;
  /** Columns to patch; changes of other columns are ignored. */
  readonly columns: readonly RowSetColumn[];
  /** Rows that `advance` will reach, `to` exclusive. */
  readonly from: number;
  readonly to: number;
  readonly signal: AbortSignal | undefined;
}

interface MergedColumn {
  readonly column: RowSetColumn;
  readonly patches: CellPatches;
  /** Bytes per value where the length is the only check; else `undefined`. */
  readonly width: number | undefined;
}

/** Varints below this take one byte. */
const ONE_BYTE = 0x80;

export class DeltaMerger {
  /** Number of deleted rows in the range. */
  deadCount = 0;
  /** By position in the range, which may be shorter than the array: 1 for deleted rows. */
  dead = new Uint8Array(0);
  private readonly columnsById = new Map<number, MergedColumn>();
  /** The columns whose ID is one byte in change lists. */
  private readonly columnsByByte: (MergedColumn | undefined)[] = [];
  private readonly cursors: readonly DeltaCursor[];
  private readonly mutations = new MutationCursor();
  private from = 0;

  /** @param trustStatistics whether to skip files, and checks of timestamps, where statistics allow it */
  constructor(parts: readonly DeltaPart[], options: MergeOptions, trustStatistics: boolean) {
    const { asOf, columns, from, to, signal } = options;
    for (const column of columns) {
      const target = { column, patches: new CellPatches(), width: plainWidth(column) };
      this.columnsById.set(column.id, target);
      if (column.id < ONE_BYTE) {
        this.columnsByByte[column.id] = target;
      }
    }
    const needed = parts.filter(
      ({ kind, reader: { statistics } }) =>
        !trustStatistics || (isNeededForSnapshot(kind, statistics, asOf) && mayAffect(statistics, columns)),
    );
    this.cursors = needed.map((part) => {
      const { kind, reader } = part;
      const { minTimestamp, maxTimestamp } = reader.statistics;
      const allApply = kind === "undo" ? minTimestamp >= asOf : maxTimestamp < asOf;
      const timestamps = trustStatistics && allApply ? undefined : appliedTimestamps(kind, asOf);
      return new DeltaCursor(part, { rows: { from, to }, timestamps, trustStatistics, signal });
    });
  }

  /** Merges the changes of rows `from` to `to` (exclusive); ranges must ascend from call to call. */
  async advance(from: number, to: number): Promise<void> {
    const length = to - from;
    if (this.dead.length < length) {
      this.dead = new Uint8Array(length);
    } else if (this.deadCount > 0) {
      this.dead.fill(0);
    }
    this.deadCount = 0;
    this.from = from;
    for (const { patches } of this.columnsById.values()) {
      patches.reset(length);
    }
    for (const cursor of this.cursors) {
      await cursor.takeRanges(from, to, this.take);
    }
  }

  /**
   * Cells of a column with their changes applied.
   *
   * @param offset position of the first cell in the range
   * @param memory for changed batches; recycled first
   * @throws {CFileError} as `patchColumn`
   */
  patched(
    { id }: RowSetColumn,
    cells: ColumnBatch,
    offset: number,
    memory: MemoryArena | undefined,
  ): ColumnBatch {
    const patches = this.columnsById.get(id)?.patches;
    if (patches === undefined || patches.count === 0) {
      return cells;
    }
    memory?.recycle();
    return patchColumn(cells, patches, offset, memory);
  }

  async close(): Promise<void> {
    await Promise.all(this.cursors.map((cursor) => cursor.close()));
  }

  private readonly take = (batch: DeltaBatch, first: number, end: number): void => {
    const { columnsById, columnsByByte, dead, from } = this;
    const { data, offsets, rows, types } = batch;
    for (let index = first; index < end; index++) {
      const position = (rows[index] as number) - from;
      const type = types[index] as number;
      if (type === DELETE) {
        this.deadCount += 1 - (dead[position] as number);
        dead[position] = 1;
        continue;
      }
      if (type === REINSERT) {
        this.deadCount -= dead[position] as number;
        dead[position] = 0;
      }
      const start = offsets[index] as number;
      const stop = offsets[index + 1] as number;
      const id = data[start] as number;
      const size = data[start + 1] as number;
      if (id < ONE_BYTE && size > 1 && size < ONE_BYTE && start + 1 + size === stop) {
        // Fast path for most changes: one value of one column.
        const known = columnsByByte[id];
        if (known === undefined) {
          continue;
        }
        if (known.width === size - 1) {
          known.patches.put(position, data, start + 2, stop);
          continue;
        }
      }
      const mutations = this.mutations.reset(batch, index);
      while (mutations.next()) {
        const known = columnsById.get(mutations.columnId);
        if (known !== undefined) {
          checkMutation(known.column, mutations);
          known.patches.set(position, mutations);
        }
      }
    }
  };
}

function plainWidth({ type, isKey, array }: RowSetColumn): number | undefined {
  const { physical } = DATA_TYPES[type];
  return isKey || array || physical === "BOOL" || physical === "BINARY" ? undefined : physicalWidth(physical);
}

/** Whether a delta file may change these columns, or delete or reinsert rows. */
export function mayAffect(statistics: DeltaStatistics, columns: readonly RowSetColumn[]): boolean {
  const { deleteCount, reinsertCount } = statistics;
  return deleteCount > 0 || reinsertCount > 0 || columns.some(({ id }) => mayTouchColumn(statistics, id));
}

/** @throws {CFileError} `E_CORRUPT` for a change of a key column, and for a value that does not fit its column */
export function checkMutation(column: RowSetColumn, mutation: MutationCursor): void {
  if (column.isKey) {
    throw changedKey(column, { offset: mutation.start });
  }
  checkCell(column, mutation);
}

/** The error for an entry that changes a key column. */
export function changedKey({ id, name }: RowSetColumn, details: CFileErrorDetails): CFileError {
  return corrupt(`change of key column ${JSON.stringify(name)}`, { ...details, field: `column ${id}` });
}

/** The merger for rows of a row set. */
export async function mergeDeltas(parts: RowSetParts, options: MergeOptions): Promise<DeltaMerger> {
  return new DeltaMerger(await parts.deltasFor(options.asOf), options, parts.options.trustStatistics ?? true);
}
