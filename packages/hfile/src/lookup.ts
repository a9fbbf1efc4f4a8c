/** The cells of given rows. */
import { compareBytes, invalidArgument } from "@cfile/bytes";
import type { ReadOptions } from "@cfile/io";
import { BlockWindow, MOST_WINDOW } from "./block-window.js";
import type { CellBatch } from "./cell-batch.js";
import { compareRow, gallop, hasRow, lowerBound, rowBytes } from "./cell-search.js";
import { IndexCursor } from "./index-cursor.js";
import type { IndexNode } from "./index-node.js";
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
  const rows = given.map(rowBytes);
  checkAscending(rows);
  const values = new Array<Uint8Array | undefined>(rows.length).fill(undefined);
  const cursor = new IndexCursor(index, options);
  const window = new BlockWindow(structure.loader);
  let batch: CellBatch | undefined;
  let from = 0;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as Uint8Array;
    if (batch === undefined || compareRow(batch, batch.length - 1, row) < 0) {
      options.signal?.throwIfAborted();
      batch = undefined;
      let more = await cursor.toRowStart(row);
      while (more) {
        const { node, entry, location } = cursor;
        batch = blocks.cached(location.offset);
        if (batch === undefined) {
          const last = window.has(location) ? entry : lastWanted(node, entry, rows, i);
          const bytes = await window.read(node, entry, last, options);
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

/** The last of the entries from `entry` on, within a window, that the rows from `first` on need without a gap. */
function lastWanted(node: IndexNode, entry: number, rows: readonly Uint8Array[], first: number): number {
  const end = node.offset(entry) + MOST_WINDOW;
  let last = entry;
  for (let i = first; i < rows.length && last + 1 < node.length && node.offset(last + 1) < end; i++) {
    const row = rows[i] as Uint8Array;
    if (node.compareRow(last + 1, row) <= 0) {
      if (last + 2 < node.length && node.compareRow(last + 2, row) <= 0) {
        break;
      }
      last++;
    }
  }
  return last;
}

function checkAscending(rows: readonly Uint8Array[]): void {
  for (let i = 1; i < rows.length; i++) {
    if (compareBytes(rows[i - 1] as Uint8Array, rows[i] as Uint8Array) > 0) {
      throw invalidArgument(
        `row ${i} is before the row in front of it: rows have to be sorted by their bytes`,
        {
          field: "keys",
          actual: i,
        },
      );
    }
  }
}
