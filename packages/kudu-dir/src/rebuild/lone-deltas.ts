/**
 * Gives delta files that were flushed alone to row sets (docs/spec/deltafile.md#5-who-writes-which-change-types). A file can belong
 * to a row set if
 *
 * - its rows and columns exist there, and its values fit them;
 * - it was made after the row set, and its changes were;
 * - no later compaction replaced it: a major delta compaction replaces all REDO files of its row set;
 * - its times do not overlap those of another REDO file there: each flush takes all changes since the last one;
 * - no row that it changes was deleted there before;
 * - it shares the timestamps of its writes with that tablet and no other, if it shares any;
 * - the log of the tablet, if it is left, has writes to these rows at these times, and names the same row set for all files.
 */
import { DELETE } from "@cfile/deltafile";
import { type DeltaFileReader, openDeltaFile } from "@cfile/deltafile/read";
import { unlessDamaged } from "../blocks/problems.js";
import type { BlockOrder } from "./block-order.js";
import { type DeltaMatch, type OpenDelta, openLone } from "./delta-fit.js";
import type { LogEvidence } from "./log-evidence.js";
import type { DeletedBlocks, UnmatchedColumns } from "./match-compacted.js";
import { isContested, narrowByTime } from "./redo-times.js";
import type { RowSetGroup } from "./row-set-group.js";
import { FLUSH_MICROSECONDS, isSameCommit } from "./run-deltas.js";
import type { SurveyedBlock } from "./survey-blocks.js";
import { narrowTablets, type PossibleTablets } from "./write-times.js";

/** A delta file that fits several row sets, or none. */
export interface UnmatchedDelta {
  readonly block: SurveyedBlock;
  readonly candidates: readonly DeltaMatch[];
}

/** What is known in addition to delta files and row sets. */
export interface LoneDeltaContext {
  readonly deleted: DeletedBlocks;
  readonly evidence: LogEvidence;
  /** Columns of compactions whose row sets are unknown. */
  readonly unmatched: readonly UnmatchedColumns[];
}

/** A server deletes the blocks that a compaction replaced within this time, in microseconds. */
const DELETED_WITHIN = 10_000_000n;

/** Gives delta files to groups until none of those left has only one owner that is possible. */
export async function matchLoneDeltas(
  blocks: readonly SurveyedBlock[],
  groups: readonly RowSetGroup[],
  order: BlockOrder,
  { deleted, evidence, unmatched }: LoneDeltaContext,
): Promise<readonly UnmatchedDelta[]> {
  const open: OpenDelta[] = [];
  const damaged: SurveyedBlock[] = [];
  for (const block of blocks) {
    const delta = await unlessDamaged(() => openLone(block, groups, deleted));
    if (delta === undefined) {
      damaged.push(block);
      continue;
    }
    const { length } = delta.matches;
    delta.matches = await evidence.narrow([block], delta.matches);
    if (delta.matches.length < length) {
      delta.evidence = "the log has writes with these times and keys";
    }
    open.push(delta);
  }
  await narrowByTablet(open, groups);
  narrowByCompaction(open, groups, deleted, unmatched);
  for (;;) {
    narrowByTime(open);
    const found = open.find((delta) => delta.matches.length === 1 && !isContested(delta, open));
    if (found !== undefined) {
      assign(found, order);
      open.splice(open.indexOf(found), 1);
      await learn(found, evidence);
    } else if (!(await narrowByIds(open, evidence)) && !(await narrowByDeletes(open))) {
      return [
        ...open.map((delta) => ({ block: delta.block, candidates: candidatesOf(delta, groups) })),
        ...damaged.map((block) => ({ block, candidates: redoOf(block, 0, groups) })),
      ];
    }
  }
}

/** Something about the row sets is not as it seems if none fits: all that have such rows are in doubt. */
function candidatesOf(
  { block, lastRow, matches }: OpenDelta,
  groups: readonly RowSetGroup[],
): readonly DeltaMatch[] {
  return matches.length > 0 ? matches : redoOf(block, lastRow, groups);
}

function redoOf(
  { order }: SurveyedBlock,
  lastRow: number,
  groups: readonly RowSetGroup[],
): readonly DeltaMatch[] {
  return groups
    .filter(({ base }) => order > base.end && lastRow < base.rows)
    .map((group) => ({ group, kind: "redo" as const }));
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
    await unlessDamaged(async () => {
      for await (const batch of (await openDeltaFile(source, { cacheBytes: 0 })).entries()) {
        batch.types.forEach((type, i) => {
          if (type === DELETE) {
            deleted.add(batch.rows[i] ?? -1);
          }
        });
      }
    });
  }
  for await (const { rows } of reader.entries()) {
    if (rows.some((row) => deleted.has(row))) {
      return true;
    }
  }
  return false;
}

/** Removes row sets that have another ID in the log. Returns whether any was removed. */
async function narrowByIds(open: readonly OpenDelta[], evidence: LogEvidence): Promise<boolean> {
  let isNarrower = false;
  for (const delta of open) {
    const left: DeltaMatch[] = [];
    for (const match of delta.matches) {
      if (match.kind === "undo" || !(await evidence.isOfOther(delta.block, match.group))) {
        left.push(match);
      }
    }
    if (left.length > 0 && left.length < delta.matches.length) {
      delta.matches = left;
      delta.evidence = "the log names the same row set as for other files";
      isNarrower = true;
    }
  }
  return isNarrower;
}

async function learn({ block, matches: [match] }: OpenDelta, evidence: LogEvidence): Promise<void> {
  if (match?.kind === "redo") {
    await evidence.learn(block, match.group);
  }
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
