/**
 * Assigns the columns that major delta compactions made to the row sets whose original columns are gone. Such a column has as many rows
 * as its row set and the type of the missing column, and comes with an UNDO file that names the column's ID.
 */
import { invalidArgument } from "@cfile/bytes";
import type { KuduColumn } from "../catalog/schema-message.js";
import { fits } from "./columns/align-columns.js";
import { type BlockOrder, sequenceOf } from "./columns/block-order.js";
import type { CompactedColumns } from "./deltas/run-deltas.js";
import type { LogEvidence } from "./logs/log-evidence.js";
import { chosenGroup, type RebuildChoices } from "./rebuild-choices.js";
import type { RowSetGroup, TablePlace } from "./row-set-group.js";
import { isDelta, type SurveyedBlock, type SurveyedDelta } from "./survey-blocks.js";

/** Columns that fit several row sets, or none. */
export interface UnmatchedColumns {
  readonly run: CompactedColumns;
  readonly candidates: readonly RowSetGroup[];
}

/** The files of a compaction by column ID, ascending. */
type FilesByColumn = ReadonlyMap<number, SurveyedBlock>;

/** A way to use the files. */
interface Match {
  readonly group: RowSetGroup;
  /** `undefined` if the columns of the row set are unknown. */
  readonly files: FilesByColumn | undefined;
}

/** Columns whose row set is not known yet. */
interface OpenColumns {
  readonly run: CompactedColumns;
  readonly matches: readonly Match[];
  /** Whether the log has the writes of their delta files, in the only row set that is left. */
  readonly isLogged: boolean;
}

/** Maximum number of choices: enough to show that there are several, with room for those that an UNDO file excludes. */
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
 * Assigns columns to groups until no remaining column has exactly one possible owner.
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
  const rowsOf = ({ last }: CompactedColumns): number => last.rows;
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

/** Assigns columns to the row set that the user chose. @returns whether the user chose one, or chose to leave them out */
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
  const possible = matchesOf(run, [first])
    .flatMap(({ files }) => files ?? [])
    .filter((files) =>
      [...files].every(([column, { id }]) => (blocks?.get(id)?.column ?? column) === column),
    );
  const [only, ...more] = possible;
  if (only === undefined || more.length > 0) {
    const columns = possible.map((files) => [...files.keys()].join(", "));
    const reason =
      only === undefined
        ? `is not a missing column of row set ${first.id}`
        : `fits several columns of row set ${first.id}: ${columns.join(" or ")}`;
    throw invalidArgument(`what is in blocks ${ids} ${reason}`, { field: "choices" });
  }
  give(run, first, only, order, EVIDENCE.chosen);
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
    if (found === undefined || match?.files === undefined) {
      return open.map(({ run, matches }) => ({ run, candidates: candidatesOf(run, matches, groups) }));
    }
    give(found.run, match.group, match.files, order, found.isLogged ? EVIDENCE.log : EVIDENCE.only);
    left = left.filter((run) => run !== found.run);
  }
}

/** Whether the files can only be these columns of one row set, and no other files can only be the same columns. */
function isOnlyMatch({ run, matches }: OpenColumns, open: readonly OpenColumns[]): boolean {
  const [match] = matches;
  if (match?.files === undefined || matches.length > 1) {
    return false;
  }
  const ids = [...match.files.keys()];
  const isSame = ({ group, files }: Match): boolean =>
    group === match.group && ids.some((id) => files?.has(id) === true);
  return !open.some(
    (other) => other.run !== run && other.matches.length === 1 && other.matches.every(isSame),
  );
}

/** If no row set fits, something about the row sets is wrong, and all that have such rows are in doubt. */
function candidatesOf(
  run: CompactedColumns,
  matches: readonly Match[],
  groups: readonly RowSetGroup[],
): readonly RowSetGroup[] {
  const [first] = run.columns;
  const possible = groups.filter(({ base }) => sequenceOf(first, base.start) !== "before");
  return matches.length > 0 ? [...new Set(matches.map(({ group }) => group))] : possible;
}

/** The row sets that existed when the files were made. */
function existing(
  { columns: [first] }: CompactedColumns,
  groups: readonly RowSetGroup[],
): readonly RowSetGroup[] {
  return groups.filter(({ base }) => sequenceOf(first, base.end) !== "before");
}

