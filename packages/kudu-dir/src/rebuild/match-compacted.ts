/**
 * Gives the columns that major delta compactions made to the row sets whose original columns are gone. Such a column has as many rows
 * as its row set, the type of the missing column, and comes with an UNDO file that names the column's ID.
 */
import { invalidArgument } from "@cfile/bytes";
import type { KuduColumn } from "../catalog/schema-message.js";
import { fits } from "./columns/align-columns.js";
import { type BlockOrder, sequenceOf } from "./columns/block-order.js";
import type { CompactedColumns } from "./deltas/run-deltas.js";
import type { LogEvidence } from "./logs/log-evidence.js";
import { chosenGroup, type RebuildChoices } from "./rebuild-choices.js";
import type { RowSetGroup, TablePlace } from "./row-set-group.js";
import type { SurveyedBlock } from "./survey-blocks.js";

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

/** Columns whose row set is searched. */
interface OpenColumns {
  readonly run: CompactedColumns;
  readonly matches: readonly Match[];
  /** Whether the log has the writes of their delta files, in the only row set that is left. */
  readonly isLogged: boolean;
}

/** As many choices as are needed to know that there are several, with room for those that an UNDO file excludes. */
const ENOUGH = 64;

/** What is known in addition to the blocks. */
export interface MatchContext {
  readonly evidence: LogEvidence;
  /** Whether files may belong to row sets that were not found: then only logs are proof. */
  readonly isPartial: boolean;
  readonly choices: RebuildChoices;
}

/** How the owner of files was found. */
const EVIDENCE = {
  chosen: "chosen",
  log: "the log has writes with these times and keys",
  only: "only row set with this row count that lacks such a column",
} as const;

/**
 * Gives columns to groups until none of those left has only one possible owner.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for a choice that does not fit
 */
export async function matchCompacted(
  runs: readonly CompactedColumns[],
  groups: readonly RowSetGroup[],
  order: BlockOrder,
  context: MatchContext,
): Promise<readonly UnmatchedColumns[]> {
  const undecided = runs.filter((run) => !giveChosen(run, groups, order, context.choices));
  const rowsOf = ({ columns }: CompactedColumns): number => columns[0]?.rows ?? 0;
  const unmatched: UnmatchedColumns[] = [];
  for (const rows of new Set(undecided.map(rowsOf))) {
    const equal = groups.filter(({ base }) => base.rows === rows);
    const left = undecided.filter((run) => rowsOf(run) === rows);
    // Files of unclear row sets look like those of compactions.
    const isPartial = context.isPartial || equal.some(({ isUnclear }) => isUnclear);
    unmatched.push(...(await matchEqual(left, equal, order, { ...context, isPartial })));
  }
  return unmatched;
}

/** Gives columns to the row set that the user chose. @returns whether there is one, or none by choice */
function giveChosen(
  run: CompactedColumns,
  groups: readonly RowSetGroup[],
  order: BlockOrder,
  choices: RebuildChoices,
): boolean {
  const { blocks } = choices;
  const chosen = [...run.columns, ...run.deltas].filter(({ id }) => blocks?.has(id) === true);
  const [first, ...others] = chosen.map((block) => chosenGroup(block, groups, choices));
  if (chosen.length === 0) {
    return false;
  }
  const ids = run.columns.map(({ id }) => id).join(", ");
  if (others.some((other) => other !== first)) {
    throw invalidArgument(
      `a compaction made the columns in blocks ${ids} together: choose one row set for all`,
      {
        field: "choices",
      },
    );
  }
  if (first === undefined) {
    for (const block of [...run.columns, ...run.deltas]) {
      order.claim(block, -1n);
    }
    return true;
  }
  const matches = matchesOf(run, [first]).filter(({ ids: columns = [] }) =>
    run.columns.every(({ id }, i) => (blocks?.get(id)?.column ?? columns[i]) === columns[i]),
  );
  const [only, ...more] = matches;
  if (only?.ids === undefined || more.length > 0) {
    const reason =
      more.length > 0
        ? `fits several columns of row set ${first.id}: ${matches.map(({ ids: columns = [] }) => columns.join(", ")).join(" or ")}`
        : `is not a missing column of row set ${first.id}`;
    throw invalidArgument(`what is in blocks ${ids} ${reason}`, { field: "choices" });
  }
  give(run, first, only.ids, order, EVIDENCE.chosen);
  return true;
}

