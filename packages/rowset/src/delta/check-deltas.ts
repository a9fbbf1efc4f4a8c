/**
 * Checks across delta files that have each been verified: whether the changes of each row are consistent from one file to the next, and
 * how many rows are live. After a DELETE only a REINSERT is valid, and a REINSERT only after a DELETE.
 */
import { changeTypeName, DELETE, LATEST_TIMESTAMP, REINSERT } from "@cfile/deltafile";
import type { DeltaBatch, DeltaProblem, DeltaVerifyReport } from "@cfile/deltafile/read";
import type { DeltaPart } from "../read/row-set-parts.js";
import { DeltaCursor } from "./delta-cursor.js";
import { DeltaMerger } from "./delta-merger.js";

const CHAIN_ROWS = 65536;
const MERGE_ROWS = 16384;

/** A delta file and the report of its own check. */
export interface CheckedDelta {
  readonly part: DeltaPart;
  readonly report: DeltaVerifyReport;
}

/** Whether no entry of the file deletes or reinserts a row. */
function keepsRows({ report }: CheckedDelta): boolean {
  return report.ok && report.deletes === 0 && report.reinserts === 0;
}

/**
 * Checks the chains of changes of all rows.
 *
 * @param checked all files of one kind, in the order in which they are applied
 * @param rows of the base data
 */
export async function checkChains(
  checked: readonly CheckedDelta[],
  rows: number,
  signal: AbortSignal | undefined,
  report: (part: DeltaPart, problem: DeltaProblem) => void,
): Promise<void> {
  const last = checked.at(-1);
  if (
    last === undefined ||
    (checked.slice(0, -1).every(keepsRows) && last.report.ok && last.report.reinserts === 0)
  ) {
    // If no earlier file deletes rows, no file can start with a row in the wrong state.
    return;
  }
  const options = { rows: { from: 0, to: rows }, trustStatistics: false, signal };
  const cursors = checked.map(({ part }) => new DeltaCursor(part, options));
  /** 1 for rows that are deleted so far; base data have all rows. */
  const dead = new Uint8Array(CHAIN_ROWS);
  try {
    for (let from = 0; from < rows; from += CHAIN_ROWS) {
      dead.fill(0);
      for (const cursor of cursors) {
        let previous = -1;
        await cursor.takeRows(from, Math.min(rows, from + CHAIN_ROWS), (batch, index) => {
          const row = batch.rows[index] as number;
          const type = batch.types[index] as number;
          const wasDead = dead[row - from] === 1;
          if (row !== previous && wasDead === (type !== REINSERT)) {
            report(cursor.part, chainProblem(batch, index, wasDead));
          }
          previous = row;
          dead[row - from] = type === DELETE ? 1 : 0;
        });
      }
    }
  } finally {
    await Promise.all(cursors.map((cursor) => cursor.close()));
  }
}

function chainProblem({ rows, timestamps, types }: DeltaBatch, i: number, wasDead: boolean): DeltaProblem {
  const actual = changeTypeName(types[i] as number);
  const reason = `${actual} of a row that previous files leave ${wasDead ? "deleted" : "live"}`;
  return { code: "E_CORRUPT", reason, field: "change type", actual, row: rows[i], timestamp: timestamps[i] };
}

/** Number of rows that are live in the latest snapshot. */
export async function countLiveRows(
  redo: readonly CheckedDelta[],
  rows: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  if (redo.every(keepsRows)) {
    return rows;
  }
  const parts = redo.map(({ part }) => part);
  const options = { asOf: LATEST_TIMESTAMP, columns: [], from: 0, to: rows, signal };
  const merger = new DeltaMerger(parts, options, false);
  let live = rows;
  try {
    for (let row = 0; row < rows; row += MERGE_ROWS) {
      await merger.advance(row, Math.min(rows, row + MERGE_ROWS));
      live -= merger.deadCount;
    }
  } finally {
    await merger.close();
  }
  return live;
}