function matchesOf(run: CompactedColumns, groups: readonly RowSetGroup[]): readonly Match[] {
  return existing(run, groups).flatMap((group): Match[] => {
    if (group.places.length === 0) {
      return [{ group, files: undefined }];
    }
    const found = new Map<string, Match>();
    for (const place of group.places) {
      for (const files of choicesIn(run, group, place)) {
        found.set([...files.keys()].join(), { group, files });
      }
    }
    return [...found.values()];
  });
}

/** The columns that the files can be in a row set. */
function choicesIn(
  run: CompactedColumns,
  group: RowSetGroup,
  { table, alignment }: TablePlace,
): readonly FilesByColumn[] {
  // A compaction also makes files of columns that were added after the row set was written.
  const targets = table.schema.columns.filter(({ id, isKey }) => {
    const slot = alignment.indexOf(id);
    return !isKey && !group.columns.has(id) && (slot < 0 || group.base.slots[slot] === undefined);
  });
  const all = ascendingChoices(run.columns, targets);
  const [first] = run.deltas;
  const updated = first?.deltas.deleteCount === 0 ? [...first.deltas.updateCounts.keys()] : [];
  const named = all.filter((files) => updated.length === files.size && updated.every((id) => files.has(id)));
  return named.length > 0 ? named : all;
}

/** The ways to use files in this order as columns with ascending IDs. */
function ascendingChoices(
  files: readonly SurveyedBlock[],
  targets: readonly KuduColumn[],
): readonly FilesByColumn[] {
  const ends = lastTargets(files, targets);
  const search = (at: number, from: number): readonly FilesByColumn[] => {
    const [file, end] = [files[at], ends[at]];
    if (file === undefined || end === undefined) {
      return [new Map()];
    }
    const found: FilesByColumn[] = [];
    for (const [i, column] of targets.slice(from, end + 1).entries()) {
      if (found.length < ENOUGH && fits(file, column)) {
        found.push(...search(at + 1, from + i + 1).map((rest) => new Map([[column.id, file], ...rest])));
      }
    }
    return found;
  };
  return search(0, 0);
}

/** For each file, the last target that leaves some for the files after it; -1 without such a target. Later targets lead nowhere. */
function lastTargets(files: readonly SurveyedBlock[], targets: readonly KuduColumn[]): readonly number[] {
  let end = targets.length;
  return files
    .toReversed()
    .map((file) => {
      end = targets.slice(0, Math.max(0, end)).findLastIndex((column) => fits(file, column));
      return end;
    })
    .reverse();
}

function give(
  { deltas, last }: CompactedColumns,
  group: RowSetGroup,
  files: FilesByColumn,
  order: BlockOrder,
  evidence: string,
): void {
  for (const [id, block] of files) {
    group.addColumn(id, block, evidence);
    order.claim(block, group.id);
  }
  group.compactions.push(last.order);
  const next = [order.at(last.order + 1n), order.at(last.order + 2n)].flatMap((block) =>
    isDelta(block) && !deltas.includes(block)
      ? [{ block, kinds: ["undo", "redo"] as const, isOwn: false }]
      : [],
  );
  group.nearby = [...group.nearby, ...next];
  const [first, second] = deltas;
  const undo = first !== undefined && isUndoOf(first, files) ? first : undefined;
  const redo = undo === undefined ? first : second;
  if (undo !== undefined) {
    group.addUndo(undo, "made with compacted columns, which it names");
    order.claim(undo, group.id);
  }
  if (redo !== undefined && isRedoOf(redo, files)) {
    group.addRedo(redo, "made with compacted columns, and names others");
    order.claim(redo, group.id);
  }
}

/** An UNDO file of a compaction has only updates of the compacted columns. */
function isUndoOf({ deltas }: SurveyedDelta, files: FilesByColumn): boolean {
  return deltas.deleteCount === 0 && [...deltas.updateCounts.keys()].every((id) => files.has(id));
}

/** A REDO file of a compaction has the changes that it did not compact. */
function isRedoOf({ deltas }: SurveyedDelta, files: FilesByColumn): boolean {
  return ![...deltas.updateCounts.keys()].some((id) => files.has(id));
}
