/**
 * Gives delta files that were flushed alone to row sets (docs/spec/deltafile.md#5-who-writes-which-change-types). A file can belong
 * to a row set if
 *
 * - its rows and columns exist there, and its values fit them;
 * - it was made after the row set, and its changes were;
 * - no later compaction replaced it: a major delta compaction replaces all REDO files of its row set;
 * - its times do not overlap those of another REDO file there: each flush takes all changes since the last one;
 * - no row that it changes was deleted there before;
 * - it shares the timestamps of its writes with that tablet and no other, if it shares any.
 */
import { DELETE } from "@cfile/deltafile";
import { type DeltaFileReader, openDeltaFile } from "@cfile/deltafile/read";
import { mayBeDropped } from "./align-columns.js";
import type { BlockOrder } from "./block-order.js";
import type { DeletedBlocks, UnmatchedColumns } from "./match-compacted.js";
import type { RowSetGroup } from "./row-set-group.js";
import { FLUSH_MICROSECONDS, isSameCommit } from "./run-deltas.js";
import type { SurveyedBlock } from "./survey-blocks.js";
import { narrowTablets, type PossibleTablets } from "./write-times.js";

type Kind = "undo" | "redo";

/** A role that a file can have. */
interface DeltaMatch {
  readonly group: RowSetGroup;
  readonly kind: Kind;
}

/** A delta file that fits several row sets, or none. */
export interface UnmatchedDelta {
  readonly block: SurveyedBlock;
  readonly candidates: readonly DeltaMatch[];
}

interface OpenDelta {
  readonly block: SurveyedBlock;
  readonly reader: DeltaFileReader;
  readonly lastRow: number;
  readonly fitsAs: ReadonlySet<Kind>;
  matches: readonly DeltaMatch[];
  evidence: string;
}

/** Hybrid timestamps are microseconds with 12 more bits; smaller ones are counters. */
const FIRST_HYBRID = 1n << 56n;
/** A server deletes the blocks that a compaction replaced within this time, in microseconds. */
const DELETED_WITHIN = 10_000_000n;
const REPLACED_WITHIN = 10_000_000n;
const UNUSED_WITHIN = 10_000n;
/** By how much the clocks of several servers may differ. */
const CLOCK_SLACK = 1_000_000n << 12n;
/** Replicas apply writes within this time, in microseconds. */
const APPLIED_WITHIN = 2_000_000n;

/** Gives delta files to groups until none of those left has only one owner that is possible. */
export async function matchLoneDeltas(
  blocks: readonly SurveyedBlock[],
  groups: readonly RowSetGroup[],
  order: BlockOrder,
  {
    deleted,
    unmatched,
  }: { readonly deleted: DeletedBlocks; readonly unmatched: readonly UnmatchedColumns[] },
): Promise<readonly UnmatchedDelta[]> {
  const open: OpenDelta[] = [];
  for (const block of blocks) {
    open.push(await openLone(block, groups, deleted));
  }
  await narrowByTablet(open, groups);
  narrowByCompaction(open, groups, deleted, unmatched);
  for (;;) {
    narrowByTime(open);
    const found = open.find((delta) => delta.matches.length === 1 && !isContested(delta, open));
    if (found !== undefined) {
      assign(found, order);
      open.splice(open.indexOf(found), 1);
    } else if (!(await narrowByDeletes(open))) {
      return open.map(({ block, lastRow, matches }) => ({
        block,
        candidates:
          matches.length > 0
            ? matches
            : groups
                // Something about the row sets is not as it seems: all that have such rows are in doubt.
                .filter(({ base }) => block.order > base.end && lastRow < base.rows)
                .map((group) => ({ group, kind: "redo" as const })),
      }));
    }
  }
}

