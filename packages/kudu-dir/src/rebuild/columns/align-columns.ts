/**
 * Finds the column of a table that each file of a row set holds. Kudu writes columns in schema order, which is the order of their IDs: new
 * columns get the next ID and come last. A row set has the columns that existed when it was written:
 *
 * | column | in the row set |
 * | --- | --- |
 * | current, with an ID below that of the next column at that time | yes |
 * | current, added later | no |
 * | dropped since | yes; its ID is missing in the current schema |
 */
import type { KuduColumn, KuduSchema } from "../../catalog/schema-message.js";
import type { SurveyedBlock } from "../survey-blocks.js";
import type { KnownTable } from "../tables/known-tables.js";

/** For each slot, the ID of its column; `undefined` for a column that was dropped. */
export type ColumnAlignment = readonly (number | undefined)[];

/** The files to align. */
export interface AlignableFiles {
  readonly slots: readonly (SurveyedBlock | undefined)[];
  readonly keyColumns: readonly SurveyedBlock[];
  /** Whether some of the slots may belong to other row sets. */
  readonly isMixed: boolean;
}

/** Maximum number of dropped columns after the last current one, if the ID of the next column is unknown. */
const MAX_DROPPED = 1024;
const MAX_STEPS = 100_000;
const MAX_ALIGNMENTS = 32;

/** The ways to align files with the columns of a table. */
export interface ColumnAlignments {
  readonly found: readonly ColumnAlignment[];
  /** Whether these are all: the search did not end early. */
  readonly isComplete: boolean;
}

/** Searches for all ways to align the files with the columns of a table. */
export function alignColumns(
  { slots, keyColumns, isMixed }: AlignableFiles,
  table: KnownTable,
): ColumnAlignments {
  const { columns } = table.schema;
  const keys = columns.filter(({ isKey }) => isKey);
  if (keys.length !== keyColumns.length || !keys.every((key, i) => fits(keyColumns[i], key))) {
    return { found: [], isComplete: true };
  }
  const found = new Map<string, ColumnAlignment>();
  let steps = 0;
  /** @param column the next current column; `last`: the ID of the one before; `dropped`: columns dropped between the two */
  const search = (
    slot: number,
    column: number,
    last: number,
    dropped: number,
    ids: ColumnAlignment,
  ): void => {
    if (++steps > MAX_STEPS || found.size > MAX_ALIGNMENTS) {
      return;
    }
    if (slot === slots.length) {
      if (column === columns.length || (column >= keys.length && mayLackColumns(table))) {
        found.set(ids.map((id) => id ?? "dropped").join(), ids);
      }
      return;
    }
    const next = columns[column];
    if (next !== undefined && fits(slots[slot], next)) {
      search(slot + 1, column + 1, next.id, 0, [...ids, next.id]);
    }
    const isKey = column < keys.length || slot < keys.length;
    if (!isKey && dropped < droppedBetween(last, next, table)) {
      search(slot + 1, column, last, dropped + 1, [...ids, undefined]);
    }
    if (isMixed && !isKey) {
      search(slot + 1, column, last, dropped, [...ids, undefined]);
    }
  };
  search(0, 0, -1, 0, []);
  const isComplete = steps <= MAX_STEPS && found.size <= MAX_ALIGNMENTS;
  return { found: [...found.values()], isComplete };
}

/** Whether a file can hold a column. A damaged file can hold any. */
export function fits(file: SurveyedBlock | undefined, column: KuduColumn): boolean {
  return (
    file === undefined ||
    file.kind === "damaged" ||
    (file.type === column.type && file.nullable === column.nullable && file.array === column.array)
  );
}

/** Whether the schema of the table has changed, as far as is known. */
function isAltered({ origin, message }: KnownTable): boolean {
  return (origin === "catalog" || origin === "log") && message.version > 0;
}

function mayLackColumns(table: KnownTable): boolean {
  return isAltered(table) || table.origin === "given";
}

/** Whether an ID may belong to a dropped column. */
export function mayBeDropped(table: KnownTable, id: number): boolean {
  const { schema, nextColumnId = Number.POSITIVE_INFINITY } = table;
  return isAltered(table) && id < nextColumnId && schema.columns.every((column) => column.id !== id);
}

/** The number of columns that may have been dropped after the column with the ID `last`, and before the next one. */
function droppedBetween(last: number, next: KuduColumn | undefined, table: KnownTable): number {
  const end = next?.id ?? table.nextColumnId ?? last + 1 + MAX_DROPPED;
  return isAltered(table) ? end - last - 1 : 0;
}

/** The IDs of dropped columns by slot, where they are certain because as many columns were dropped as IDs are missing. */
export function droppedIds(
  alignment: ColumnAlignment,
  { columns }: KuduSchema,
): readonly (number | undefined)[] {
  /** The ID before a run of slots without an ID, and the first of these slots. */
  let before = -1;
  let start = 0;
  return alignment.map((id, slot) => {
    if (id !== undefined) {
      before = id;
      start = slot + 1;
      return undefined;
    }
    let end = slot;
    while (end < alignment.length && alignment[end] === undefined) {
      end++;
    }
    const next = columns.find((column) => column.id > before)?.id;
    return next !== undefined && next - before - 1 === end - start ? before + 1 + slot - start : undefined;
  });
}
