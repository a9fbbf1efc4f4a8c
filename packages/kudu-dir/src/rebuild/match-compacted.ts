/**
 * Gives the columns that major delta compactions made to the row sets whose original columns are gone. Such a column has as many rows
 * as its row set, the type of the missing column, and comes with an UNDO file that names the column's ID. Journals record when the
 * original was deleted, which is right after its replacement was made.
 */
import type { DeletedBlock } from "../blocks/log-container.js";
import type { KuduColumn } from "../catalog/schema-message.js";
import { fits } from "./align-columns.js";
import type { BlockOrder } from "./block-order.js";
import type { RowSetGroup, TablePlace } from "./row-set-group.js";
import type { CompactedColumns } from "./run-deltas.js";
import type { SurveyedBlock } from "./survey-blocks.js";

/** Blocks that are gone, by their order. */
export type DeletedBlocks = ReadonlyMap<bigint, DeletedBlock>;

/** Columns that fit several row sets, or none. */
export interface UnmatchedColumns {
  readonly run: CompactedColumns;
  readonly candidates: readonly RowSetGroup[];
}

/** A way to use the files: the column IDs that they get. */
interface Match {
  readonly group: RowSetGroup;
  /** `undefined` if the row set's own columns are not known. */
  readonly ids: readonly number[] | undefined;
}

/** A server deletes the blocks that a compaction replaced within this time. */
const DELETED_WITHIN = 60_000_000n;
/** As many choices as are needed to know that there are several, with room for those that an UNDO file excludes. */
const ENOUGH = 64;

/** Gives columns to groups until none of those left has only one possible owner. */
export function matchCompacted(
  runs: readonly CompactedColumns[],
  groups: readonly RowSetGroup[],
  order: BlockOrder,
  deletions: DeletedBlocks,
): readonly UnmatchedColumns[] {
  const rowsOf = ({ columns }: CompactedColumns): number => columns[0]?.rows ?? 0;
  return [...new Set(runs.map(rowsOf))].flatMap((rows) =>
    matchEqual(
      runs.filter((run) => rowsOf(run) === rows),
      groups.filter(({ base }) => base.rows === rows),
      order,
      deletions,
    ),
  );
}

/** Matches files and row sets with the same number of rows. */
function matchEqual(
  runs: readonly CompactedColumns[],
  groups: readonly RowSetGroup[],
  order: BlockOrder,
  deletions: DeletedBlocks,
): readonly UnmatchedColumns[] {
  let left = runs;
  for (;;) {
    const open = left.map((run) => ({ run, matches: matchesOf(run, groups) }));
    const found = open.find(({ run, matches }) => onlyMatch(run, matches, deletions) !== undefined);
    const match = found && onlyMatch(found.run, found.matches, deletions);
    if (found === undefined || match?.ids === undefined) {
      return open.map(({ run, matches }) => ({
        run,
        candidates: [...new Set(matches.map(({ group }) => group))],
      }));
    }
    const isOnly = found.matches.length === 1;
    give(found.run, match.group, match.ids, order, isOnly);
    left = left.filter((run) => run !== found.run);
  }
}

/** The only possible match, or the only one whose original columns were deleted right after the files were made. */
function onlyMatch(
  run: CompactedColumns,
  matches: readonly Match[],
  deletions: DeletedBlocks,
): Match | undefined {
  const timely = matches.filter((match) => isTimely(run, match, deletions));
  const [only, ...others] = matches.length === 1 ? matches : timely;
  return others.length === 0 && only?.ids !== undefined ? only : undefined;
}

function isTimely(
  { columns }: CompactedColumns,
  { group, ids = [] }: Match,
  deletions: DeletedBlocks,
): boolean {
  const created = columns.at(-1)?.createdAt;
  return (
    created !== undefined &&
    ids.length > 0 &&
    ids.every((id) =>
      group.ordersOf(id).some((at) => {
        const time = deletions.get(at)?.deletedAt;
        return time !== undefined && time >= created && time - created < DELETED_WITHIN;
      }),
    )
  );
}

