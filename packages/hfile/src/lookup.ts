/** The cells of given rows. */
import { compareBytes, invalidArgument } from "@cfile/bytes";
import type { ReadOptions } from "@cfile/io";
import { BlockWindow } from "./block-window.js";
import type { CellBatch } from "./cell-batch.js";
import { compareRow, gallop, hasRow, lowerBound, rowBytes } from "./cell-search.js";
import { IndexCursor } from "./index-cursor.js";
import type { ScannedFile } from "./scan.js";

/** A cell's place. */
export interface FoundCell {
  readonly batch: CellBatch;
  readonly index: number;
}

/** The first cell of a row. */
export async function findRow(
  { index, blocks }: ScannedFile,
  row: Uint8Array,
  options: ReadOptions,
): Promise<FoundCell | undefined> {
  const cursor = new IndexCursor(index, options);
  let more = await cursor.toRowStart(row);
  while (more) {
    const batch =
      blocks.cached(cursor.location.offset) ?? (await blocks.load(cursor.node, cursor.entry, options));
    const at = lowerBound(batch, row);
    if (at < batch.length) {
      return hasRow(batch, at, row) ? { batch, index: at } : undefined;
    }
    // The row is after this block; the next one may begin with it only if the index says so.
    more = (await cursor.toNext()) && cursor.node.compareRow(cursor.entry, row) <= 0;
  }
  return undefined;
}

/**
 * The values of the first cells of each row, in one forward pass: every block is read once at most.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` when rows descend
 */
export async function findRows(
  { index, blocks, structure }: ScannedFile,
  given: readonly (Uint8Array | string)[],
  options: ReadOptions,
): Promise<(Uint8Array | undefined)[]> {
  const values = new Array<Uint8Array | undefined>(given.length).fill(undefined);
  const cursor = new IndexCursor(index, options);
  const window = new BlockWindow(structure.loader, 0);
  let batch: CellBatch | undefined;
  let from = 0;
  let previous: Uint8Array | undefined;
  for (let i = 0; i < given.length; i++) {
    const row = rowBytes(given[i] as Uint8Array | string);
    if (previous !== undefined && compareBytes(previous, row) > 0) {
      throw invalidArgument(
        `row ${i} is before the row in front of it: rows have to be sorted by their bytes`,
        {
          field: "rows",
          actual: i,
        },
      );
    }
    previous = row;
    if (batch === undefined || compareRow(batch, batch.length - 1, row) < 0) {
      options.signal?.throwIfAborted();
      batch = undefined;
      let more = await cursor.toRowStart(row);
      while (more) {
        const { node, entry, location } = cursor;
        batch = blocks.cached(location.offset);
        if (batch === undefined) {
          const bytes = await window.read(node, entry, node.length - 1, options);
          batch = blocks.decode(bytes, location, node, entry);
        }
        from = 0;
        more =
          compareRow(batch, batch.length - 1, row) < 0 &&
          (await cursor.toNext()) &&
          cursor.node.compareRow(cursor.entry, row) <= 0;
      }
    }
    if (batch !== undefined) {
      from = gallop(batch, row, from);
      if (hasRow(batch, from, row)) {
        values[i] = batch.value(from);
      }
    }
  }
  return values;
}
