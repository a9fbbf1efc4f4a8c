/**
 * REDO files of one row set follow each other: each flush takes all changes since the last one. A flush may come between changes of
 * different rows that have the same time.
 */
import { openDeltaFile } from "@cfile/deltafile/read";
import { unlessDamaged } from "../../blocks/problems.js";
import type { SurveyedBlock, SurveyedDelta } from "../survey-blocks.js";
import type { OpenDelta } from "./delta-fit.js";

/** Removes matches that files already given to a row set exclude. */
export async function narrowByTime(open: readonly OpenDelta[]): Promise<void> {
  for (const delta of open) {
    const left = [];
    for (const match of delta.matches) {
      if (match.kind === "undo" || !(await excludesAny(delta.block, match.group.redo))) {
        left.push(match);
      }
    }
    delta.matches = left;
  }
}

/** Whether another file can only belong to the same row set, and excludes this one there. */
export async function isContested(
  { block, matches: [match] }: OpenDelta,
  open: readonly OpenDelta[],
): Promise<boolean> {
  const others = open.filter(
    (other) =>
      other.block !== block &&
      other.matches.length === 1 &&
      other.matches[0]?.group === match?.group &&
      other.matches[0]?.kind === "redo",
  );
  return (
    match?.kind === "redo" &&
    (await excludesAny(
      block,
      others.map((other) => other.block),
    ))
  );
}

async function excludesAny(block: SurveyedDelta, others: readonly SurveyedDelta[]): Promise<boolean> {
  for (const other of others) {
    if (await exclude(block, other)) {
      return true;
    }
  }
  return false;
}

/** Whether two REDO files cannot belong to the same row set: their times overlap, or both have the same change. */
async function exclude(one: SurveyedDelta, other: SurveyedDelta): Promise<boolean> {
  const from = later(one.deltas.minTimestamp, other.deltas.minTimestamp);
  const to = -later(-one.deltas.maxTimestamp, -other.deltas.maxTimestamp);
  if (from !== to) {
    return from < to;
  }
  const [rows, otherRows] = [await rowsAt(one, from), await rowsAt(other, from)];
  return [...rows].some((row) => otherRows.has(row));
}

function later(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

/** The rows that a file changes at a time, up to damage. */
async function rowsAt({ source }: SurveyedBlock, time: bigint): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  await unlessDamaged(async () => {
    const reader = await openDeltaFile(source, { cacheBytes: 0 });
    for await (const { rows, timestamps, length } of reader.entries()) {
      rows.subarray(0, length).forEach((row, i) => {
        if (timestamps[i] === time) {
          found.add(row);
        }
      });
    }
  });
  return found;
}
