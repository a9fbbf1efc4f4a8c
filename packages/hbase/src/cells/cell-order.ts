/**
 * The order of a region's cells (docs/spec/hbase-table.md#61-order): row, family, qualifier ascending; timestamp, type, sequence ID
 * descending; the newer file first.
 */
import type { StoreCursor } from "./store-cursor.js";

/** The positions of a cell's row and qualifier. */
export interface KeyPosition {
  /** The block's bytes. */
  readonly view: DataView;
  readonly rowStart: number;
  readonly rowEnd: number;
  readonly qualifierStart: number;
  readonly qualifierEnd: number;
}

/** Negative if the cell of `left` comes first. */
function compareCursors(left: StoreCursor, right: StoreCursor): number {
  return (
    compareRows(left, right) ||
    left.family - right.family ||
    compareQualifiers(left, right) ||
    right.timestampHigh - left.timestampHigh ||
    right.timestampLow - left.timestampLow ||
    right.type - left.type ||
    right.sequenceId - left.sequenceId ||
    right.age - left.age
  );
}

/** Order of two rows as unsigned bytes. */
export function compareRows(left: KeyPosition, right: KeyPosition): number {
  const length = left.rowEnd - left.rowStart;
  const otherLength = right.rowEnd - right.rowStart;
  const shared = Math.min(length, otherLength);
  return compareParts(left.view, left.rowStart, right.view, right.rowStart, shared) || length - otherLength;
}

/** Order of two qualifiers as unsigned bytes. */
export function compareQualifiers(left: KeyPosition, right: KeyPosition): number {
  const start = left.qualifierStart;
  const length = left.qualifierEnd - start;
  const otherLength = right.qualifierEnd - right.qualifierStart;
  const shared = Math.min(length, otherLength);
  return compareParts(left.view, start, right.view, right.qualifierStart, shared) || length - otherLength;
}

/** Whether, by row and family, a cell of a cursor's block precedes the cell of another cursor. */
function precedes({ batch, family }: StoreCursor, index: number, other: StoreCursor): boolean {
  const start = batch.rowStarts[index] as number;
  const length = batch.rowEnd(index) - start;
  const otherLength = other.rowEnd - other.rowStart;
  const shared = Math.min(length, otherLength);
  const order = compareParts(batch.view, start, other.view, other.rowStart, shared) || length - otherLength;
  return order < 0 || (order === 0 && family < other.family);
}

/** Order of `length` bytes at two positions, unsigned, four at a time. */
function compareParts(
  one: DataView,
  start: number,
  other: DataView,
  otherStart: number,
  length: number,
): number {
  let i = 0;
  for (; i + 4 <= length; i += 4) {
    const difference = one.getUint32(start + i) - other.getUint32(otherStart + i);
    if (difference !== 0) {
      return difference;
    }
  }
  for (; i < length; i++) {
    const difference = one.getUint8(start + i) - other.getUint8(otherStart + i);
    if (difference !== 0) {
      return difference;
    }
  }
  return 0;
}

/** A binary heap of cursors, the one with the first cell on top. */
export class CursorHeap {
  private readonly cursors: StoreCursor[] = [];

  get top(): StoreCursor | undefined {
    return this.cursors[0];
  }

  push(cursor: StoreCursor): void {
    const { cursors } = this;
    let at = cursors.length;
    cursors.push(cursor);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (compareCursors(cursors[parent] as StoreCursor, cursor) <= 0) {
        break;
      }
      cursors[at] = cursors[parent] as StoreCursor;
      at = parent;
    }
    cursors[at] = cursor;
  }

  /**
   * In the block of the top cursor, the cells before this index precede the cells of all other cursors. At least the current cell does;
   * a row that another cursor also has ends the range. Requires a heap with a cursor.
   */
  topEnd(): number {
    const [first, left, right] = this.cursors;
    const top = first as StoreCursor;
    if (left === undefined) {
      return top.batch.length;
    }
    const next = right !== undefined && compareCursors(right, left) < 0 ? right : left;
    const { length } = top.batch;
    let low = top.index;
    let step = 1;
    while (low + step < length && precedes(top, low + step, next)) {
      low += step;
      step *= 2;
    }
    let high = Math.min(length, low + step);
    while (low + 1 < high) {
      const middle = (low + high) >>> 1;
      if (precedes(top, middle, next)) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return high;
  }

  /** Restores the order after the top cursor moved. */
  sink(): void {
    const { cursors } = this;
    const { length } = cursors;
    if (length < 2) {
      return;
    }
    const cursor = cursors[0] as StoreCursor;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= length) {
        break;
      }
      if (
        child + 1 < length &&
        compareCursors(cursors[child + 1] as StoreCursor, cursors[child] as StoreCursor) < 0
      ) {
        child++;
      }
      if (compareCursors(cursor, cursors[child] as StoreCursor) <= 0) {
        break;
      }
      cursors[at] = cursors[child] as StoreCursor;
      at = child;
    }
    cursors[at] = cursor;
  }

  /** Removes the top cursor. */
  drop(): void {
    const last = this.cursors.pop();
    if (last !== undefined && this.cursors.length > 0) {
      this.cursors[0] = last;
      this.sink();
    }
  }
}
