/** Finding the cells of a data block's body; their layout stands in `cell-batch.ts`. */
import { CFileError, corrupt } from "@cfile/bytes";
import { CellBatch, type CellLayout } from "./cell-batch.js";
import { vlongLength } from "./hadoop-vlong.js";

/** Row length, family length, timestamp and type. */
const MIN_KEY = 12;
const LENGTHS = 8;

/** Arrays for the positions of cells, used again for one block after the other. */
export class PositionArrays {
  capacity = 0;
  rowStarts = new Int32Array(0);
  rowEnds = new Int32Array(0);
  valueStarts = new Int32Array(0);
  valueEnds = new Int32Array(0);

  /** Makes room for `capacity` cells; what is there stays. */
  grow(capacity: number): void {
    if (capacity > this.capacity) {
      this.capacity = capacity;
      this.rowStarts = grown(this.rowStarts, capacity);
      this.rowEnds = grown(this.rowEnds, capacity);
      this.valueStarts = grown(this.valueStarts, capacity);
      this.valueEnds = grown(this.valueEnds, capacity);
    }
  }
}

/**
 * All cells of `body`.
 *
 * @param arrays where positions are put: then the batch is valid only until they are used again
 * @throws CFileError `E_TRUNCATED` when a length runs past the end, `E_CORRUPT` when a key's parts do not fit it and
 *   when there is no cell
 */
export function parseCells(
  body: Uint8Array,
  layout: CellLayout,
  arrays: PositionArrays = new PositionArrays(),
): CellBatch {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const end = body.length;
  const { tags, mvcc } = layout;
  arrays.grow(expectedCells(view, end));
  let { capacity, rowStarts, rowEnds, valueStarts, valueEnds } = arrays;
  let count = 0;
  let position = 0;
  while (position < end) {
    if (count === capacity) {
      arrays.grow(2 * capacity);
      ({ capacity, rowStarts, rowEnds, valueStarts, valueEnds } = arrays);
    }
    const key = position + LENGTHS;
    if (key > end) {
      throw cut("cell lengths", position);
    }
    const keyLength = view.getInt32(position);
    const valueLength = view.getInt32(position + 4);
    if (keyLength < MIN_KEY || keyLength > end - key) {
      throw misfit("key length", position, keyLength, end - key);
    }
    const value = key + keyLength;
    if (valueLength < 0 || valueLength > end - value) {
      throw misfit("value length", position + 4, valueLength, end - value);
    }
    const rowEnd = key + 2 + view.getUint16(key);
    if (rowEnd + 10 > value || rowEnd + 10 + (body[rowEnd] as number) > value) {
      throw misfit("row and family", key, rowEnd - key - 2, keyLength);
    }
    rowStarts[count] = key + 2;
    rowEnds[count] = rowEnd;
    valueStarts[count] = value;
    position = value + valueLength;
    valueEnds[count] = position;
    count++;
    if (tags) {
      if (end - position < 2 || end - position - 2 < view.getUint16(position)) {
        throw cut("tags", position);
      }
      position += 2 + view.getUint16(position);
    }
    if (mvcc) {
      if (position >= end || vlongLength(body[position] as number) > end - position) {
        throw cut("MVCC number", position);
      }
      position += vlongLength(body[position] as number);
    }
  }
  if (count === 0) {
    throw corrupt("a data block without cells", { offset: 0, field: "cells" });
  }
  return new CellBatch(
    body,
    layout,
    rowStarts.subarray(0, count),
    rowEnds.subarray(0, count),
    valueStarts.subarray(0, count),
    valueEnds.subarray(0, count),
  );
}

/** A guess from the first cell; never more than there can be. */
function expectedCells(view: DataView, end: number): number {
  const first = end < LENGTHS ? 0 : LENGTHS + (view.getUint32(0) % 2 ** 31) + (view.getUint32(4) % 2 ** 31);
  return 1 + Math.floor((end * 1.1) / Math.max(first, LENGTHS + MIN_KEY));
}

function grown(old: Int32Array, capacity: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(capacity);
  larger.set(old);
  return larger;
}

function cut(field: string, offset: number): CFileError {
  return new CFileError("E_TRUNCATED", `the block ends inside the ${field} of a cell`, { offset, field });
}

function misfit(field: string, offset: number, actual: number, room: number): CFileError {
  return corrupt(`the ${field} of a cell cannot be ${actual}, there is room for ${room}`, {
    offset,
    field,
    expected: room,
    actual,
  });
}
