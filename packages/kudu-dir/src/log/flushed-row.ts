/**
 * A row of a MemRowSet as the server flushes it (docs/spec/diskrowset.md#6-rolling-flush-compaction): its last values, the UNDO
 * entries that lead back to its first insertion, and a REDO entry only if it is deleted.
 */
import { type ChangeType, DELETE, MutationBuilder, MutationCursor, REINSERT, UPDATE } from "@cfile/deltafile";

/** Stored values by column ID; `null` for NULL. */
export type Cells = Map<number, Uint8Array | null>;

/** A delta entry of one row. */
export interface Change {
  readonly timestamp: bigint;
  readonly type: ChangeType;
  readonly mutations: Uint8Array;
}

/** A row since its first insertion. */
export interface MemoryRow {
  readonly insertedAt: bigint;
  readonly cells: Cells;
  /** In the order of their timestamps. */
  readonly changes: readonly Change[];
}

interface FlushedRow {
  /** The values of the row when it was last alive. */
  readonly cells: ReadonlyMap<number, Uint8Array | null>;
  /** Newest first. */
  readonly undo: readonly Change[];
  /** The deletion; `undefined` if the row is alive. */
  readonly deletion: Change | undefined;
}

const NOTHING = /* @__PURE__ */ new Uint8Array(0);

/** @param defaults cells of the schema's columns for rows that are older than the column; other columns are left out */
export function flushedRow(row: MemoryRow, defaults: ReadonlyMap<number, Uint8Array | null>): FlushedRow {
  const cells = new Map([...defaults].map(([id, older]) => [id, cellOf(row, id, older)]));
  const undo: Change[] = [{ timestamp: row.insertedAt, type: DELETE, mutations: NOTHING }];
  let deletion: Change | undefined;
  for (const change of row.changes) {
    const { timestamp, type, mutations } = change;
    if (type === DELETE) {
      deletion = change;
      continue;
    }
    const before = applied(mutations, cells);
    if (type === REINSERT && deletion !== undefined) {
      undo.push({ timestamp: deletion.timestamp, type: REINSERT, mutations: before });
      undo.push({ timestamp, type: DELETE, mutations: NOTHING });
      deletion = undefined;
    } else if (before.length > 0) {
      undo.push({ timestamp, type: UPDATE, mutations: before });
    }
  }
  return { cells, undo: undo.reverse(), deletion };
}

function cellOf({ cells }: MemoryRow, id: number, older: Uint8Array | null): Uint8Array | null {
  const cell = cells.get(id);
  return cell === undefined ? older : cell;
}

/** Sets the cells, and returns mutations that restore the values before. */
function applied(mutations: Uint8Array, cells: Cells): Uint8Array {
  const before = new MutationBuilder();
  const cursor = new MutationCursor().resetTo(mutations, 0, mutations.length);
  while (cursor.next()) {
    const { columnId, isNull, data, start, end } = cursor;
    const old = cells.get(columnId);
    if (old !== undefined) {
      before.set(columnId, old);
      cells.set(columnId, isNull ? null : data.subarray(start, end));
    }
  }
  return before.finish();
}
