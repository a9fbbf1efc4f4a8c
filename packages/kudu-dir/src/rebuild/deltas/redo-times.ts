/** REDO files of one row set follow each other: each flush takes all changes since the last one. */

import type { SurveyedBlock } from "../survey-blocks.js";
import type { OpenDelta } from "./delta-fit.js";

/** Removes matches that files already given to a row set exclude. */
export function narrowByTime(open: readonly OpenDelta[]): void {
  for (const delta of open) {
    delta.matches = delta.matches.filter(
      ({ group, kind }) => kind === "undo" || !group.redo.some((redo) => overlap(redo, delta.block)),
    );
  }
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
export function isContested({ block, matches: [match] }: OpenDelta, open: readonly OpenDelta[]): boolean {
  return open.some(
    (other) =>
      other.block !== block &&
      other.matches.length === 1 &&
      other.matches[0]?.group === match?.group &&
      other.matches[0]?.kind === "redo" &&
      match?.kind === "redo" &&
      overlap(block, other.block),
  );
}
