/**
 * Overwrites cells of a column batch with values from change lists (docs/spec/deltafile.md#41-value-encoding-by-column-type and
 * docs/spec/deltafile.md#7-snapshot-semantics).
 */
import {
  type BlockMemory,
  bitmapByteLength,
  CFileError,
  clearBit,
  countBits,
  freshMemory,
  onesBitmap,
  setBit,
} from "@cfile/bytes";
import { decodeArrayCell } from "@cfile/deltafile";
import type { BatchRows, ColumnBatch } from "@cfile/encodings";
import { ArrayBatch, BinaryBatch, BoolBatch, FixedBatch, physicalWidth } from "@cfile/encodings";
import type { BatchRange } from "@cfile/encodings/batches";
import { allocateFixed, bytesOf, concatBatches, copyRange, expandDictionary } from "@cfile/encodings/batches";
import type { CellPatches } from "./cell-patches.js";

/** Maximum size of all strings of a batch. */
const MAX_STRING_BYTES = 0x7fffffff;

/** The patches of one batch. */
interface BatchPatches {
  readonly patches: CellPatches;
  /** Indexes of the patches of rows in the batch. */
  readonly indexes: Uint32Array;
  /** Position of the batch's first row among the positions of the patches. */
  readonly offset: number;
}

/**
 * The batch with its patches; the batch itself when it has no patches. Dictionary batches become string batches.
 *
 * @param offset position of the batch's first row; patches of other rows are ignored
 * @param memory for the patched cells
 * @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED` for invalid array cells; `E_LIMIT` for more than 2 GiB of strings
 */
export function patchColumn(
  batch: ColumnBatch,
  patches: CellPatches,
  offset = 0,
  memory: BlockMemory = freshMemory,
): ColumnBatch {
  const indexes = patchesWithin(patches, offset, batch.length);
  if (indexes.length === 0) {
    return batch;
  }
  const own = { patches, indexes, offset };
  switch (batch.kind) {
    case "fixed":
      return patchFixed(batch, own, memory);
    case "bool":
      return patchBools(batch, own);
    case "binary":
      return patchStrings(batch, own, memory);
    case "dictionary":
      return patchStrings(expandDictionary(batch, { maxDecodedBytes: MAX_STRING_BYTES }), own, memory);
    case "array":
      return patchArrays(batch, own);
  }
}

function patchesWithin({ count, positions }: CellPatches, offset: number, length: number): Uint32Array {
  const indexes = new Uint32Array(count);
  let found = 0;
  for (let i = 0; i < count; i++) {
    const position = (positions[i] as number) - offset;
    if (position >= 0 && position < length) {
      indexes[found++] = i;
    }
  }
  return indexes.subarray(0, found);
}

function patchRows(batch: ColumnBatch, { patches, indexes, offset }: BatchPatches): BatchRows {
  const { type, length, firstRow } = batch;
  const hasNulls = batch.validity !== undefined || indexes.some((i) => patches.ends[i] === -1);
  if (!hasNulls) {
    return { type, length, firstRow, validity: undefined, nullCount: 0 };
  }
  const validity = batch.validity?.slice() ?? onesBitmap(length);
  for (const i of indexes) {
    const change = patches.ends[i] === -1 ? clearBit : setBit;
    change(validity, (patches.positions[i] as number) - offset);
  }
  return { type, length, firstRow, validity, nullCount: length - countBits(validity, 0, length) };
}

/** Sorts the indexes by row: patches of several files are not in row order. */
function inRowOrder({ patches: { positions }, indexes }: BatchPatches): Uint32Array {
  return indexes.sort((left, right) => (positions[left] as number) - (positions[right] as number));
}

function patchFixed(batch: FixedBatch, own: BatchPatches, memory: BlockMemory): FixedBatch {
  const values = allocateFixed(batch.physical, batch.length, memory);
  const bytes = bytesOf(values);
  bytes.set(bytesOf(batch.values).subarray(0, bytes.length));
  writeValues(bytes, physicalWidth(batch.physical), own);
  return new FixedBatch(patchRows(batch, own), batch.physical, values);
}

