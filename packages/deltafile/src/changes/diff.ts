/**
 * What changed between two snapshots S < E (docs/spec/deltafile.md#71-diff-between-two-snapshots): the entries of REDO and UNDO
 * files with timestamps from S (inclusive) to E (exclusive). A row is reported when it has any, unless it was dead at both
 * ends.
 */

import type { DeltaStatistics } from "../stats/delta-statistics.js";
import { type ChangeType, DELETE, REINSERT } from "./change-type.js";
import type { DeltaKind } from "./delta-kind.js";
import { mayHoldTimestamps } from "./snapshot.js";

/** An entry with the kind of its file. */
export interface DiffEntry {
  readonly kind: DeltaKind;
  readonly type: ChangeType;
  readonly timestamp: bigint;
  /** Place among the file's entries. */
  readonly ordinal: number;
}

/** Whether a file is needed for what changed from `from` (inclusive) to `to` (exclusive). */
export function isNeededForDiff(statistics: DeltaStatistics, from: bigint, to: bigint): boolean {
  return mayHoldTimestamps(statistics, { from, to });
}

/** The order in which the changes of one row happened; a sort callback. */
export function compareDiffEntries(left: DiffEntry, right: DiffEntry): number {
  if (left.timestamp !== right.timestamp) {
    return left.timestamp < right.timestamp ? -1 : 1;
  }
  if (left.kind !== right.kind) {
    return left.kind === "undo" ? -1 : 1;
  }
  return left.kind === "undo" ? right.ordinal - left.ordinal : left.ordinal - right.ordinal;
}

/**
 * Whether a row is reported.
 *
 * @param oldest the first of the row's selected entries, in the order of {@link compareDiffEntries}
 * @param newest the last of them; the same object when there is but one
 */
export function isReportedInDiff(oldest: DiffEntry, newest: DiffEntry): boolean {
  return oldest === newest || !(bringsToLife(oldest) && ends(newest));
}

/** Whether the row was dead before the change. */
function bringsToLife({ kind, type }: DiffEntry): boolean {
  return type === (kind === "redo" ? REINSERT : DELETE);
}

/** Whether the row was dead after the change. */
function ends({ kind, type }: DiffEntry): boolean {
  return type === (kind === "redo" ? DELETE : REINSERT);
}
