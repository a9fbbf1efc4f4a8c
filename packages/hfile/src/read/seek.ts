/** Finds the position of a row, or where it would be inserted (docs/spec/hfile.md#12-seek-and-lookup). */
import type { ReadOptions } from "@cfile/io";
import type { CellBatch, HFileCell } from "../cells/cell-batch.js";
import { hasRow, lowerBound } from "../cells/cell-search.js";
import { IndexCursor } from "../index/index-cursor.js";
import type { ScannedFile } from "./scan.js";

/**
 * - `found`: `cell` is the first with that row
 * - `before first`: the row is before all rows of the file; `ceiling` is the file's first cell
 * - `between`: `floor` is the last cell with a smaller row, `ceiling` the first with a greater one
 * - `after last`: the row is after all rows of the file; `floor` is the file's last cell
 * - `empty`: there are no cells
 *
 * `hudiCode` is the result of Hudi's reader: 0 found, 1 in range, 2 end of file, -1 before the first key, -2 between a block's key in
 * the index and its real first key.
 */
export type SeekResult =
  | { readonly result: "found"; readonly hudiCode: 0; readonly cell: HFileCell }
  | { readonly result: "before first"; readonly hudiCode: -1; readonly ceiling: HFileCell }
  | {
      readonly result: "between";
      readonly hudiCode: 1 | -2;
      readonly floor: HFileCell;
      readonly ceiling: HFileCell;
    }
  | { readonly result: "after last"; readonly hudiCode: 2; readonly floor: HFileCell }
  | { readonly result: "empty"; readonly hudiCode: 2 };

export async function seekRow(
  { index, blocks }: ScannedFile,
  row: Uint8Array,
  options: ReadOptions,
): Promise<SeekResult> {
  const cursor = new IndexCursor(index, options);
  const load = (): Promise<CellBatch> => blocks.at(cursor, options);
  if (!(await cursor.toRowStart(row))) {
    return (await cursor.toFirst())
      ? { result: "before first", hudiCode: -1, ceiling: (await load()).cell(0) }
      : { result: "empty", hudiCode: 2 };
  }
  let floor: HFileCell | undefined;
  for (;;) {
    const batch = await load();
    const at = lowerBound(batch, row);
    if (hasRow(batch, at, row)) {
      return { result: "found", hudiCode: 0, cell: batch.cell(at) };
    }
    if (at > 0) {
      floor = batch.cell(at - 1);
    }
    if (at < batch.length) {
      const ceiling = batch.cell(at);
      // The block's key in the index is not after the row, but its first cell is.
      const isFake = at === 0 && cursor.node.compareRow(cursor.entry, row) <= 0;
      if (floor === undefined && (await cursor.toPrevious())) {
        const before = await load();
        floor = before.cell(before.length - 1);
      }
      return floor === undefined
        ? { result: "before first", hudiCode: -1, ceiling }
        : { result: "between", hudiCode: isFake ? -2 : 1, floor, ceiling };
    }
    if (!(await cursor.toNext())) {
      return floor === undefined
        ? { result: "empty", hudiCode: 2 }
        : { result: "after last", hudiCode: 2, floor };
    }
  }
}