/** Files that share timestamps belong to one tablet. This also separates the tablets of row sets. */
async function narrowByTablet(open: readonly OpenDelta[], groups: readonly RowSetGroup[]): Promise<void> {
  const tabletsOf = (group: RowSetGroup): ReadonlySet<string> =>
    new Set(group.places.flatMap(({ tablet }) => tablet?.id ?? []));
  const known = groups
    .filter(({ places }) => places.length > 0 && places.every(({ tablet }) => tablet !== undefined))
    .map((group) => ({ group, files: [...group.undo, ...group.redo], tablets: tabletsOf(group) }));
  const certain = known.filter(({ tablets }) => tablets.size === 1);
  const doubtful = known.filter(({ tablets }) => tablets.size > 1);
  const lone: readonly PossibleTablets[] = open.map(({ block, matches }) => {
    const hasUnknown = matches.some(({ group }) => tabletsOf(group).size === 0);
    const tablets = new Set(matches.flatMap(({ group }) => [...tabletsOf(group)]));
    return { files: [block], tablets: hasUnknown ? new Set<string>() : tablets };
  });
  if (open.length + doubtful.length === 0) {
    return;
  }
  const left = await narrowTablets(certain, [...doubtful, ...lone]);
  doubtful.forEach(({ group }, i) => {
    group.places = group.places.filter(({ tablet }) => left[i]?.has(tablet?.id ?? "") === true);
  });
  open.forEach((delta, i) => {
    const tablets = left[doubtful.length + i] ?? new Set();
    if (tablets.size > 0) {
      const before = delta.matches.length;
      delta.matches = delta.matches.filter(({ group }) =>
        group.places.some(({ tablet }) => tablets.has(tablet?.id ?? "")),
      );
      if (delta.matches.length < before) {
        delta.evidence = "only row set that it fits of the tablet with its timestamps";
      }
    }
  });
}

/**
 * A server deletes REDO files soon after it has compacted them into another: the only file that fits and was made shortly before. The
 * deletes in the first REDO file are kept.
 *
 * @param unmatched columns of compactions whose row sets are unknown
 */
function narrowByCompaction(
  open: readonly OpenDelta[],
  groups: readonly RowSetGroup[],
  deleted: DeletedBlocks,
  unmatched: readonly UnmatchedColumns[],
): void {
  for (const group of groups) {
    const isUnclear = unmatched.some(({ candidates }) => candidates.includes(group));
    for (const deletedAt of isUnclear ? [] : compactedAt(group, deleted)) {
      const fitting = open.filter(
        ({ block, matches }) =>
          isRightBefore(block.createdAt, deletedAt) && matches.some((match) => match.group === group),
      );
      const [only, ...others] = fitting;
      const match = only?.matches.find((one) => one.group === group && one.kind === "redo");
      const hasDeletes = (only?.block.deltas?.deleteCount ?? 0) > 0;
      if (only !== undefined && others.length === 0 && match !== undefined && hasDeletes) {
        only.matches = [match];
        only.evidence = "made right before an earlier REDO file of this row set was deleted";
      }
    }
  }
}

/** When REDO files that were made together with base files were deleted. */
function compactedAt({ base, compactions }: RowSetGroup, deleted: DeletedBlocks): readonly bigint[] {
  const flushed = deleted.get(base.end + 2n);
  const times =
    flushed !== undefined && isSameCommit(flushed, [base.key], FLUSH_MICROSECONDS) ? [flushed] : [];
  for (const columns of compactions) {
    const last = columns.at(-1)?.order ?? 0n;
    for (const at of [last + 1n, last + 2n]) {
      const block = deleted.get(at);
      if (block !== undefined && isSameCommit(block, columns)) {
        times.push(block);
      }
    }
  }
  return times.map(({ deletedAt }) => deletedAt);
}

function isRightBefore(createdAt: bigint | undefined, deletedAt: bigint): boolean {
  return createdAt !== undefined && createdAt <= deletedAt && deletedAt - createdAt < DELETED_WITHIN;
}

