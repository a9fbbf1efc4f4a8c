/**
 * The diff between two snapshots S < E (docs/spec/deltafile.md#71-diff-between-two-snapshots): the entries of REDO and UNDO
 * files with timestamps from S (inclusive) to E (exclusive). A row with such entries is reported unless it did not exist in
 * both snapshots.
 */
import type { DeltaStatistics } from "../stats/delta-statistics.js";
import { type ChangeType, DELETE, REINSERT } from "./change-type.js";
import type { DeltaKind } from "./delta-kind.js";
import { mayHoldTimestamps } from "./snapshot.js";

/** An entry and the kind of its file. */
export interface DiffEntry {
  readonly kind: DeltaKind;
  readonly type: ChangeType;
  readonly timestamp: bigint;
  /** Number of the entry in the file. */
  readonly ordinal: number;
}

/** Whether a diff from `from` (inclusive) to `to` (exclusive) requires a file with these statistics. */
export function isNeededForDiff(statistics: DeltaStatistics, from: bigint, to: bigint): boolean {
  return mayHoldTimestamps(statistics, { from, to });
}

/** The order in which the changes of a row happened, as a sort callback. */
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
 * @param oldest the first of the row's entries, in the order of {@link compareDiffEntries}
 * @param newest the last of them; the same object if there is only one
 */
export function isReportedInDiff(oldest: DiffEntry, newest: DiffEntry): boolean {
  return oldest === newest || !(inserts(oldest) && deletes(newest));
}

/** Whether the row did not exist before the change. */
function inserts({ kind, type }: DiffEntry): boolean {
  return type === (kind === "redo" ? REINSERT : DELETE);
}

/** Whether the row did not exist after the change. */
function deletes({ kind, type }: DiffEntry): boolean {
  return type === (kind === "redo" ? DELETE : REINSERT);
}
