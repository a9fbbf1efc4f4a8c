/** Looks up the values of given rows. */
import { ByteBuilder, CFileError } from "@cfile/bytes";
import type { ReadOptions } from "@cfile/io";
import { BlockWindow } from "../blocks/block-window.js";
import { copyRange, type PackedBytes } from "../cells/cell-batch.js";
import type { CellWalk } from "../cells/cell-parser.js";
import { hasRow, lowerBound } from "../cells/cell-search.js";
import { RowMerge } from "../cells/row-merge.js";
import type { SortedRows } from "../cells/sorted-rows.js";
import { IndexCursor } from "../index/index-cursor.js";
import type { ScannedFile } from "./scan.js";

/** Maximum number of packed bytes: offsets have 32 bits. */
const MAX_PACKED = 0xffff_ffff;

/** The value of the first cell of a row. */
export async function findValue(
  { index, blocks }: ScannedFile,
  row: Uint8Array,
  options: ReadOptions,
): Promise<Uint8Array | undefined> {
  const cursor = new IndexCursor(index, options);
  let more = await cursor.toRowStart(row);
  while (more) {
    const batch = blocks.cache.get(cursor.location.offset) ?? (await blocks.at(cursor, options));
    const at = lowerBound(batch, row);
    if (at < batch.length) {
      return hasRow(batch, at, row) ? batch.value(at) : undefined;
    }
    // The row is after this block. The next block can start with it only if its entry in the index is not after the row.
    more = (await cursor.toNext()) && cursor.node.compareRow(cursor.entry, row) <= 0;
  }
  return undefined;
}

/** Values of rows in one array. */
export interface PackedValues extends PackedBytes {
  /** 1 for rows that are in the file, 0 for others, whose values are empty. */
  readonly present: Uint8Array;
}

/** The values of the first cells of each row; views into their blocks. */
export async function findRows(
  file: ScannedFile,
  rows: SortedRows,
  options: ReadOptions,
): Promise<(Uint8Array | undefined)[]> {
  const values = new Array<Uint8Array | undefined>(rows.length).fill(undefined);
  const merge = new RowMerge(rows, (row, { body, valueStart, valueEnd }) => {
    values[row] = body.subarray(valueStart, valueEnd);
  });
  await mergeRows(file, merge, options);
  return values;
}

/** The values of the first cells of each row, packed. */
export async function findPacked(
  file: ScannedFile,
  rows: SortedRows,
  options: ReadOptions,
): Promise<PackedValues> {
  const present = new Uint8Array(rows.length);
  const offsets = new Uint32Array(rows.length + 1);
  const values = new ByteBuilder(16 * rows.length);
  const merge = new RowMerge(rows, (row, { body, valueStart, valueEnd }) => {
    present[row] = 1;
    appendRange(values, body, valueStart, valueEnd);
    offsets[row + 1] = values.length;
  });
  await mergeRows(file, merge, options);
  // Rows are found in ascending order; those between two found ones have empty values.
  for (let row = 0; row < present.length; row++) {
    if (present[row] === 0) {
      offsets[row + 1] = offsets[row] as number;
    }
  }
  return { offsets, data: values.view8(), present };
}

function appendRange(to: ByteBuilder, data: Uint8Array, start: number, end: number): void {
  const length = end - start;
  if (to.length + length > MAX_PACKED) {
    throw new CFileError("E_LIMIT", "the values exceed 4 GiB", { field: "values", expected: MAX_PACKED });
  }
  copyRange(data, start, end, to.reserve(length), to.length);
  to.length += length;
}

/** Decides all rows in one forward pass over the blocks that may contain them; each block is read at most once. */
async function mergeRows(
  { index, blocks, structure }: ScannedFile,
  merge: RowMerge,
  options: ReadOptions,
): Promise<void> {
  const cursor = new IndexCursor(index, options);
  const window = new BlockWindow(structure.loader, { firstSize: 0 });
  const mergeUnchecked = (cells: CellWalk): void => merge.mergeUnchecked(cells);
  let passed = -1;
  while (!merge.done) {
    options.signal?.throwIfAborted();
    const { next } = merge;
    const row = merge.rows.row(next);
    let more = await cursor.toRowStart(row);
    while (more) {
      const { node, entry, location } = cursor;
      // Blocks up to `passed` have been merged: they have no cells of the remaining rows.
      if (location.offset > passed) {
        passed = location.offset;
        const batch = blocks.cache.get(location.offset);
        if (batch === undefined) {
          const bytes = await window.read(node, entry, node.length - 1, options);
          blocks.walk(bytes, cursor, mergeUnchecked);
        } else {
          merge.mergeChecked(batch);
        }
      }
      more = merge.next === next && (await cursor.toNext()) && cursor.node.compareRow(cursor.entry, row) <= 0;
    }
    if (merge.next === next) {
      merge.next++;
    }
  }
}