async function openLone(
  block: SurveyedBlock,
  groups: readonly RowSetGroup[],
  deleted: DeletedBlocks,
): Promise<OpenDelta> {
  const reader = await openDeltaFile(block.source, { cacheBytes: 0 });
  let lastRow = 0;
  for await (const { rows, length } of reader.entries()) {
    lastRow = rows[length - 1] ?? lastRow;
  }
  const fitsAs = new Set<Kind>();
  for (const kind of ["redo", "undo"] as const) {
    if ((await reader.verify({ kind })).ok) {
      fitsAs.add(kind);
    }
  }
  const delta: OpenDelta = {
    block,
    reader,
    lastRow,
    fitsAs,
    matches: [],
    evidence: "only row set that it fits",
  };
  const schemas = new Map<string, boolean>();
  for (const group of groups) {
    const kind = kindIn(delta, group, deleted);
    const isFit = kind !== undefined && (await fitsColumns(delta, group, kind, schemas));
    if (isFit && (kind === "redo" || mayBeOldUndo(block, group, deleted))) {
      delta.matches = [...delta.matches, { group, kind }];
    }
  }
  return delta;
}

/** Whether a REDO file was made with the base files and is gone. A block that was never used is deleted when it is made. */
function mayHaveFirstRedo({ base, compactions }: RowSetGroup, deleted: DeletedBlocks): boolean {
  const first = deleted.get(base.end + 2n);
  const isUnused = first !== undefined && first.deletedAt - first.createdAt < UNUSED_WITHIN;
  return compactions.length > 0 || !isUnused;
}

/** The role that the file can have in a row set, as far as statistics show. */
function kindIn(
  { block, lastRow, fitsAs }: OpenDelta,
  group: RowSetGroup,
  deleted: DeletedBlocks,
): Kind | undefined {
  const { base, compactedUntil } = group;
  const { minTimestamp = 0n, maxTimestamp = 0n, deleteCount = 0 } = block.deltas ?? {};
  if (block.order <= base.end || lastRow >= base.rows) {
    return undefined;
  }
  if (block.order < compactedUntil) {
    // Only the UNDO file of an earlier compaction, whose columns were compacted again, can still be there.
    return fitsAs.has("undo") && deleteCount === 0 ? "undo" : undefined;
  }
  const slack = minTimestamp >= FIRST_HYBRID ? CLOCK_SLACK : 0n;
  // A compacted file has the deletes of the first REDO file, which are as old as the base data.
  const first = mayHaveFirstRedo(group, deleted) ? maxTimestamp : minTimestamp;
  return fitsAs.has("redo") && first + slack >= group.flushedUntil ? "redo" : undefined;
}

/** Whether the file may be of a compaction that replaced the original columns, whose own columns were replaced later. */
function mayBeOldUndo(
  { createdAt, deltas }: SurveyedBlock,
  group: RowSetGroup,
  deleted: DeletedBlocks,
): boolean {
  return [...(deltas?.updateCounts.keys() ?? [])].every((id) => {
    const originals = group.ordersOf(id).flatMap((at) => deleted.get(at) ?? []);
    return (
      originals.length === 0 ||
      createdAt === undefined ||
      originals.some(({ deletedAt }) => deletedAt - createdAt < REPLACED_WITHIN)
    );
  });
}

async function fitsColumns(
  { block, reader }: OpenDelta,
  group: RowSetGroup,
  kind: Kind,
  known: Map<string, boolean>,
): Promise<boolean> {
  for (const { table, alignment } of group.places) {
    const { columns } = table.schema;
    const updated = [...(block.deltas?.updateCounts.keys() ?? [])];
    const isForeign = updated.some((id) => {
      const column = columns.find((one) => one.id === id);
      const isLost = kind === "undo" && alignment.includes(id) && !group.columns.has(id);
      return column === undefined ? !mayBeDropped(table, id) : column.isKey || isLost;
    });
    const key = `${kind} ${table.id}`;
    const fits = known.get(key) ?? (await reader.verify({ kind, columns })).ok;
    known.set(key, fits);
    if (fits && !isForeign) {
      return true;
    }
  }
  return false;
}

