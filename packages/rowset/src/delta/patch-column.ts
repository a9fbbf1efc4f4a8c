/**
 * A column batch with some of its cells overwritten by what change lists say
 * (docs/spec/deltafile.md#41-value-encoding-by-column-type and docs/spec/deltafile.md#7-snapshot-semantics).
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
import { allocateFixed, bytesOf, concatBatches, copyBytes, expandDictionary } from "@cfile/encodings/batches";
import type { CellPatches } from "./cell-patches.js";

/** Strings of one batch together. */
const MAX_STRING_BYTES = 0x7fffffff;

/**
 * The batch with its patches; the batch itself when it has none. Strings of a dictionary come as the strings.
 *
 * @param offset position of the batch's first row among those of the patches; patches of other rows are left out
 * @param memory where the cells are put
 * @throws CFileError `E_CORRUPT` or `E_TRUNCATED` for array cells that are none; `E_LIMIT` for more than 2 GiB of strings
 */
export function patchColumn(
  batch: ColumnBatch,
  patches: CellPatches,
  offset = 0,
  memory: BlockMemory = freshMemory,
): ColumnBatch {
  const wanted = patchesWithin(patches, offset, batch.length);
  if (wanted.length === 0) {
    return batch;
  }
  switch (batch.kind) {
    case "fixed":
      return patchFixed(batch, patches, wanted, offset, memory);
    case "bool":
      return patchBools(batch, patches, wanted, offset);
    case "binary":
      return patchStrings(batch, patches, wanted, offset, memory);
    case "dictionary":
      return patchStrings(
        expandDictionary(batch, { maxDecodedBytes: MAX_STRING_BYTES }),
        patches,
        wanted,
        offset,
        memory,
      );
    case "array":
      return patchArrays(batch, patches, wanted, offset);
  }
}

/** Numbers of the patches that lie in the batch. */
function patchesWithin({ count, positions }: CellPatches, offset: number, length: number): Uint32Array {
  const wanted = new Uint32Array(count);
  let found = 0;
  for (let i = 0; i < count; i++) {
    const position = (positions[i] as number) - offset;
    if (position >= 0 && position < length) {
      wanted[found++] = i;
    }
  }
  return wanted.subarray(0, found);
}

function patchRows(batch: ColumnBatch, patches: CellPatches, wanted: Uint32Array, offset: number): BatchRows {
  const { type, length, firstRow } = batch;
  const hasNulls = batch.validity !== undefined || wanted.some((i) => patches.ends[i] === -1);
  if (!hasNulls) {
    return { type, length, firstRow, validity: undefined, nullCount: 0 };
  }
  const validity = batch.validity?.slice() ?? onesBitmap(length);
  for (const i of wanted) {
    const position = (patches.positions[i] as number) - offset;
    if (patches.ends[i] === -1) {
      clearBit(validity, position);
    } else {
      setBit(validity, position);
    }
  }
  return { type, length, firstRow, validity, nullCount: length - countBits(validity, 0, length) };
}

/** The patches of several files are not in the order of rows. */
function inRowOrder({ positions }: CellPatches, wanted: Uint32Array): Uint32Array {
  return wanted.sort((left, right) => (positions[left] as number) - (positions[right] as number));
}

function patchFixed(
  batch: FixedBatch,
  patches: CellPatches,
  wanted: Uint32Array,
  offset: number,
  memory: BlockMemory,
): FixedBatch {
  const values = allocateFixed(batch.physical, batch.length, memory);
  const bytes = bytesOf(values);
  bytes.set(bytesOf(batch.values).subarray(0, bytes.length));
  const width = physicalWidth(batch.physical);
  for (let at = 0; at < wanted.length; at++) {
    const i = wanted[at] as number;
    const source = patches.data[i] as Uint8Array;
    const isNull = patches.ends[i] === -1;
    let from = patches.starts[i] as number;
    let to = ((patches.positions[i] as number) - offset) * width;
    for (const end = to + width; to < end; to++) {
      bytes[to] = isNull ? 0 : (source[from++] as number);
    }
  }
  return new FixedBatch(patchRows(batch, patches, wanted, offset), batch.physical, values);
}

function patchBools(batch: BoolBatch, patches: CellPatches, wanted: Uint32Array, offset: number): BoolBatch {
  const values = batch.values.slice(0, bitmapByteLength(batch.length));
  for (const i of wanted) {
    const position = (patches.positions[i] as number) - offset;
    const isTrue = patches.ends[i] !== -1 && patches.data[i]?.[patches.starts[i] as number] === 1;
    if (isTrue) {
      setBit(values, position);
    } else {
      clearBit(values, position);
    }
  }
  return new BoolBatch(patchRows(batch, patches, wanted, offset), values);
}

/** Strings are put together from the runs between the changes. */
function patchStrings(
  batch: BinaryBatch,
  patches: CellPatches,
  wanted: Uint32Array,
  offset: number,
  memory: BlockMemory,
): BinaryBatch {
  const { length } = batch;
  const { starts, ends } = patches;
  let most = (batch.offsets[length] as number) - (batch.offsets[0] as number);
  for (const i of wanted) {
    most += Math.max(0, (ends[i] as number) - (starts[i] as number));
  }
  const offsets = new Int32Array(memory.take(4 * (length + 1)), 0, length + 1);
  const data = new Uint8Array(memory.take(most), 0, most);
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
  for (const i of inRowOrder(patches, wanted)) {
    copyUntil((patches.positions[i] as number) - offset);
    const size = Math.max(0, (ends[i] as number) - (starts[i] as number));
    copyBytes(patches.data[i] as Uint8Array, starts[i] as number, data, end, end + size);
    end += size;
    if (end > MAX_STRING_BYTES) {
      throw new CFileError("E_LIMIT", "a batch holds at most 2 GiB of strings", { field: "batch" });
    }
    row++;
    offsets[row] = end;
  }
  copyUntil(length);
  return new BinaryBatch(patchRows(batch, patches, wanted, offset), offsets, data.subarray(0, end));
}

/** Arrays change seldom, and are put together from the runs between the changes. */
function patchArrays(
  batch: ArrayBatch,
  patches: CellPatches,
  wanted: Uint32Array,
  offset: number,
): ColumnBatch {
  const ranges: BatchRange[] = [];
  let row = 0;
  for (const i of inRowOrder(patches, wanted)) {
    const position = (patches.positions[i] as number) - offset;
    if (position > row) {
      ranges.push({ batch, from: row, to: position });
    }
    ranges.push({ batch: arrayCell(batch, patches, i), from: 0, to: 1 });
    row = position + 1;
  }
  if (row < batch.length) {
    ranges.push({ batch, from: row, to: batch.length });
  }
  const [first, ...rest] = ranges;
  return first === undefined ? batch : concatBatches([first, ...rest]);
}

function arrayCell({ type, firstRow }: ArrayBatch, patches: CellPatches, i: number): ArrayBatch {
  const end = patches.ends[i] as number;
  const isNull = end === -1;
  const bytes = isNull ? new Uint8Array(0) : patches.data[i]?.subarray(patches.starts[i], end);
  const child = decodeArrayCell(bytes ?? new Uint8Array(0), type);
  const nullCount = isNull ? 1 : 0;
  const rows = { type, length: 1, firstRow, validity: Uint8Array.of(1 - nullCount), nullCount };
  return new ArrayBatch(rows, Int32Array.of(0, child.length), child);
}