/** Matches files and row sets with the same number of rows. */
async function matchEqual(
  runs: readonly CompactedColumns[],
  groups: readonly RowSetGroup[],
  order: BlockOrder,
  { evidence, isPartial }: MatchContext,
): Promise<readonly UnmatchedColumns[]> {
  let left = runs;
  for (;;) {
    const open: OpenColumns[] = [];
    for (const run of left) {
      const matches = await evidence.narrow(run.deltas, matchesOf(run, groups));
      const isLogged = matches.length === 1 && (await evidence.confirm(run.deltas, matches));
      open.push({ run, matches, isLogged });
    }
    const found = open.find((one) => (one.isLogged || !isPartial) && isOnlyMatch(one, open));
    const [match] = found?.matches ?? [];
    if (found === undefined || match?.ids === undefined) {
      return open.map(({ run, matches }) => ({ run, candidates: candidatesOf(run, matches, groups) }));
    }
    give(found.run, match.group, match.ids, order, found.isLogged ? EVIDENCE.log : EVIDENCE.only);
    left = left.filter((run) => run !== found.run);
  }
}

/** Whether the files can only be these columns of one row set, and no others can only be them. */
function isOnlyMatch({ run, matches }: OpenColumns, open: readonly OpenColumns[]): boolean {
  const [match] = matches;
  const isSame = (other: Match | undefined): boolean =>
    other?.group === match?.group && match?.ids?.some((id) => other?.ids?.includes(id) === true) === true;
  return (
    matches.length === 1 &&
    match?.ids !== undefined &&
    !open.some((other) => other.run !== run && other.matches.length === 1 && isSame(other.matches[0]))
  );
}

/** Something about the row sets is not as it seems if none fits: all that have such rows are in doubt. */
function candidatesOf(
  run: CompactedColumns,
  matches: readonly Match[],
  groups: readonly RowSetGroup[],
): readonly RowSetGroup[] {
  const [first] = run.columns;
  const possible = groups.filter(
    ({ base }) => first !== undefined && sequenceOf(first, base.start) !== "before",
  );
  return matches.length > 0 ? [...new Set(matches.map(({ group }) => group))] : possible;
}

/** The row sets that existed when the files were made. */
function existing(
  { columns: [first] }: CompactedColumns,
  groups: readonly RowSetGroup[],
): readonly RowSetGroup[] {
  return groups.filter(({ base }) => first !== undefined && sequenceOf(first, base.end) !== "before");
}

function matchesOf(run: CompactedColumns, groups: readonly RowSetGroup[]): readonly Match[] {
  return existing(run, groups).flatMap((group): Match[] => {
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
  evidence: string,
): void {
  columns.forEach((block, i) => {
    group.addColumn(ids[i] ?? -1, block, evidence);
    order.claim(block, group.id);
  });
  group.compactions.push(columns);
  const last = columns.at(-1)?.order ?? -1n;
  const next = [order.at(last + 1n), order.at(last + 2n)].flatMap((block) =>
    block?.kind === "delta" && !deltas.includes(block)
      ? [{ block, kinds: ["undo", "redo"] as const, isOwn: false }]
      : [],
  );
  group.nearby = [...group.nearby, ...next];
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
}

/** An UNDO file of a compaction has only updates of the compacted columns. */
function isUndoOf({ deltas }: SurveyedBlock, ids: readonly number[]): boolean {
  return deltas?.deleteCount === 0 && [...deltas.updateCounts.keys()].every((id) => ids.includes(id));
}

/** A REDO file of a compaction has what it did not compact. */
function isRedoOf({ deltas }: SurveyedBlock, ids: readonly number[]): boolean {
  return deltas !== undefined && ![...deltas.updateCounts.keys()].some((id) => ids.includes(id));
}