/** Removes matches that files already given to a row set exclude. */
function narrowByTime(open: readonly OpenDelta[]): void {
  for (const delta of open) {
    delta.matches = delta.matches.filter(
      ({ group, kind }) => kind === "undo" || !group.redo.some((redo) => excludes(redo, delta.block)),
    );
  }
}

/** Whether two REDO files cannot be of one row set. */
function excludes(one: SurveyedBlock, other: SurveyedBlock): boolean {
  return overlap(one, other) || sharesOldTime(one, other);
}

/** An earlier flush would have included writes that were long applied. */
function sharesOldTime(one: SurveyedBlock, other: SurveyedBlock): boolean {
  const [first, second] = one.order < other.order ? [one, other] : [other, one];
  const shared = first.deltas?.maxTimestamp;
  if (shared === undefined || shared < FIRST_HYBRID || shared !== second.deltas?.minTimestamp) {
    return false;
  }
  return first.createdAt !== undefined && first.createdAt - (shared >> 12n) > APPLIED_WITHIN;
}

/** Whether the times of two REDO files have more than one point in common. */
function overlap({ deltas: one }: SurveyedBlock, { deltas: other }: SurveyedBlock): boolean {
  if (one === undefined || other === undefined) {
    return false;
  }
  const from = one.minTimestamp > other.minTimestamp ? one.minTimestamp : other.minTimestamp;
  const to = one.maxTimestamp < other.maxTimestamp ? one.maxTimestamp : other.maxTimestamp;
  return from < to;
}

/** Whether another file can only belong to the same row set, and their times exclude each other. */
function isContested({ block, matches: [match] }: OpenDelta, open: readonly OpenDelta[]): boolean {
  return open.some(
    (other) =>
      other.block !== block &&
      other.matches.length === 1 &&
      other.matches[0]?.group === match?.group &&
      other.matches[0]?.kind === "redo" &&
      match?.kind === "redo" &&
      excludes(block, other.block),
  );
}

/** Removes row sets in which rows were deleted that the file changes later. Returns whether any was removed. */
async function narrowByDeletes(open: readonly OpenDelta[]): Promise<boolean> {
  let isNarrower = false;
  for (const delta of open) {
    const left: DeltaMatch[] = [];
    for (const match of delta.matches) {
      if (!(await changesDeletedRow(delta.reader, match))) {
        left.push(match);
      }
    }
    if (left.length > 0 && left.length < delta.matches.length) {
      delta.matches = left;
      isNarrower = true;
    }
  }
  return isNarrower;
}

async function changesDeletedRow(reader: DeltaFileReader, { group, kind }: DeltaMatch): Promise<boolean> {
  const earlier = group.redo.filter(
    ({ deltas }) =>
      (deltas?.deleteCount ?? 0) > 0 && (deltas?.maxTimestamp ?? 0n) <= reader.statistics.minTimestamp,
  );
  if (kind === "undo" || earlier.length === 0) {
    return false;
  }
  const deleted = new Set<number>();
  for (const { source } of earlier) {
    for await (const batch of (await openDeltaFile(source, { cacheBytes: 0 })).entries()) {
      batch.types.forEach((type, i) => {
        if (type === DELETE) {
          deleted.add(batch.rows[i] ?? -1);
        }
      });
    }
  }
  for await (const { rows } of reader.entries()) {
    if (rows.some((row) => deleted.has(row))) {
      return true;
    }
  }
  return false;
}

function assign({ block, matches, evidence }: OpenDelta, order: BlockOrder): void {
  const [match] = matches;
  if (match === undefined) {
    return;
  }
  if (match.kind === "undo") {
    match.group.addUndo(block, evidence);
  } else {
    match.group.addRedo(block, evidence);
  }
  order.claim(block, match.group.id);
}