// A separate small function: the engine compiles the whole function that contains a hot loop.
function writeValues(bytes: Uint8Array, width: number, { patches, indexes, offset }: BatchPatches): void {
  const { data, ends, positions, starts } = patches;
  for (let at = 0; at < indexes.length; at++) {
    const i = indexes[at] as number;
    const source = data[i] as Uint8Array;
    const isNull = ends[i] === -1;
    let from = starts[i] as number;
    let to = ((positions[i] as number) - offset) * width;
    for (const end = to + width; to < end; to++) {
      bytes[to] = isNull ? 0 : (source[from++] as number);
    }
  }
}

function patchBools(batch: BoolBatch, own: BatchPatches): BoolBatch {
  const { patches, indexes, offset } = own;
  const values = batch.values.slice(0, bitmapByteLength(batch.length));
  for (const i of indexes) {
    const isTrue = patches.ends[i] !== -1 && patches.data[i]?.[patches.starts[i] as number] === 1;
    const change = isTrue ? setBit : clearBit;
    change(values, (patches.positions[i] as number) - offset);
  }
  return new BoolBatch(patchRows(batch, own), values);
}

/** Joins new strings and the runs of unchanged strings between them. */
function patchStrings(batch: BinaryBatch, own: BatchPatches, memory: BlockMemory): BinaryBatch {
  const { length } = batch;
  const { patches, indexes, offset } = own;
  const { starts, ends } = patches;
  let maxBytes = (batch.offsets[length] as number) - (batch.offsets[0] as number);
  for (const i of indexes) {
    maxBytes += Math.max(0, (ends[i] as number) - (starts[i] as number));
  }
  const offsets = new Int32Array(memory.take(4 * (length + 1)), 0, length + 1);
  const data = new Uint8Array(memory.take(maxBytes), 0, maxBytes);
  offsets[0] = 0;
  let row = 0;
  let end = 0;
  const copyUntil = (to: number): void => {
    const from = batch.offsets[row] as number;
    data.set(batch.data.subarray(from, batch.offsets[to]), end);
    const shift = end - from;
    while (row < to) {
      row++;
      offsets[row] = (batch.offsets[row] as number) + shift;
    }
    end = offsets[to] as number;
  };
  for (const i of inRowOrder(own)) {
    copyUntil((patches.positions[i] as number) - offset);
    const start = starts[i] as number;
    const size = Math.max(0, (ends[i] as number) - start);
    copyRange(patches.data[i] as Uint8Array, start, start + size, data, end);
    end += size;
    if (end > MAX_STRING_BYTES) {
      throw new CFileError("E_LIMIT", "strings of a batch exceed 2 GiB", { field: "batch" });
    }
    row++;
    offsets[row] = end;
  }
  copyUntil(length);
  return new BinaryBatch(patchRows(batch, own), offsets, data.subarray(0, end));
}

/** Joins new arrays and the runs of unchanged arrays between them. */
function patchArrays(batch: ArrayBatch, own: BatchPatches): ColumnBatch {
  const ranges: BatchRange[] = [];
  let row = 0;
  for (const i of inRowOrder(own)) {
    const position = (own.patches.positions[i] as number) - own.offset;
    if (position > row) {
      ranges.push({ batch, from: row, to: position });
    }
    ranges.push({ batch: arrayCell(batch, own.patches, i), from: 0, to: 1 });
    row = position + 1;
  }
  if (row < batch.length) {
    ranges.push({ batch, from: row, to: batch.length });
  }
  return concatBatches(ranges);
}

function arrayCell({ type, firstRow }: ArrayBatch, patches: CellPatches, i: number): ArrayBatch {
  const end = patches.ends[i] as number;
  const isNull = end === -1;
  const bytes = isNull ? undefined : patches.data[i]?.subarray(patches.starts[i], end);
  const child = decodeArrayCell(bytes ?? new Uint8Array(0), type);
  const nullCount = isNull ? 1 : 0;
  const rows = { type, length: 1, firstRow, validity: Uint8Array.of(1 - nullCount), nullCount };
  return new ArrayBatch(rows, Int32Array.of(0, child.length), child);
}
