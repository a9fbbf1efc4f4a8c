/** Finds the cells of a row without waiting, if its blocks are in memory. */
import type { CellBatch } from "../cells/cell-batch.js";
import { hasRow, lowerBound } from "../cells/cell-search.js";
import type { IndexNode } from "../index/index-node.js";
import type { ScannedFile } from "./scan.js";

/**
 * The cells of a row.
 *
 * @returns `undefined` if a block is not cached, or the row has cells in several blocks; `"absent"` if the file has no cells of the row
 */
export function cachedRow({ index, blocks }: ScannedFile, row: Uint8Array): CellBatch | "absent" | undefined {
  let node: IndexNode | undefined = index.root;
  let entry = node.floor(row);
  if (entry < 0) {
    return "absent";
  }
  for (let level = 1; level < index.levels; level++) {
    node = index.cached(node, entry);
    if (node === undefined) {
      return undefined;
    }
    entry = Math.max(0, node.floor(row));
  }
  // The next entry is after the row, but the row may begin in an earlier block.
  if (node.compareRow(entry, row) === 0 && !node.beginsRow(entry)) {
    return undefined;
  }
  const batch = blocks.cache.get(node.offset(entry));
  if (batch === undefined) {
    return undefined;
  }
  const first = lowerBound(batch, row);
  let end = first;
  while (end < batch.length && hasRow(batch, end, row)) {
    end++;
  }
  return end > first ? batch.slice(first, end) : "absent";
}
