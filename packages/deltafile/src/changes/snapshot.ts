/**
 * The snapshot at T (docs/spec/deltafile.md#7-snapshot-semantics): the base data, then the applicable entries of UNDO files,
 * newest first, then those of REDO files, oldest first.
 *
 * | file | entry applies if | file is required if |
 * | --- | --- | --- |
 * | UNDO | its timestamp ≥ T | `max_timestamp` ≥ T |
 * | REDO | its timestamp < T | `min_timestamp` < T |
 *
 * A snapshot at T does not contain changes at T itself; the snapshot at `LATEST_TIMESTAMP` is the latest state.
 *
 * The diff between two snapshots S < E (docs/spec/deltafile.md#71-diff-between-two-snapshots): the entries of REDO and UNDO
 * files with timestamps from S (inclusive) to E (exclusive). A row with such entries is reported unless it exists in neither
 * snapshot.
 */
import type { Range } from "@cfile/format";
import type { DeltaStatistics } from "../stats/delta-statistics.js";
import { type ChangeType, DELETE, REINSERT } from "./change-type.js";
import type { DeltaKind } from "./delta-kind.js";

/** Whether an entry of a file of this kind is applied to the base data for the given snapshot. */
export function isApplied(kind: DeltaKind, timestamp: bigint, snapshot: bigint): boolean {
  return kind === "undo" ? timestamp >= snapshot : timestamp < snapshot;
}

/** The timestamps for which {@link isApplied} is true: an option of `DeltaFileReader.entries` and `deltasOf`. */
export function appliedTimestamps(kind: DeltaKind, snapshot: bigint): Range<bigint> {
  return kind === "undo" ? { from: snapshot } : { to: snapshot };
}

/** Whether a file with these statistics may have entries with timestamps in the range (`to` exclusive). */
export function mayHoldTimestamps(
  { minTimestamp, maxTimestamp }: DeltaStatistics,
  { from, to }: Range<bigint>,
): boolean {
  return (from === undefined || maxTimestamp >= from) && (to === undefined || minTimestamp < to);
}

/** Whether a snapshot requires a file with these statistics. */
export function isNeededForSnapshot(kind: DeltaKind, statistics: DeltaStatistics, snapshot: bigint): boolean {
  return mayHoldTimestamps(statistics, appliedTimestamps(kind, snapshot));
}

/** Whether a file is required to know which rows are deleted. */
export function mayDelete({ deleteCount }: DeltaStatistics): boolean {
  return deleteCount > 0;
}

/** Whether a file is required for the values of a column, or to know which rows exist. */
export function mayTouchColumn(statistics: DeltaStatistics, columnId: number): boolean {
  const { deleteCount, reinsertCount, updateCounts } = statistics;
  return updateCounts.has(columnId) || deleteCount > 0 || reinsertCount > 0;
}

/** Whether the row exists after an applied entry of this type; `alive`: whether it existed before. */
export function aliveAfter(type: ChangeType, alive: boolean): boolean {
  return type === DELETE ? false : type === REINSERT ? true : alive;
}

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
