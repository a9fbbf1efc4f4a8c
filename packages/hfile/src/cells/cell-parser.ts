/** Finds the cells of a data block's body; `cell-batch.ts` has their layout. */
import { CFileError, corrupt } from "@cfile/bytes";
import { mismatch } from "../blocks/mismatch.js";
import { CellBatch, type CellLayout } from "./cell-batch.js";
import { vlongLength } from "./hadoop-vlong.js";

/** Minimum length of a key: row length, family length, timestamp and type. */
const MIN_KEY = 12;
const LENGTHS = 8;

/** Iterates over the cells of a data block's body; the fields describe the current cell. */
export class CellWalk {
  readonly body: Uint8Array;
  readonly view: DataView;
  rowStart = 0;
  rowEnd = 0;
  valueStart = 0;
  valueEnd = 0;
  private readonly tags: boolean;
  private readonly mvcc: boolean;
  private position = 0;

  constructor(body: Uint8Array, { tags, mvcc }: CellLayout) {
    this.body = body;
    this.view = new DataView(body.buffer, body.byteOffset, body.byteLength);
    this.tags = tags;
    this.mvcc = mvcc;
  }

  /**
   * Moves to the next cell; `false` after the last one.
   * @throws {CFileError} `E_TRUNCATED` when a length runs past the end, `E_CORRUPT` when a key's parts do not fit it
   */
  next(): boolean {
    const { body, view, position } = this;
    const end = body.length;
    if (position === end) {
      return false;
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
    this.rowStart = key + 2;
    this.rowEnd = rowEnd;
    this.valueStart = value;
    this.valueEnd = value + valueLength;
    this.position = this.tags || this.mvcc ? this.endOfCell(this.valueEnd) : this.valueEnd;
    return true;
  }

  /** The end of a cell whose value ends at `valueEnd`. */
  private endOfCell(valueEnd: number): number {
    const { body, view } = this;
    const end = body.length;
    let position = valueEnd;
    if (this.tags) {
      if (end - position < 2 || end - position - 2 < view.getUint16(position)) {
        throw cut("tags", position);
      }
      position += 2 + view.getUint16(position);
    }
    if (this.mvcc) {
      if (position >= end || vlongLength(body[position] as number) > end - position) {
        throw cut("MVCC number", position);
      }
      position += vlongLength(body[position] as number);
    }
    return position;
  }
}

/**
 * All cells of `body`.
 * @throws {CFileError} `E_TRUNCATED` when a length runs past the end, `E_CORRUPT` when a key's parts do not fit it, or without cells
 */
export function parseCells(body: Uint8Array, layout: CellLayout): CellBatch {
  const walk = new CellWalk(body, layout);
  let rowStarts = new Int32Array(expectedCells(walk.view, body.length));
  let count = 0;
  while (walk.next()) {
    if (count === rowStarts.length) {
      const larger = new Int32Array(2 * count);
      larger.set(rowStarts);
      rowStarts = larger;
    }
    rowStarts[count++] = walk.rowStart;
  }
  if (count === 0) {
    throw noCells();
  }
  // Caches keep the block: a view would keep unused positions.
  const starts = count < rowStarts.length ? rowStarts.slice(0, count) : rowStarts;
  return new CellBatch(body, layout, starts, walk.view);
}

export function noCells(): CFileError {
  return corrupt("data block has no cells", { offset: 0, field: "cells" });
}

/** An estimate from the first cell, limited by the size of the block. */
function expectedCells(view: DataView, end: number): number {
  const first = end < LENGTHS ? 0 : LENGTHS + (view.getUint32(0) % 2 ** 31) + (view.getUint32(4) % 2 ** 31);
  return 1 + Math.floor((end * 1.1) / Math.max(first, LENGTHS + MIN_KEY));
}

function cut(field: string, offset: number): CFileError {
  return new CFileError("E_TRUNCATED", `the block ends inside the ${field} of a cell`, { offset, field });
}

function misfit(field: string, offset: number, actual: number, room: number): CFileError {
  return mismatch(field, offset, `at most ${room}`, actual);
}
