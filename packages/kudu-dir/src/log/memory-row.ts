/**
 * The row set that has the rows of a MemRowSet, in two forms (docs/spec/diskrowset.md#6-rolling-flush-compaction):
 *
 * | form | base data | UNDO | REDO |
 * | --- | --- | --- | --- |
 * | in memory, as scans and diffs of a running server see them | the first values | the insertion | all changes |
 * | flushed | the last values | everything that leads back to the insertion | the deletion, if the row is deleted |
 *
 * Both have the same rows at any time. In a diff, the cells of a deleted row can differ.
 *
 * A row that one operation inserts and deletes is never visible, and is not flushed. Two row sets must not have deletions of one key
 * with the same timestamp: Kudu's compaction cannot order them, and aborts.
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

/** A row of a row set. */
interface StoredRow {
  readonly cells: ReadonlyMap<number, Uint8Array | null>;
  /** Newest first. */
  readonly undo: readonly Change[];
  /** Oldest first. */
  readonly redo: readonly Change[];
}

/**
 * Converts a row of a MemRowSet to one of a row set; `undefined` if the row set leaves it out.
 *
 * @param defaults cells of the schema's columns in rows that are older than the column; other columns are left out
 */
export type StoredForm = (
  row: MemoryRow,
  defaults: ReadonlyMap<number, Uint8Array | null>,
) => StoredRow | undefined;

const NOTHING = /* @__PURE__ */ new Uint8Array(0);

export const inMemory: StoredForm = (row, defaults) => ({
  cells: firstCells(row, defaults),
  undo: [insertion(row)],
  redo: row.changes,
});

export const flushed: StoredForm = (row, defaults) => {
  const last = row.changes.at(-1);
  if (last?.type === DELETE && last.timestamp === row.insertedAt) {
    return undefined;
  }
  const cells = firstCells(row, defaults);
  const undo: Change[] = [insertion(row)];
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
  return { cells, undo: undo.reverse(), redo: deletion === undefined ? [] : [deletion] };
};

function firstCells({ cells }: MemoryRow, defaults: ReadonlyMap<number, Uint8Array | null>): Cells {
  return new Map(
    [...defaults].map(([id, older]) => {
      const cell = cells.get(id);
      return [id, cell === undefined ? older : cell];
    }),
  );
}

function insertion({ insertedAt }: MemoryRow): Change {
  return { timestamp: insertedAt, type: DELETE, mutations: NOTHING };
}

/** Sets the cells, and returns mutations that restore the previous values. */
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
