/** Copies the rows, qualifiers or values of cells into one array, without an object per cell. */
import { CFileError } from "@cfile/bytes";
import { type CellBatch, type PackedBytes, TIMESTAMP_AND_TYPE } from "@cfile/hfile";
import type { CellOutput } from "./cell-output.js";

/** A part of a cell. */
export type CellPart = "row" | "qualifier" | "value";

/** Maximum number of packed bytes: offsets have 32 bits. */
const MAX_PACKED = 0xffff_ffff;
/** From this length on, `set` is faster than a loop. */
const LONG = 64;

/** @throws {CFileError} `E_LIMIT` above 4 GiB */
export function packParts({ length, batches, firsts, starts }: CellOutput, part: CellPart): PackedBytes {
  const from = new Int32Array(length);
  const offsets = new Uint32Array(length + 1);
  let size = 0;
  for (const [run, batch] of batches.entries()) {
    const start = starts[run] as number;
    const end = starts[run + 1] ?? length;
    const shift = (firsts[run] as number) - start;
    for (let i = start; i < end; i++) {
      const at = partStart(batch, i + shift, part);
      from[i] = at;
      size += partEnd(batch, i + shift, part) - at;
      offsets[i + 1] = size;
    }
  }
  requirePackable(size);
  const data = new Uint8Array(size);
  const view = new DataView(data.buffer);
  for (const [run, batch] of batches.entries()) {
    const end = starts[run + 1] ?? length;
    for (let i = starts[run] as number; i < end; i++) {
      copyPart(batch, from[i] as number, view, offsets[i] as number, offsets[i + 1] as number);
    }
  }
  return { offsets, data };
}

/** @throws {CFileError} `E_LIMIT` above 4 GiB */
export function requirePackable(size: number): void {
  if (size > MAX_PACKED) {
    const details = { field: "cells", expected: MAX_PACKED, actual: size };
    throw new CFileError("E_LIMIT", "the packed bytes exceed 4 GiB: read smaller batches", details);
  }
}

/** Copies the bytes at `from` to the range from `start` to `end` (exclusive). */
function copyPart(batch: CellBatch, from: number, to: DataView, start: number, end: number): void {
  const length = end - start;
  if (length >= LONG) {
    new Uint8Array(to.buffer).set(batch.data.subarray(from, from + length), start);
    return;
  }
  const { view } = batch;
  let i = 0;
  for (; i + 4 <= length; i += 4) {
    to.setInt32(start + i, view.getInt32(from + i));
  }
  for (; i < length; i++) {
    to.setUint8(start + i, view.getUint8(from + i));
  }
}

function partStart(batch: CellBatch, index: number, part: CellPart): number {
  if (part === "row") {
    return batch.rowStarts[index] as number;
  }
  if (part === "value") {
    return batch.valueStart(index);
  }
  const family = batch.rowEnd(index);
  return family + 1 + (batch.data[family] as number);
}

function partEnd(batch: CellBatch, index: number, part: CellPart): number {
  if (part === "row") {
    return batch.rowEnd(index);
  }
  return part === "value" ? batch.valueEnd(index) : batch.valueStart(index) - TIMESTAMP_AND_TYPE;
}