function matchesOf(run: CompactedColumns, groups: readonly RowSetGroup[]): readonly Match[] {
  const [first] = run.columns;
  return groups
    .filter(({ base }) => first !== undefined && first.order > base.end)
    .flatMap((group): Match[] => {
      if (group.places.length === 0) {
        return [{ group, ids: undefined }];
      }
      const found = new Map<string, Match>();
      for (const place of group.places) {
        for (const ids of choicesIn(run, group, place)) {
          found.set(ids.join(), { group, ids });
        }
      }
      return [...found.values()];
    });
}

/** The column IDs that the files can have in a row set. */
function choicesIn(
  run: CompactedColumns,
  group: RowSetGroup,
  { table, alignment }: TablePlace,
): readonly (readonly number[])[] {
  // A compaction also makes files of columns that were added after the row set was written.
  const targets = table.schema.columns.filter(({ id, isKey }) => {
    const slot = alignment.indexOf(id);
    return !isKey && !group.columns.has(id) && (slot < 0 || group.base.slots[slot] === undefined);
  });
  const all = ascendingChoices(run, targets);
  const [first] = run.deltas;
  const updated = first?.deltas?.deleteCount === 0 ? [...first.deltas.updateCounts.keys()] : [];
  const named = all.filter((ids) => updated.length === ids.length && updated.every((id) => ids.includes(id)));
  return named.length > 0 ? named : all;
}

/** The IDs that the columns of a run can get, ascending. */
function ascendingChoices(
  { columns }: CompactedColumns,
  targets: readonly KuduColumn[],
): readonly (readonly number[])[] {
  const search = (column: number, target: number): (readonly number[])[] => {
    if (column === columns.length) {
      return [[]];
    }
    const found: (readonly number[])[] = [];
    for (let i = target; i <= targets.length - (columns.length - column) && found.length < ENOUGH; i++) {
      const next = targets[i];
      if (next !== undefined && fits(columns[column], next)) {
        found.push(...search(column + 1, i + 1).map((rest) => [next.id, ...rest]));
      }
    }
    return found;
  };
  return search(0, 0);
}

function give(
  { columns, deltas }: CompactedColumns,
  group: RowSetGroup,
  ids: readonly number[],
  order: BlockOrder,
  isOnly: boolean,
): void {
  const evidence = isOnly
    ? "only row set with this row count that lacks such a column"
    : "made right before the original column of this row set was deleted";
  columns.forEach((block, i) => {
    group.addColumn(ids[i] ?? -1, block, evidence);
    order.claim(block, group.id);
  });
  group.compactions.push(columns);
  const [first, second] = deltas;
  const undo = first !== undefined && isUndoOf(first, ids) ? first : undefined;
  const redo = undo === undefined ? first : second;
  if (undo !== undefined) {
    group.addUndo(undo, "made with compacted columns, which it names");
    order.claim(undo, group.id);
  }
  if (redo !== undefined && isRedoOf(redo, ids)) {
    group.addRedo(redo, "made with compacted columns, and names others");
    order.claim(redo, group.id);
  }
  const made = columns.at(-1)?.order ?? -1n;
  group.compactedUntil = made > group.compactedUntil ? made : group.compactedUntil;
}

/** An UNDO file of a compaction has only updates of the compacted columns. */
function isUndoOf({ deltas }: SurveyedBlock, ids: readonly number[]): boolean {
  return deltas?.deleteCount === 0 && [...deltas.updateCounts.keys()].every((id) => ids.includes(id));
}

/** A REDO file of a compaction has what it did not compact. */
function isRedoOf({ deltas }: SurveyedBlock, ids: readonly number[]): boolean {
  return deltas !== undefined && ![...deltas.updateCounts.keys()].some((id) => ids.includes(id));
}
