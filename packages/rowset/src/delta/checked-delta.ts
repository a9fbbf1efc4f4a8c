/** Delta files that were each checked by themselves: what is left to be asked of all together. */

import { LATEST_TIMESTAMP } from "@cfile/deltafile";
import type { DeltaVerifyReport } from "@cfile/deltafile/read";
import type { DeltaPart } from "../read/row-set-parts.js";
import { DeltaMerger } from "./delta-merger.js";

const BATCH_ROWS = 16384;

/** What the check of one delta file has found. */
export interface CheckedDelta {
  readonly part: DeltaPart;
  readonly report: DeltaVerifyReport;
}

/** Whether no row is there, or gone, for what is in the file. */
function leavesRowsAlone({ report }: CheckedDelta): boolean {
  return report.ok && report.deletes === 0 && report.reinserts === 0;
}

/** Whether a file may begin with a row in another state than the files before leave it in: none does where no row has died. */
export function mayContradict(checked: readonly CheckedDelta[]): boolean {
  const last = checked.at(-1)?.report;
  return (
    last !== undefined && !(checked.slice(0, -1).every(leavesRowsAlone) && last.ok && last.reinserts === 0)
  );
}

/** Rows that are there in the latest state. */
export async function countLiveRows(
  redo: readonly CheckedDelta[],
  rows: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  if (redo.every(leavesRowsAlone)) {
    return rows;
  }
  const asOf = LATEST_TIMESTAMP;
  const parts = redo.map(({ part }) => part);
  const merger = new DeltaMerger(parts, { asOf, columns: [], from: 0, to: rows, signal }, false);
  let live = rows;
  try {
    for (let row = 0; row < rows; row += BATCH_ROWS) {
      await merger.advance(row, Math.min(rows, row + BATCH_ROWS));
      live -= merger.deadCount;
    }
  } finally {
    await merger.close();
  }
  return live;
}
