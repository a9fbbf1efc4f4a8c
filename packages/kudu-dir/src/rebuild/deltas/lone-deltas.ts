/**
 * Assigns delta files that were flushed alone to row sets (docs/spec/deltafile.md#5-who-writes-which-change-types). A file can belong
 * to a row set if
 *
 * - its rows and columns exist there, and its values fit them;
 * - the file and its changes were made after the row set;
 * - no later compaction replaced it: a major delta compaction replaces all REDO files of its row set;
 * - its times do not overlap those of another REDO file there: each flush takes all changes since the last one;
 * - no row that it changes was deleted there before;
 * - the log of the tablet, if it still exists, has writes to these rows at these times, and names the same row set for all files.
 */
import { unlessDamaged } from "../../blocks/problems.js";
import { type BlockOrder, sequenceOf } from "../columns/block-order.js";
import type { LogEvidence } from "../logs/log-evidence.js";
import type { RowSetGroup } from "../row-set-group.js";
import type { SurveyedBlock, SurveyedDelta } from "../survey-blocks.js";
import { type DeltaMatch, type OpenDelta, openLone } from "./delta-fit.js";
import { isContested, narrowByTime } from "./redo-times.js";
import { isHistory } from "./row-history.js";

/** A delta file that fits several row sets or roles, or none; or a damaged block that may be one. */
export interface UnmatchedDelta {
  readonly block: SurveyedBlock;
  readonly candidates: readonly DeltaMatch[];
}

/** What is known in addition to delta files and row sets. */
export interface LoneDeltaContext {
  readonly evidence: LogEvidence;
  /** Whether files may belong to row sets that were not found: then only logs are proof. */
  readonly isPartial: boolean;
  /** Blocks that cannot be opened: each may be a delta file. */
  readonly damaged: readonly SurveyedBlock[];
}

/** Assigns delta files to groups until no remaining file has exactly one possible owner. */
export async function matchLoneDeltas(
  blocks: readonly SurveyedDelta[],
  groups: readonly RowSetGroup[],
  order: BlockOrder,
  context: LoneDeltaContext,
): Promise<readonly UnmatchedDelta[]> {
  const { evidence, isPartial } = context;
  const open: OpenDelta[] = [];
  const damaged = [...context.damaged];
  for (const block of blocks) {
    const delta = await unlessDamaged(() => openLone(block, groups));
    if (delta === undefined) {
      damaged.push(block);
      continue;
    }
    const { length } = delta.matches;
    delta.matches = await evidence.narrow([block], delta.matches);
    if (delta.matches.length < length) {
      delta.evidence = (await evidence.confirm([block], delta.matches))
        ? "the log has writes with these times and keys"
        : "only row set that it fits and no log excludes";
    }
    open.push(delta);
  }
  for (;;) {
    await narrowByTime(open);
    const found = await firstCertain(open, evidence, isPartial);
    if (found !== undefined) {
      const { delta, match } = found;
      assign(delta, match, order);
      open.splice(open.indexOf(delta), 1);
      if (match.kind === "redo") {
        await evidence.learn(delta.block, match.group);
      }
    } else if (!(await narrowByIds(open, evidence)) && !(await narrowByDeletes(open))) {
      return [
        ...open.map((delta) => ({ block: delta.block, candidates: candidatesOf(delta, groups) })),
        ...damaged.map((block) => ({ block, candidates: redoOf(block, 0, groups) })),
      ];
    }
  }
}

/** A file with only one possible role that no other file contests. */
async function firstCertain(
  open: readonly OpenDelta[],
  evidence: LogEvidence,
  isPartial: boolean,
): Promise<{ readonly delta: OpenDelta; readonly match: DeltaMatch } | undefined> {
  for (const delta of open) {
    const { block, matches } = delta;
    const [match] = matches;
    if (match === undefined || matches.length > 1 || (await isContested(delta, open))) {
      continue;
    }
    const { nearby, places } = match.group;
    const isOwn = nearby.some((one) => one.block === block && one.isOwn);
    // A row set without a table fits every file.
    const isOnly = !isPartial && places.length > 0;
    if (isOwn || isOnly || (await evidence.confirm([block], matches))) {
      return { delta, match };
    }
  }
  return undefined;
}

/**
 * If no row set fits, something about the row sets is wrong, and all that have such rows are in doubt. Row sets without a table fit
 * everything, so they do not exclude others.
 */
function candidatesOf(
  { block, lastRow, matches }: OpenDelta,
  groups: readonly RowSetGroup[],
): readonly DeltaMatch[] {
  return matches.some(({ group }) => group.places.length > 0)
    ? matches
    : [
        ...matches,
        ...redoOf(block, lastRow, groups).filter(({ group }) => !matches.some((one) => one.group === group)),
      ];
}

function redoOf(
  block: SurveyedBlock,
  lastRow: number,
  groups: readonly RowSetGroup[],
): readonly DeltaMatch[] {
  return groups
    .filter(({ base }) => sequenceOf(block, base.end) !== "before" && lastRow < base.rows)
    .map((group) => ({ group, kind: "redo" as const }));
}

/** Removes row sets in which rows were deleted before the file changes them. Returns whether any was removed. */
async function narrowByDeletes(open: readonly OpenDelta[]): Promise<boolean> {
  let isNarrower = false;
  for (const delta of open) {
    const left: DeltaMatch[] = [];
    for (const match of delta.matches) {
      const earlier = match.group.redo.filter(
        ({ deltas }) => deltas.maxTimestamp <= delta.reader.statistics.minTimestamp,
      );
      if (match.kind === "undo" || (await isHistory([...earlier, delta.block]))) {
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

/** Removes row sets that have a different ID in the log. Returns whether any was removed. */
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

function assign({ block, evidence }: OpenDelta, { group, kind }: DeltaMatch, order: BlockOrder): void {
  if (kind === "undo") {
    group.addUndo(block, evidence);
  } else {
    group.addRedo(block, evidence);
  }
  order.claim(block, group.id);
}
