/** Sets of rows of a row group, as ascending ranges that do not touch. */

/** Rows `from` (inclusive) to `to` (exclusive). */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

/** The rows in both sets. */
export function intersect(a: readonly RowRange[], b: readonly RowRange[]): RowRange[] {
  const common: RowRange[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [left, right] = [a[i] as RowRange, b[j] as RowRange];
    const [from, to] = [Math.max(left.from, right.from), Math.min(left.to, right.to)];
    if (from < to) {
      common.push({ from, to });
    }
    if (left.to < right.to) {
      i++;
    } else {
      j++;
    }
  }
  return common;
}

/** A set from ranges in ascending order: adjacent and overlapping ranges are joined. */
export function joined(ranges: Iterable<RowRange>): RowRange[] {
  const rows: { from: number; to: number }[] = [];
  for (const { from, to } of ranges) {
    const last = rows.at(-1);
    if (last !== undefined && from <= last.to) {
      last.to = Math.max(last.to, to);
    } else if (from < to) {
      rows.push({ from, to });
    }
  }
  return rows;
}
