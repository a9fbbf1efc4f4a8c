/**
 * The state of a table at a timestamp T (docs/spec/deltafile.md#7-snapshot-semantics): the base data, then UNDO files newest
 * first, then REDO files oldest first, of each the entries that apply.
 *
 * | file | an entry applies | the file is needed |
 * | --- | --- | --- |
 * | UNDO | its timestamp ≥ T | `max_timestamp` ≥ T |
 * | REDO | its timestamp < T | `min_timestamp` < T |
 *
 * A snapshot at T does not hold what was written at T itself; `LATEST_TIMESTAMP` stands for the latest state.
 */
import type { Range } from "@cfile/format";
import type { DeltaStatistics } from "../stats/delta-statistics.js";
import { type ChangeType, DELETE, REINSERT } from "./change-type.js";
import type { DeltaKind } from "./delta-kind.js";

/** Whether an entry of a file of this kind is applied to the base data for the state at `snapshot`. */
export function isApplied(kind: DeltaKind, timestamp: bigint, snapshot: bigint): boolean {
  return kind === "undo" ? timestamp >= snapshot : timestamp < snapshot;
}

/** The timestamps that {@link isApplied} holds for: for `DeltaFileReader.entries` and `deltasOf`. */
export function appliedTimestamps(kind: DeltaKind, snapshot: bigint): Range<bigint> {
  return kind === "undo" ? { from: snapshot } : { to: snapshot };
}

/** Whether entries with timestamps in the range (`to` exclusive) may be in a file with these statistics. */
export function mayHoldTimestamps(
  { minTimestamp, maxTimestamp }: DeltaStatistics,
  { from, to }: Range<bigint>,
): boolean {
  return (from === undefined || maxTimestamp >= from) && (to === undefined || minTimestamp < to);
}

/** Whether a file is needed for the state at `snapshot`. */
export function isNeededForSnapshot(kind: DeltaKind, statistics: DeltaStatistics, snapshot: bigint): boolean {
  return mayHoldTimestamps(statistics, appliedTimestamps(kind, snapshot));
}

/** Whether a file is needed to know if rows are deleted. */
export function mayDelete({ deleteCount }: DeltaStatistics): boolean {
  return deleteCount > 0;
}

/** Whether a file is needed for the values of a column, or for which rows there are. */
export function mayTouchColumn(statistics: DeltaStatistics, columnId: number): boolean {
  const { deleteCount, reinsertCount, updateCounts } = statistics;
  return updateCounts.has(columnId) || deleteCount > 0 || reinsertCount > 0;
}

/** Whether the row is there after an applied entry of this type, which it was or was not before. */
export function aliveAfter(type: ChangeType, alive: boolean): boolean {
  return type === DELETE ? false : type === REINSERT ? true : alive;
}
