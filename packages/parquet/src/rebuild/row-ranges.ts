/** The complement and the size of a set of rows. */
import type { RowRange } from "../prune/row-ranges.js";

/** Rows from 0 to `end` that are not in `rows`. */
export function otherRows(rows: readonly RowRange[], end: number): RowRange[] {
  const others: RowRange[] = [];
  let at = 0;
  for (const { from, to } of [...rows, { from: end, to: end }]) {
    if (at < from) {
      others.push({ from: at, to: from });
    }
    at = Math.max(at, to);
  }
  return others;
}

export function countRows(rows: readonly RowRange[]): number {
  return rows.reduce((sum, { from, to }) => sum + to - from, 0);
}
