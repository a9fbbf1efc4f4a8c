/** A column batch with some of its cells overwritten by what change lists say (specification deltafile, 4.1 and 7). */
import { bitmapByteLength, CFileError, clearBit, countBits, onesBitmap, setBit } from "@cfile/bytes";
import { decodeArrayCell } from "@cfile/deltafile";
import {
  ArrayBatch,
  type BatchRange,
  type BatchRows,
  BinaryBatch,
  BoolBatch,
  bytesOf,
  type ColumnBatch,
  concatBatches,
  copyBytes,
  type DictionaryBatch,
  FixedBatch,
  physicalWidth,
} from "@cfile/encodings";
import type { CellPatches } from "./cell-patches.js";

/** Strings of one batch together. */
const MAX_STRING_BYTES = 0x7fffffff;

/**
 * The batch with its patches; the batch itself when it has none. Strings of a dictionary come as the strings.
 *
 * @param offset position of the batch's first row among those of the patches; patches of other rows are left out
 * @throws CFileError `E_CORRUPT` or `E_TRUNCATED` for array cells that are none; `E_LIMIT` for more than 2 GiB of strings
 */
export function patchColumn(batch: ColumnBatch, patches: CellPatches, offset = 0): ColumnBatch {
  const wanted = patchesWithin(patches, offset, batch.length);
  if (wanted.length === 0) {
    return batch;
  }
  switch (batch.kind) {
    case "fixed":
      return patchFixed(batch, patches, wanted, offset);
    case "bool":
      return patchBools(batch, patches, wanted, offset);
    case "binary":
    case "dictionary":
      return patchStrings(batch, patches, wanted, offset);
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

function patchFixed(
  batch: FixedBatch,
  patches: CellPatches,
  wanted: Uint32Array,
  offset: number,
): FixedBatch {
  const values = batch.values.slice();
  const bytes = bytesOf(values);
  const width = physicalWidth(batch.physical);
  for (const i of wanted) {
    const to = ((patches.positions[i] as number) - offset) * width;
    if (patches.ends[i] === -1) {
      bytes.fill(0, to, to + width);
    } else {
      copyBytes(patches.data[i] as Uint8Array, patches.starts[i] as number, bytes, to, to + width);
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

function patchStrings(
  batch: BinaryBatch | DictionaryBatch,
  patches: CellPatches,
  wanted: Uint32Array,
  offset: number,
): BinaryBatch {
  const { length } = batch;
  const strings = batch.kind === "dictionary" ? batch.dictionary : batch;
  const codes = batch.kind === "dictionary" ? batch.codes : undefined;
  const rows = patchRows(batch, patches, wanted, offset);
  /** By row: the patch's number and 1. */
  const patchOf = new Int32Array(length);
  for (const i of wanted) {
    patchOf[(patches.positions[i] as number) - offset] = i + 1;
  }
  const offsets = new Int32Array(length + 1);
  let end = 0;
  for (let row = 0; row < length; row++) {
    const patch = (patchOf[row] as number) - 1;
    if (patch >= 0) {
      end += Math.max(0, (patches.ends[patch] as number) - (patches.starts[patch] as number));
    } else if (!batch.isNull(row)) {
      const at = codes === undefined ? row : (codes[row] as number);
      end += (strings.offsets[at + 1] as number) - (strings.offsets[at] as number);
    }
    if (end > MAX_STRING_BYTES) {
      throw new CFileError("E_LIMIT", "a batch holds at most 2 GiB of strings", { field: "batch" });
    }
    offsets[row + 1] = end;
  }
  const data = new Uint8Array(end);
  for (let row = 0; row < length; row++) {
    const patch = (patchOf[row] as number) - 1;
    const to = offsets[row] as number;
    if (patch >= 0) {
      const source = patches.data[patch] as Uint8Array;
      copyBytes(source, patches.starts[patch] as number, data, to, offsets[row + 1] as number);
    } else {
      const at = codes === undefined ? row : (codes[row] as number);
      copyBytes(strings.data, strings.offsets[at] as number, data, to, offsets[row + 1] as number);
    }
  }
  return new BinaryBatch(rows, offsets, data);
}

/** Arrays change seldom, and are put together from the runs between the changes. */
function patchArrays(
  batch: ArrayBatch,
  patches: CellPatches,
  wanted: Uint32Array,
  offset: number,
): ColumnBatch {
  const order = [...wanted].sort(
    (left, right) => (patches.positions[left] as number) - (patches.positions[right] as number),
  );
  const ranges: BatchRange[] = [];
  let row = 0;
  for (const i of order) {
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
